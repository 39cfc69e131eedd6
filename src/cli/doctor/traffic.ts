/** Checks traffic analytics. */
import type { ClientBase } from 'pg'
import type { Config } from '../../config/config.ts'
import { addMs, type Clock } from '../../lib/clock.ts'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { formatCommand } from '../../lib/program.ts'
import { DAY_MS } from '../../shared/time.ts'
import { readAcrossUsers } from '../../storage/access.ts'
import { copyRows } from '../../storage/copy.ts'
import { openGeoDatabase } from '../../traffic/collect/geolocation/database.ts'
import { findBlockDamage } from '../../traffic/retention/damaged-blocks.ts'
import { type DoctorDiagnosis, failure, ok, warning } from './diagnosis.ts'
import { listNewestBlocks, readPackingProgress, readTrafficFacts, type StoredBlock } from './store.ts'

/** The server packs a day within this time after it began. */
const MAX_PACKING_DELAY_MS = 2 * DAY_MS
/** A day that began before this time, and is not packed, has been over for a week. It probably can't be packed. */
const OVERDUE_AFTER_MS = 9 * DAY_MS
const MAX_BLOCKS_TO_CHECK = 10_000
/** Decoding a large block takes about 60 ms. */
const BLOCK_CHECK_TIME_MS = 4_000

export async function checkGeolocation({ geoDb }: Config): Promise<DoctorDiagnosis[]> {
  if (geoDb === undefined) return [ok('Geolocation: by country. Cities need a city database (BELFRY_GEO_DB).')]
  try {
    const { about } = await openGeoDatabase(geoDb)
    return [ok(`Geolocation: by city, from ${geoDb} (${about}).`)]
  } catch (error) {
    return [
      failure(
        `Geolocation: can't read BELFRY_GEO_DB. ${(error as Error).message}.`,
        'Set it to a file in MMDB format. Until then visitors are located by country.',
      ),
    ]
  }
}

/** Reports events that could not be rolled up. Returns an empty list if there are none. */
export async function checkFailedEvents(client: ClientBase): Promise<DoctorDiagnosis[]> {
  const { failedEventCount = 0 } = (await readTrafficFacts(client)) ?? {}
  if (failedEventCount === 0) return []
  const eventsText = failedEventCount === 1 ? '1 event' : `${formatCount(failedEventCount)} events`
  return [
    warning(
      `Statistics: ${eventsText} could not be rolled up and are missing.`,
      'Every start retries them. If they remain, check event_inbox.fault and update Belfry.',
    ),
  ]
}

/** Reports the progress of packing, and days that can't be packed. Returns an empty list if all days are packed. */
export async function checkPacking(client: ClientBase, clock: Clock): Promise<DoctorDiagnosis[]> {
  const findDayBefore = (ms: number) => addMs(clock.now(), -ms).toISOString().slice(0, 10)
  const progress = await readPackingProgress(
    client,
    findDayBefore(MAX_PACKING_DELAY_MS),
    findDayBefore(OVERDUE_AFTER_MS),
  )
  if (progress === undefined || progress.unpackedCount === 0) return []
  const { dayCount, unpackedCount, rowBytes, overdueCount, firstOverdue } = progress
  const text = `Packing: ${formatCount(dayCount - unpackedCount)} of ${formatCount(dayCount)} days of all websites are packed. The rows of the other days, and of the last three days, take ${formatBytes(rowBytes)}.`
  if (firstOverdue === null) return [ok(`${text} The server packs the other days in the background while it runs.`)]
  const overdueText = overdueCount === 1 ? '1 unpacked day' : `${formatCount(overdueCount)} unpacked days`
  return [
    warning(
      `${text} ${overdueText} ended more than a week ago. The oldest is ${firstOverdue.day} of ${firstOverdue.domain}.`,
      'If you imported such days within the last hour, wait. Otherwise look for "Days that could not be packed" in the log of the server after its start: the line says why. If there is no such line, check that all nodes run the same version.',
    ),
  ]
}

/** Reads the newest packed days completely, as many as fit into a few seconds. Returns an empty list if there are none. */
export async function checkBlocks(client: ClientBase, clock: Clock): Promise<DoctorDiagnosis[]> {
  // One more than is checked: its day is not checked completely.
  const blocks = await listNewestBlocks(client, MAX_BLOCKS_TO_CHECK + 1)
  if (blocks.length === 0) return []
  const deadline = clock.now().getTime() + BLOCK_CHECK_TIME_MS
  const damagedDays = new Map<string, DoctorDiagnosis>()
  let checkedCount = 0
  for (const block of blocks.slice(0, MAX_BLOCKS_TO_CHECK)) {
    if (clock.now().getTime() >= deadline) break
    checkedCount++
    const damage = await findBlockDamage((select) => readAcrossUsers(client, () => copyRows(client, select)), block)
    if (damage !== undefined) damagedDays.set(`${block.websiteId} ${block.day}`, describeDamage(block, damage))
  }
  const text = `Packed days: checked ${describeCheckedDays(blocks, checkedCount)}`
  return damagedDays.size === 0 ? [ok(`${text}. None is damaged.`)] : [...damagedDays.values(), ok(`${text}.`)]
}

function describeCheckedDays(blocks: readonly StoredBlock[], checkedCount: number): string {
  const firstUnchecked = blocks[checkedCount]
  if (firstUnchecked === undefined) return 'all'
  const oldest = blocks.slice(0, checkedCount).findLast(({ day }) => day > firstUnchecked.day)
  return oldest === undefined ? `the newest, a part of ${firstUnchecked.day}` : `the newest, since ${oldest.day}`
}

function describeDamage({ domain, day, part, isSample }: StoredBlock, damage: string): DoctorDiagnosis {
  const text = `Packed days: the visits and events of ${domain} on ${day} are damaged (part ${part}: ${damage.replace(/\.$/, '')}).`
  return failure(
    text,
    isSample
      ? 'Delete the sample data, and add it again.'
      : `Restore a backup. If you have none, delete the packed visits and events of this day; its totals stay: \`${formatCommand(`traffic delete-damaged ${domain} ${day}`)}\`.`,
  )
}
