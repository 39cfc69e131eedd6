/** SQL that reads rows of `visits` and `events` in columns: one array for each column, which is many times faster than one row after the other. */
import { decodeInt8Array, readFields } from '../../storage/copy-binary.ts'
import { daySql, numberSql } from '../../storage/copy-literals.ts'
import type { TransactionQueries } from '../../storage/transaction.ts'
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
 * Row-level security makes PostgreSQL expect a handful of rows. Without these settings it would join events and visits row
 * by row, in a nested loop.
 */
export const plannerSettings = {
  text: `select set_config('enable_nestloop', 'off', true), set_config('work_mem', '64MB', true),
                set_config('parallel_setup_cost', '0', true), set_config('parallel_tuple_cost', '0', true),
                set_config('min_parallel_table_scan_size', '0', true), set_config('plan_cache_mode', 'force_custom_plan', true)`,
}

/** In the order of `parseVisitRows`. */
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

const hitExpressions = ['coalesce(visit_id, 0)', 'kind', 'hour', 'coalesce(page, 0)', 'coalesce(name, 0)']
const coldExpressions = ['at', 'coalesce(engaged_ms, -1)', 'props']

const buildArrays = (expressions: readonly string[]) => expressions.map((text) => `array_agg(${text})`).join(', ')

function buildVisitConditions({ websiteId, day }: WebsiteDay, { from, to }: VisitorRange): string {
  return [
    `website_id = ${numberSql(websiteId)} and day = ${daySql(day)}`,
    ...(from === undefined ? [] : [`visitor >= ${numberSql(from)}`]),
    ...(to === undefined ? [] : [`visitor < ${numberSql(to)}`]),
  ].join(' and ')
}

/**
 * Events have an index on `at` but not on `day`, so the condition on `at` makes the query fast. It extends the UTC day by
 * 16 hours on both sides, more than any time zone differs from UTC.
 */
function buildEventConditions({ websiteId, day }: WebsiteDay): string {
  const dayLiteral = daySql(day)
  return `website_id = ${numberSql(websiteId)} and day = ${dayLiteral}
      and at >= ${dayLiteral}::date - interval '16 hours' and at < ${dayLiteral}::date + interval '40 hours'`
}

/** The rows of a part of the visitors, as bytes for `parseRows`. */
export interface RawRows {
  visits: Uint8Array[]
  events: Uint8Array[]
  /** Whether `events` has all columns. */
  isComplete: boolean
}

/** Reads the visits and the hits of a day, for counting. */
export async function readHitRows(q: TransactionQueries, day: WebsiteDay, range: VisitorRange): Promise<RawRows> {
  const isOfAll = range.from === undefined && range.to === undefined
  return {
    visits: await q.copyRows(
      `select ${buildArrays(visitExpressions)} from visits where ${buildVisitConditions(day, range)}`,
    ),
    events: await q.copyRows(
      `select ${buildArrays(hitExpressions)} from events
        where ${buildEventConditions(day)} and kind < 3
          ${isOfAll ? '' : `and visit_id in (select id from visits where ${buildVisitConditions(day, range)})`}`,
    ),
    isComplete: false,
  }
}

/**
 * Reads everything that rows hold. `isFirst` adds the events that belong to no visit, so that exactly one range of a day has
 * them.
 */
export async function readCompleteRows(
  q: TransactionQueries,
  day: WebsiteDay,
  range: VisitorRange,
  isFirst: boolean,
): Promise<RawRows> {
  const isInRange = `select id from visits where ${buildVisitConditions(day, range)}`
  const isOfAll = range.from === undefined && range.to === undefined
  const isOutside = `select id from visits where ${buildVisitConditions(day, ALL_VISITORS)} and id not in (${isInRange})`
  const condition = isOfAll
    ? 'true'
    : isFirst
      ? `(visit_id is null or visit_id not in (${isOutside}))`
      : `visit_id in (${isInRange})`
  return {
    visits: await q.copyRows(
      `select ${buildArrays(visitExpressions)} from visits where ${buildVisitConditions(day, range)}`,
    ),
    events: await q.copyRows(
      // Rows of the same millisecond keep the order in which they were written: an index scan and a table scan both return them so.
      `select ${buildArrays([...hitExpressions, ...coldExpressions])} from events
        where ${buildEventConditions(day)} and ${condition}`,
    ),
    isComplete: true,
  }
}

/** Returns the limits of ranges that have about `count` visitors each, without the first and the last limit. */
export async function findRangeLimits(
  q: TransactionQueries,
  { websiteId, day }: WebsiteDay,
  rangeCount: number,
): Promise<number[]> {
  if (rangeCount <= 1) return []
  const fractions = Array.from({ length: rangeCount - 1 }, (_, index) => (index + 1) / rangeCount)
  const [row] = await q.query<{ limits: number[] | null }>(
    `select array(select distinct unnest(percentile_disc($3::float8[]) within group (order by visitor)) order by 1) as limits
       from visits
      where website_id = $1 and day = $2`,
    [websiteId, day, fractions],
  )
  return row?.limits ?? []
}

/** Splits all visitors at the limits. */
export function listRanges(limits: readonly number[]): VisitorRange[] {
  return [undefined, ...limits].map((from, index) => ({ from, to: limits[index] }))
}

/** The visitors that have rows, in ascending order, as bytes for `decodeInt8Array`. */
export async function readRowVisitors(q: TransactionQueries, day: WebsiteDay): Promise<Uint8Array[]> {
  return q.copyRows(
    `select array(select distinct visitor from visits where ${buildVisitConditions(day, ALL_VISITORS)} order by visitor)`,
  )
}

/** Like `readRowVisitors`, but decoded. What the blocks of the day know about these visitors is outdated. */
export async function listRowVisitors(q: TransactionQueries, day: WebsiteDay): Promise<Float64Array> {
  const [row] = await readRowVisitors(q, day)
  const [field] = row === undefined ? [] : readFields(row)
  return field == null ? new Float64Array(0) : decodeInt8Array(field)
}
