/** SQL that reads rows of `visits` and `events` in columns: one array for each column, which is many times faster than one row after the other. */
import { countArrayElements, decodeInt8Array, readFields } from '../../storage/copy-binary.ts'
import { daySql, numberSql } from '../../storage/copy-literals.ts'
import type { Queries, TransactionQueries } from '../../storage/transaction.ts'
import { visitDimensions, visitorDimensions } from '../model/dimensions.ts'

export interface WebsiteDay {
  websiteId: number
  day: string
}

/** Visitors from `from` on and before `to`. Without limits, all visitors. */
export interface VisitorRange {
  from: number | undefined
  to: number | undefined
}

export const ALL_VISITORS: VisitorRange = { from: undefined, to: undefined }

/**
 * Row-level security makes PostgreSQL expect a handful of rows. Without these settings, it would join events and visits row
 * by row, in a nested loop, and would not use a second core. `work_mem` holds the visits of a large day, for a hash join. Cached plans
 * would not know how many rows the website has.
 */
export const countingPlannerSettings = {
  text: `select set_config('enable_nestloop', 'off', true), set_config('work_mem', '64MB', true),
                set_config('plan_cache_mode', 'force_custom_plan', true),
                set_config('parallel_setup_cost', '0', true), set_config('parallel_tuple_cost', '0', true),
                set_config('min_parallel_table_scan_size', '0', true)`,
}

/** Like `countingPlannerSettings`, but without parallel workers, which would mix up the order of events of the same millisecond. */
export const packingPlannerSettings = {
  text: `select set_config('enable_nestloop', 'off', true), set_config('work_mem', '64MB', true),
                set_config('plan_cache_mode', 'force_custom_plan', true),
                set_config('max_parallel_workers_per_gather', '0', true)`,
}

/** In the order of `parseVisits`. */
const visitExpressions = [
  'visitor',
  'id',
  'started_at',
  'last_at',
  'views',
  'actions',
  'hours',
  ...[...visitDimensions, ...visitorDimensions].map((name) => `coalesce(${name}, 0)`),
]

/** In the order of `parseEvents`. */
const hitExpressions = ['coalesce(visit_id, 0)', 'kind', 'hour', 'coalesce(page, 0)', 'coalesce(name, 0)']
const timedExpressions = [...hitExpressions, 'at']
const allExpressions = [...timedExpressions, 'coalesce(engaged_ms, -1)', 'props']

const buildArrays = (expressions: readonly string[]) => expressions.map((text) => `array_agg(${text})`).join(', ')

function buildVisitConditions({ websiteId, day }: WebsiteDay, { from, to }: VisitorRange): string {
  return [
    `website_id = ${numberSql(websiteId)} and day = ${daySql(day)}`,
    ...(from === undefined ? [] : [`visitor >= ${numberSql(from)}`]),
    ...(to === undefined ? [] : [`visitor < ${numberSql(to)}`]),
  ].join(' and ')
}

/** Relative to midnight in UTC. A local day is always within these hours, because time zones differ from UTC by less than 16 hours. */
const HOURS_BEFORE_DAY = 16
const HOURS_AFTER_DAY_START = 40

/** Events have an index on `at` but not on `day`, so this condition makes statements about the events of a day fast. */
const buildTimeCondition = (dayExpression: string) =>
  `at >= ${dayExpression}::date - interval '${HOURS_BEFORE_DAY} hours'
      and at < ${dayExpression}::date + interval '${HOURS_AFTER_DAY_START} hours'`

const buildEventConditions = ({ websiteId, day }: WebsiteDay) =>
  `website_id = ${numberSql(websiteId)} and day = ${daySql(day)} and ${buildTimeCondition(daySql(day))}`

/** The rows of a part of the visitors, as bytes for `parseRows`. */
export interface RawRows {
  visits: Uint8Array[]
  events: Uint8Array[]
  /** The columns that `events` has: without times, with times, or all. */
  columns: 'hits' | 'times' | 'all'
}

const readVisits = (q: TransactionQueries, day: WebsiteDay, range: VisitorRange) =>
  q.copyRows(`select ${buildArrays(visitExpressions)} from visits where ${buildVisitConditions(day, range)}`)

