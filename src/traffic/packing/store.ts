/** SQL of packing: the counts and the visits of a day that is over become columns of one row. */

import { numbersLiteral, textsLiteral } from '../../storage/array-literal.ts'
import type { Queries } from '../../storage/transaction.ts'
import {
  type CountColumn,
  countColumnNumbers,
  countColumns,
  type Dimension,
  dimensionNames,
  type VisitDimension,
  type VisitorDimension,
  visitDimensions,
  visitorDimensions,
} from '../model/dimensions.ts'
import { encodeVisitSlot, findFirstSlotAt, VISIT_SLOT_MS } from '../model/visit-slots.ts'
import { addCount, type CountMap } from './packed-counts.ts'
import type { Hit, VisitorWithVisits } from './packed-visits.ts'

export interface WebsiteDay {
  websiteId: number
  day: string
}

/** Returns the oldest unpacked days that follow `after` in the order of day and website. */
export async function findUnpackedDays(
  q: Queries,
  after: WebsiteDay,
  before: string,
  limit: number,
): Promise<WebsiteDay[]> {
  return q.query<WebsiteDay>(
    `select website_id as "websiteId", day::text as day
       from traffic_days
      where not is_packed and (day, website_id) > ($1, $2) and day < $3
      order by traffic_days.day, website_id
      limit $4`,
    [after.day, after.websiteId, before, limit],
  )
}

export interface UnpackedDay {
  /** The row of `traffic_days`. Undefined if the website has been deleted. */
  dayRow: (Record<CountColumn, string | null> & { views: number; events: number }) | undefined
  counts: { dimension: number; value: number; count: number }[]
}

export async function readUnpackedDay(q: Queries, { websiteId, day }: WebsiteDay): Promise<UnpackedDay> {
  const [days, counts] = await q.batch(
    {
      text: `select views, events, ${countColumns.join(', ')}
               from traffic_days
              where website_id = $1 and day = $2`,
      values: [websiteId, day],
    },
    {
      // Listing the dimensions lets PostgreSQL use the primary key, whose columns are (website_id, dimension, day, value).
      text: `select dimension, value, count
               from traffic_counts
              where website_id = $1 and day = $2 and dimension = any ($3)`,
      values: [websiteId, day, Object.values(countColumnNumbers)],
    },
  )
  return { dayRow: days?.rows[0] as UnpackedDay['dayRow'], counts: counts?.rows as UnpackedDay['counts'] }
}

type VisitRow = Record<VisitDimension | VisitorDimension, number> & {
  id: number
  visitor: number
  durationMs: number
  isBounce: boolean
}

const visitColumns = [...visitorDimensions, ...visitDimensions]
  .map((name) => `coalesce(${name}, 0) as ${name}`)
  .join(', ')

/** Returns the visits of a day, grouped by visitor. */
export async function readDayVisits(q: Queries, { websiteId, day }: WebsiteDay): Promise<VisitorWithVisits[]> {
  const [visits, hits] = await q.batch(
    {
      text: `select id, visitor, ${visitColumns},
                    (extract(epoch from last_at - started_at) * 1000)::integer as "durationMs",
                    views <= 1 and actions = 0 as "isBounce"
               from visits
              where website_id = $1 and day = $2
              order by visitor, id`,
      values: [websiteId, day],
    },
    {
      // Events have an index on `at` but not on `day`, so the condition on `at` makes the query fast. It extends the UTC day
      // by 16 hours on both sides, more than any time zone differs from UTC.
      text: `select visit_id as "visitId", kind = 1 as "isView", hour, coalesce(page, 0) as "pageId",
                    coalesce(name, 0) as "eventNameId"
               from events
              where website_id = $1 and day = $2 and kind in (1, 2)
                and at >= $2::date - interval '16 hours' and at < $2::date + interval '40 hours'`,
      values: [websiteId, day],
    },
  )
  const hitsByVisit = Map.groupBy(hits?.rows as (Hit & { visitId: number })[], ({ visitId }) => visitId)
  const visitsByVisitor = Map.groupBy(visits?.rows as VisitRow[], ({ visitor }) => visitor)
  return [...visitsByVisitor.values()].map((rows) => {
    // Visitor dimensions, such as the browser, are the same in all visits of a visitor on one day. So read them from the first visit.
    const [first] = rows as [VisitRow]
    return {
      values: visitorDimensions.map((name) => first[name]),
      visits: rows.map((row) => ({
        values: visitDimensions.map((name) => row[name]),
        durationMs: row.durationMs,
        isBounce: row.isBounce,
        hits: hitsByVisit.get(row.id) ?? [],
      })),
    }
  })
}

