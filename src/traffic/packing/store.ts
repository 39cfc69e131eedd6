/** SQL of packing: the counts of a day that is over become columns of one row. */

import { numbersLiteral, textsLiteral } from '../../storage/array-literal.ts'
import type { Queries } from '../../storage/transaction.ts'
import type { WebsiteDay } from '../blocks/row-store.ts'
import {
  type CountColumn,
  countColumnNumbers,
  countColumns,
  type Dimension,
  dimensionNames,
} from '../model/dimensions.ts'
import { encodeVisitSlot, findFirstSlotAt, VISIT_SLOT_MS } from '../model/visit-slots.ts'
import { addCount, type CountMap } from './packed-counts.ts'

/** Finds days that follow `after` and are before `before`, in the order of day and website. */
export type FindDays = (q: Queries, after: WebsiteDay, before: string, limit: number) => Promise<WebsiteDay[]>

const findDaysWhere =
  (condition: string): FindDays =>
  (q, after, before, limit) =>
    q.query<WebsiteDay>(
      `select website_id as "websiteId", day::text as day
         from traffic_days
        where ${condition} and (day, website_id) > ($1, $2) and day < $3
        order by traffic_days.day, website_id
        limit $4`,
      [after.day, after.websiteId, before, limit],
    )

/** Days that were never packed, or that have got more events since. */
export const findUnpackedDays = findDaysWhere('not is_packed')
/** Days whose counts are packed, but whose visits and events are still rows. */
export const findDaysWithoutBlocks = findDaysWhere('is_packed and block_set is null')

/**
 * Packing, imports of totals and the removal of a website lock each other out with this lock, because all of them change packed days
 * and weeks. Holds the lock until the end of the transaction. Returns false if another transaction holds it.
 */
export async function tryLockPacking(q: Queries, websiteId: number): Promise<boolean> {
  const [row] = await q.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('pack traffic ' || $1::bigint, 0)) as locked`,
    [websiteId],
  )
  return row?.locked === true
}

export interface DayToPack {
  isPacked: boolean
  blockSet: number | null
  packedCounts: Record<CountColumn, string | null>
  counts: { dimension: number; value: number; count: number }[]
}

/**
 * Locks the day until the end of the transaction, so rollups leave its events in the inbox. Returns undefined if the website
 * was deleted.
 */
export async function lockDayToPack(q: Queries, { websiteId, day }: WebsiteDay): Promise<DayToPack | undefined> {
  const [days, counts] = await q.batch(
    {
      text: `select is_packed, block_set, ${countColumns.join(', ')}
               from traffic_days
              where website_id = $1 and day = $2 and exists (select from websites where id = $1)
                for update`,
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
  const row = days?.rows[0]
  if (row === undefined) return undefined
  return {
    isPacked: row['is_packed'],
    blockSet: row['block_set'],
    packedCounts: row as DayToPack['packedCounts'],
    counts: counts?.rows as DayToPack['counts'],
  }
}

/** Locks the days of a website until the end of the transaction. Only imports of totals need it; the caller holds the packing lock. */
export async function lockWebsiteDays(q: Queries, websiteId: number): Promise<void> {
  await q.query('select from traffic_days where website_id = $1 order by day for update', [websiteId])
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

const FIRST_DAY_COLUMN_PARAMETER = 3
const dayAssignments = countColumns.map((name, index) => `${name} = $${FIRST_DAY_COLUMN_PARAMETER + index}`).join(', ')

/** Where the visits and events of a packed day are. */
export type VisitStorage = 'rows' | 'blocks' | 'none'

/** The value of `traffic_days.block_set`. */
const blockSetSql = { rows: 'null', blocks: `nextval('block_sets')`, none: '0' } as const satisfies Record<
  VisitStorage,
  string
>

export async function writePackedDay(
  q: Queries,
  { websiteId, day }: WebsiteDay,
  columns: Record<CountColumn, string | null>,
  visitStorage: VisitStorage,
): Promise<void> {
  await q.batch(
    {
      // A packed week is the sum of its packed days. This day changes, so the sum is no longer correct.
      text: `delete from traffic_weeks where website_id = $1 and week = date_trunc('week', $2::date)::date`,
      values: [websiteId, day],
    },
    {
      text: `update traffic_days
                set is_packed = true, packed_visits = null, block_set = ${blockSetSql[visitStorage]}, ${dayAssignments}
              where website_id = $1 and day = $2`,
      values: [websiteId, day, ...countColumns.map((name) => columns[name])],
    },
    {
      text: `delete from traffic_counts where website_id = $1 and day = $2 and dimension = any ($3)`,
      values: [websiteId, day, Object.values(countColumnNumbers)],
    },
  )
}

/** For a day whose counts were packed before its rows. `visitSlots` is null if they are counted already. */
export async function writeMovedDay(
  q: Queries,
  { websiteId, day }: WebsiteDay,
  visitSlots: string | null,
  visitStorage: Exclude<VisitStorage, 'rows'>,
): Promise<void> {
  await q.query(
    `update traffic_days
        set packed_visits = null, block_set = ${blockSetSql[visitStorage]}, visit_slots = coalesce(visit_slots, $3)
      where website_id = $1 and day = $2`,
    [websiteId, day, visitSlots],
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

/**
 * Returns packed days whose visits are not counted by slot, newest first, because recent incidents are viewed most. Locks them until
 * the end of the transaction, and skips days that are being packed.
 */
export async function findUncountedDays(q: Queries, limit: number): Promise<UncountedDay[]> {
  return q.query<UncountedDay>(
    `select website_id as "websiteId", day::text as day, visits
       from traffic_days
      where is_packed and visit_slots is null and visits > 0
      order by traffic_days.day desc
      limit $1
        for update skip locked`,
    [limit],
  )
}

export interface CountedDay extends UncountedDay {
  packedSlots: string
}

/** The days are locked since they were read. */
export async function writeCountedDays(q: Queries, days: readonly CountedDay[]): Promise<void> {
  await q.query(
    `update traffic_days d
        set visit_slots = n.visit_slots
       from unnest($1::bigint[], $2::date[], $3::text[]) as n (website_id, day, visit_slots)
      where d.website_id = n.website_id and d.day = n.day`,
    [...toDayColumns(days), textsLiteral(days.map(({ packedSlots }) => packedSlots))],
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