/** Selects the events of the visits of a range. If the range has all visitors, also selects the events that belong to no visit. */
const buildRangeCondition = (day: WebsiteDay, range: VisitorRange) =>
  range.from === undefined && range.to === undefined
    ? 'true'
    : `visit_id in (select id from visits where ${buildVisitConditions(day, range)})`

/** Reads the visits and the hits of a day, for counting. */
export async function readHitRows(q: TransactionQueries, day: WebsiteDay, range: VisitorRange): Promise<RawRows> {
  return {
    visits: await readVisits(q, day, range),
    events: await q.copyRows(
      `select ${buildArrays(hitExpressions)} from events
        where ${buildEventConditions(day)} and kind < 3 and ${buildRangeCondition(day, range)}`,
    ),
    columns: 'hits',
  }
}

/** Reads the visits and the events of a day with their times, for counting until a time of the day. */
export async function readTimedRows(q: TransactionQueries, day: WebsiteDay, range: VisitorRange): Promise<RawRows> {
  return {
    visits: await readVisits(q, day, range),
    events: await q.copyRows(
      `select ${buildArrays(timedExpressions)} from events
        where ${buildEventConditions(day)} and ${buildRangeCondition(day, range)}`,
    ),
    columns: 'times',
  }
}

/**
 * Reads everything that rows hold. `isFirst` adds the events that belong to no visit, so that exactly one range of a day has
 * them: the one without a lower limit.
 */
export async function readCompleteRows(
  q: TransactionQueries,
  day: WebsiteDay,
  range: VisitorRange,
  isFirst: boolean,
): Promise<RawRows> {
  // "not exists" becomes a join. PostgreSQL runs "not in" row by row if the list exceeds its memory.
  const isOutside = `select from visits v
                      where ${buildVisitConditions(day, { from: range.to, to: undefined })} and v.id = events.visit_id`
  const condition = isFirst && range.to !== undefined ? `not exists (${isOutside})` : buildRangeCondition(day, range)
  return {
    visits: await readVisits(q, day, range),
    events: await q.copyRows(
      // With `packingPlannerSettings`, events of the same millisecond keep the order in which they were written: index scans and table
      // scans return this order, parallel scans don't.
      `select ${buildArrays(allExpressions)} from events
        where ${buildEventConditions(day)} and ${condition}`,
    ),
    columns: 'all',
  }
}

/** Returns limits that split a range into ranges with about as many visits each, without the first and the last limit. */
export async function findRangeLimits(
  q: TransactionQueries,
  { websiteId, day }: WebsiteDay,
  rangeCount: number,
  { from, to }: VisitorRange = ALL_VISITORS,
): Promise<number[]> {
  if (rangeCount <= 1) return []
  const fractions = Array.from({ length: rangeCount - 1 }, (_, index) => (index + 1) / rangeCount)
  const [row] = await q.query<{ limits: number[] | null }>(
    `select array(select distinct unnest(percentile_disc($3::float8[]) within group (order by visitor)) order by 1) as limits
       from visits
      where website_id = $1 and day = $2
        and ($4::bigint is null or visitor >= $4) and ($5::bigint is null or visitor < $5)`,
    [websiteId, day, fractions, from ?? null, to ?? null],
  )
  return row?.limits ?? []
}

/** Splits a range of visitors at the limits. */
export function listRanges(limits: readonly number[], { from, to }: VisitorRange = ALL_VISITORS): VisitorRange[] {
  return [from, ...limits].map((start, index) => ({ from: start, to: limits[index] ?? to }))
}

/** The visitors that have rows, in ascending order, as bytes for `decodeRowVisitors`. */
export async function readRowVisitors(q: TransactionQueries, day: WebsiteDay): Promise<Uint8Array[]> {
  return q.copyRows(
    `select array(select distinct visitor from visits where ${buildVisitConditions(day, ALL_VISITORS)} order by visitor)`,
  )
}