export interface WebsiteWeek {
  websiteId: number
  /** The Monday on which the week begins. */
  week: string
}

type PackedColumns = Record<Dimension, string | null>

export async function readPackedDays(q: Queries, { websiteId, week }: WebsiteWeek): Promise<PackedColumns[]> {
  return q.query<PackedColumns>(
    `select ${dimensionNames.join(', ')}
       from traffic_days
      where website_id = $1 and day between $2 and $2::date + 6`,
    [websiteId, week],
  )
}

const FIRST_WEEK_COLUMN_PARAMETER = 3
const weekParameters = dimensionNames.map((_, index) => `$${FIRST_WEEK_COLUMN_PARAMETER + index}`).join(', ')
const weekAssignments = dimensionNames.map((name) => `${name} = excluded.${name}`).join(', ')

export async function writePackedWeek(
  q: Queries,
  { websiteId, week }: WebsiteWeek,
  columns: PackedColumns,
): Promise<void> {
  await q.query(
    `insert into traffic_weeks (website_id, week, ${dimensionNames.join(', ')})
     values ($1, $2, ${weekParameters})
         on conflict (website_id, week) do update set ${weekAssignments}`,
    [websiteId, week, ...dimensionNames.map((name) => columns[name])],
  )
}

const FIRST_DAY_COLUMN_PARAMETER = 4
const dayAssignments = countColumns.map((name, index) => `${name} = $${FIRST_DAY_COLUMN_PARAMETER + index}`).join(', ')

export async function writePackedDay(
  q: Queries,
  { websiteId, day }: WebsiteDay,
  columns: Record<CountColumn, string | null>,
  packedVisits: string | null,
): Promise<void> {
  await q.batch(
    {
      // A packed week is the sum of its packed days. This day changes, so the sum is no longer correct.
      text: `delete from traffic_weeks where website_id = $1 and week = date_trunc('week', $2::date)::date`,
      values: [websiteId, day],
    },
    {
      text: `update traffic_days
                set is_packed = true, packed_visits = $3, ${dayAssignments}
              where website_id = $1 and day = $2`,
      values: [websiteId, day, packedVisits, ...countColumns.map((name) => columns[name])],
    },
    {
      text: `delete from traffic_counts where website_id = $1 and day = $2 and dimension = any ($3)`,
      values: [websiteId, day, Object.values(countColumnNumbers)],
    },
  )
}

/** Counts the visits of each day by host and slot, in the format of visit-slots.ts. */
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
    [...toDayColumns(days), VISIT_SLOT_MS],
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

/** Skips days that have changed since they were read. The caller holds the traffic lock. */
export async function writeCountedDays(q: Queries, days: readonly CountedDay[]): Promise<void> {
  await q.query(
    `update traffic_days d
        set visit_slots = n.visit_slots
       from unnest($1::bigint[], $2::date[], $3::integer[], $4::text[]) as n (website_id, day, visits, visit_slots)
      where d.website_id = n.website_id and d.day = n.day and d.visits = n.visits
        and d.is_packed and d.visit_slots is null`,
    [
      ...toDayColumns(days),
      numbersLiteral(days.map(({ visits }) => visits)),
      textsLiteral(days.map(({ packedSlots }) => packedSlots)),
    ],
  )
}

const toDayColumns = (days: readonly WebsiteDay[]) => [
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
