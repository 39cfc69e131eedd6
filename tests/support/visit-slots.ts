/** Reads how many visits began on each host in each 5 minutes, as the measurement of an incident's impact does. */
import type { Queries } from '../../src/storage/transaction.ts'
import { slotColumns } from '../../src/traffic/model/dimensions.ts'
import { decodeVisitSlot, findFirstSlotAt, VISIT_SLOT_MS } from '../../src/traffic/model/visit-slots.ts'
import { unpackCounts } from '../../src/traffic/packing/packed-counts.ts'
import { readDimensionValues } from '../../src/traffic/stats/store.ts'

/** Adds packed and unpacked counts. A key is the host and the time, as in `www.example.com 2026-01-05T10:05:00Z`. An unknown host is empty. */
export async function readVisitSlots(q: Queries, websiteId: number): Promise<Record<string, number>> {
  const packedDays = await q.query<{ day: string; packed: string | null }>(
    'select day::text as day, visit_slots as packed from traffic_days where website_id = $1',
    [websiteId],
  )
  const unpackedCounts = await q.query<{ day: string; value: number; count: number }>(
    'select day::text as day, value, count from traffic_counts where website_id = $1 and dimension = $2',
    [websiteId, slotColumns.visit_slots],
  )
  const packedCounts = packedDays.flatMap(({ day, packed }) =>
    [...unpackCounts(packed)].map(([value, count]) => ({ day, value, count })),
  )
  const hostnames = await readDimensionValues(q, websiteId, 'hostname')
  const counts: Record<string, number> = {}
  for (const { day, value, count } of [...packedCounts, ...unpackedCounts]) {
    const { hostnameId, slot } = decodeVisitSlot(value)
    const time = Temporal.Instant.fromEpochMilliseconds(findFirstSlotAt(day) + slot * VISIT_SLOT_MS)
    const key = `${hostnames.get(hostnameId) ?? ''} ${time}`
    counts[key] = (counts[key] ?? 0) + count
  }
  return counts
}