/** Like `readRowVisitors`, but decoded. What the blocks of the day know about these visitors is outdated. */
export async function listRowVisitors(q: TransactionQueries, day: WebsiteDay): Promise<Float64Array> {
  return decodeRowVisitors(await readRowVisitors(q, day))
}

export function decodeRowVisitors([row]: readonly Uint8Array[]): Float64Array {
  const [field] = row === undefined ? [] : readFields(row)
  return field == null ? new Float64Array(0) : decodeInt8Array(field)
}

export interface RowCounts {
  visits: number
  events: number
}

/** Counts the rows in `rows` without decoding them. */
export function countRawRows({ visits, events }: RawRows): RowCounts {
  return { visits: countElements(visits), events: countElements(events) }
}

/** PostgreSQL's array_agg returns null if there are no rows. */
function countElements([row]: readonly Uint8Array[]): number {
  const field = row === undefined ? undefined : readFields(row)[0]
  return field == null ? 0 : countArrayElements(field)
}

export interface EventRowSizes {
  count: number
  /** Of all events together. */
  propsBytes: number
}

export async function measureEventRows(q: Queries, { websiteId, day }: WebsiteDay): Promise<EventRowSizes> {
  const [row] = await q.query<EventRowSizes & Record<string, unknown>>(
    // PostgreSQL knows the length of a text without decompressing it.
    `select count(*)::integer as count, coalesce(sum(octet_length(props)), 0)::bigint as "propsBytes"
       from events
      where website_id = $1 and day = $2 and ${buildTimeCondition('$2')}`,
    [websiteId, day],
  )
  return row ?? { count: 0, propsBytes: 0 }
}

/** Reading a range fails if its properties take more than 1 GB, PostgreSQL's limit. Some ranges have many more than others. */
const MAX_PROPS_BYTES_PER_RANGE = 64 * 1024 * 1024

/** How many ranges to read the rows in. */
export function countRanges({ count, propsBytes }: EventRowSizes, maxEventsPerRange: number): number {
  return Math.max(Math.ceil(count / maxEventsPerRange), Math.ceil(propsBytes / MAX_PROPS_BYTES_PER_RANGE))
}

/** Whether rows of `events` belong to no visit in `visits`. */
export async function hasOrphanRows(q: Queries, { websiteId, day }: WebsiteDay): Promise<boolean> {
  const [row] = await q.query<{ exists: boolean }>(
    `select exists (
              select from events e
               where website_id = $1 and day = $2 and ${buildTimeCondition('$2')}
                 and not exists (select from visits v where v.website_id = $1 and v.day = $2 and v.id = e.visit_id)
            ) as exists`,
    [websiteId, day],
  )
  return row?.exists === true
}

/** With more events than this, a statement for each hour deletes them, because PostgreSQL cancels a statement after 30 seconds. */
const MAX_EVENTS_PER_DELETE = 500_000

/** Deletes the rows of a day. Together, the `ranges` have all visitors that have rows. */
export async function deleteRows(
  q: Queries,
  { websiteId, day }: WebsiteDay,
  ranges: readonly VisitorRange[],
  eventCount: number,
): Promise<RowCounts> {
  const stepHours = eventCount > MAX_EVENTS_PER_DELETE ? 1 : HOURS_BEFORE_DAY + HOURS_AFTER_DAY_START
  const deleted: RowCounts = { visits: 0, events: 0 }
  for (let hour = -HOURS_BEFORE_DAY; hour < HOURS_AFTER_DAY_START; hour += stepHours) {
    const [result] = await q.batch({
      text: `delete from events
              where website_id = $1 and day = $2
                and at >= $2::date + make_interval(hours => $3) and at < $2::date + make_interval(hours => $4)`,
      values: [websiteId, day, hour, hour + stepHours],
    })
    deleted.events += result?.count ?? 0
  }
  for (const { from, to } of ranges) {
    const [result] = await q.batch({
      text: `delete from visits
              where website_id = $1 and day = $2
                and ($3::bigint is null or visitor >= $3) and ($4::bigint is null or visitor < $4)`,
      values: [websiteId, day, from ?? null, to ?? null],
    })
    deleted.visits += result?.count ?? 0
  }
  return deleted
}
