/** SQL that counts the visits of packed days by host and 5 minutes. */
import { numbersLiteral, textsLiteral } from '../../storage/array-literal.ts'
import type { Queries } from '../../storage/client.ts'
import { slotColumns } from '../model/dimensions.ts'
import { encodeVisitSlot, findFirstSlotAt, VISIT_SLOT_MS } from '../model/visit-slots.ts'
import { addCount, type CountMap } from './packed-counts.ts'
import type { WebsiteDay } from './store.ts'

/** Returns the counts of each day, by the values of visit-slots.ts. */
export async function countVisitSlots(q: Queries, days: readonly WebsiteDay[]): Promise<CountMap[]> {
  const rows = await q.query<{ ordinal: number; hostnameId: number; slotAt: number; count: number }>(
    `select d.ordinal, v.hostname_id as "hostnameId", (extract(epoch from v.slot_at) * 1000)::bigint as "slotAt", v.count
       from unnest($1::bigint[], $2::date[]) with ordinality as d (website_id, day, ordinal)
      cross join lateral (
        select coalesce(hostname, 0) as hostname_id,
               date_bin(make_interval(secs => $3::float8 / 1000), started_at, 'epoch') as slot_at,
               count(*)::integer as count
          from visits
         where website_id = d.website_id and visits.day = d.day
         group by 1, 2
      ) v`,
    [...toColumns(days), VISIT_SLOT_MS],
  )
  const countsByDay = days.map((): CountMap => new Map())
  const firstSlotTimes = days.map(({ day }) => findFirstSlotAt(day))
  for (const { ordinal, hostnameId, slotAt, count } of rows) {
    const value = encodeVisitSlot(hostnameId, slotAt, firstSlotTimes[ordinal - 1] as number)
    addCount(countsByDay[ordinal - 1] as CountMap, value, count)
  }
  return countsByDay
}

export interface UncountedDay extends WebsiteDay {
  visits: number
}

/** Returns packed days whose visits are not counted by slot, newest first, because recent incidents are viewed most. */
export async function findUncountedDays(q: Queries, limit: number): Promise<UncountedDay[]> {
  return q.query<UncountedDay>(
    `select website_id as "websiteId", day::text as day, visits
       from traffic_days
      where is_packed and visit_slots is null and visits > 0
      order by traffic_days.day desc
      limit $1`,
    [limit],
  )
}

export interface CountedDay extends UncountedDay {
  packedSlots: string
}

/**
 * Leaves days alone that have changed since they were read. The caller holds the traffic lock. Counts that are not packed are
 * among the visits, so they are deleted: a node of an earlier version packed the day and left them.
 */
export async function writeCountedDays(q: Queries, days: readonly CountedDay[]): Promise<void> {
  await q.query(
    `with counted as (
       update traffic_days d
          set visit_slots = n.visit_slots
         from unnest($1::bigint[], $2::date[], $3::integer[], $4::text[]) as n (website_id, day, visits, visit_slots)
        where d.website_id = n.website_id and d.day = n.day and d.visits = n.visits
          and d.is_packed and d.visit_slots is null
       returning d.website_id, d.day
     )
     delete from traffic_counts c
      using counted
      where c.website_id = counted.website_id and c.dimension = $5 and c.day = counted.day`,
    [
      ...toColumns(days),
      numbersLiteral(days.map(({ visits }) => visits)),
      textsLiteral(days.map(({ packedSlots }) => packedSlots)),
      slotColumns.visit_slots,
    ],
  )
}

const toColumns = (days: readonly WebsiteDay[]) => [
  numbersLiteral(days.map(({ websiteId }) => websiteId)),
  textsLiteral(days.map(({ day }) => day)),
]

/** Holds the lock until the end of the transaction. Returns false if another node is counting. */
export async function lockVisitCounting(q: Queries): Promise<boolean> {
  const [row] = await q.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('count visits of earlier days', 0)) as locked`,
  )
  return row?.locked === true
}
