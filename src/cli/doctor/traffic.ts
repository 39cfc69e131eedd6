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
import { countBlocks, listNewestBlocks, readStoredDays, readTrafficFacts, type StoredBlock } from './store.ts'

/** The server packs a day within this time after it began. */
const PACKED_AFTER_MS = 2 * DAY_MS
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

/** Reports the progress of packing days that an earlier version stored as rows. Returns an empty list if all days are packed. */
export async function checkPacking(client: ClientBase, clock: Clock): Promise<DoctorDiagnosis[]> {
  const before = addMs(clock.now(), -PACKED_AFTER_MS).toISOString().slice(0, 10)
  const { count, withRows, rowBytes } = (await readStoredDays(client, before)) ?? { count: 0, withRows: 0, rowBytes: 0 }
  if (withRows === 0) return []
  return [
    ok(
      `Statistics: ${formatCount(withRows)} of ${formatCount(count)} days are still to be packed. The server does this in the background. Until then, visits and events take ${formatBytes(rowBytes)} in addition to the packed days.`,
    ),
  ]
}

/** Reads the newest blocks completely, as many as fit into a few seconds. Returns an empty list if there are none. */
export async function checkBlocks(client: ClientBase, clock: Clock): Promise<DoctorDiagnosis[]> {
  const blockCount = await countBlocks(client)
  if (blockCount === 0) return []
  const deadline = clock.now().getTime() + BLOCK_CHECK_TIME_MS
  const damagedDays = new Map<string, DoctorDiagnosis>()
  let checkedCount = 0
  for (const block of await listNewestBlocks(client, MAX_BLOCKS_TO_CHECK)) {
    if (clock.now().getTime() >= deadline) break
    checkedCount++
    const damage = await findBlockDamage((select) => readAcrossUsers(client, () => copyRows(client, select)), block)
    if (damage !== undefined) damagedDays.set(`${block.websiteId} ${block.day}`, describeDamage(block, damage))
  }
  const checkedText =
    checkedCount < blockCount
      ? `the newest ${formatCount(checkedCount)} of ${formatCount(blockCount)} blocks`
      : `${formatCount(blockCount)} blocks`
  if (damagedDays.size === 0) return [ok(`Statistics: checked ${checkedText}, and none is damaged.`)]
  return [...damagedDays.values(), ok(`Statistics: checked ${checkedText}.`)]
}

function describeDamage({ domain, day, part, isSample }: StoredBlock, damage: string): DoctorDiagnosis {
  const text = `Statistics: the visits and events of ${domain} on ${day} are damaged (part ${part}: ${damage.replace(/\.$/, '')}).`
  return failure(
    text,
    isSample
      ? 'Delete the sample data, and add it again.'
      : `Restore a backup. If you have none, delete the visits and events of this day; its totals stay: \`${formatCommand(`traffic delete-damaged ${domain} ${day}`)}\`.`,
  )
}
