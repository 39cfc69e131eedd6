/**
 * Reads when the visits in blocks began, for questions about a short time. The rows of `visits` answer the same questions for days
 * that are not packed. A visit can move from rows to blocks between two statements, so callers read both in one snapshot.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Queries, TransactionQueries } from '../../storage/transaction.ts'
import type { VisitDimension } from '../model/dimensions.ts'
import type { BlockColumn } from './block.ts'
import { BlockReader } from './block-reader.ts'
import { readBlocks } from './block-store.ts'
import { markVisitors } from './mark-visitors.ts'
import { parseBlock } from './parse-rows.ts'
import { listRowVisitors } from './row-store.ts'

/** `from` is included, `to` is not. */
export interface StartWindow {
  from: Date
  to: Date
}

/** The visits of one block that began in one window. */
export interface VisitStarts {
  /** The position of the window in the list of windows. */
  windowIndex: number
  /** Milliseconds since 1970. */
  startedAt: number[]
  /** One element for each visit. 0 stands for an unknown value. */
  valueIds: number[]
}

/**
 * Yields once for each block and each window that overlaps it, with the values of the dimension. A visit in two windows comes twice. Each
 * block is decoded only once.
 */
export async function* readVisitStarts(
  q: TransactionQueries,
  websiteId: number,
  windows: readonly StartWindow[],
  dimension: VisitDimension,
): AsyncGenerator<VisitStarts> {
  for (const { day, hasRows } of await findDays(q, websiteId, windows)) {
    const columns: BlockColumn[] = ['starts', dimension, ...(hasRows ? (['visitor_ids', 'visit_counts'] as const) : [])]
    const rowVisitors = hasRows ? await listRowVisitors(q, { websiteId, day }) : undefined
    for (const { row } of await readBlocks(q, websiteId, [day], columns)) {
      const reader = new BlockReader(parseBlock([row], columns))
      const isSkipped = rowVisitors === undefined ? undefined : markVisits(reader, rowVisitors)
      // This runs in the main thread. With 50,000 visits, each of the two steps takes 2 to 8 ms, and large days have many blocks.
      if (isSkipped !== undefined) await yieldToEventLoop()
      yield* selectStarts(reader, windows, dimension, isSkipped)
      await yieldToEventLoop()
    }
  }
}

async function findDays(
  q: Queries,
  websiteId: number,
  windows: readonly StartWindow[],
): Promise<{ day: string; hasRows: boolean }[]> {
  return q.query(
    // A local day differs from the day in UTC by one day at most.
    `select day::text as day, not is_packed as "hasRows"
       from traffic_days d
      where website_id = $1 and block_set > 0
        and day between ($2::timestamptz at time zone 'UTC')::date - 1 and ($3::timestamptz at time zone 'UTC')::date + 1
        and exists (select from traffic_blocks b, unnest($4::timestamptz[], $5::timestamptz[]) as w (from_at, to_at)
                     where b.website_id = $1 and b.day = d.day
                       and b.first_started_at < w.to_at and b.last_started_at >= w.from_at)
      order by d.day`,
    [
      websiteId,
      new Date(Math.min(...windows.map(({ from }) => from.getTime()))),
      new Date(Math.max(...windows.map(({ to }) => to.getTime()))),
      windows.map(({ from }) => from),
      windows.map(({ to }) => to),
    ],
  )
}

/** Selecting the visits of one window takes about 0.1 ms. After this many windows, other requests can run. */
const WINDOWS_PER_TURN = 50

async function* selectStarts(
  reader: BlockReader,
  windows: readonly StartWindow[],
  dimension: VisitDimension,
  isSkipped: Uint8Array | undefined,
): AsyncGenerator<VisitStarts> {
  const starts = reader.readStarts()
  const values = reader.readIds(dimension, starts.length)
  const { first, last } = findSpan(starts)
  let selectedCount = 0
  for (const [windowIndex, { from, to }] of windows.entries()) {
    const [fromMs, toMs] = [from.getTime(), to.getTime()]
    if (first >= toMs || last < fromMs) continue
    const selected: VisitStarts = { windowIndex, startedAt: [], valueIds: [] }
    for (let visit = 0; visit < starts.length; visit++) {
      const startedAt = starts[visit] as number
      if (startedAt < fromMs || startedAt >= toMs || isSkipped?.[visit] === 1) continue
      selected.startedAt.push(startedAt)
      selected.valueIds.push(values[visit] as number)
    }
    yield selected
    if (++selectedCount % WINDOWS_PER_TURN === 0) await yieldToEventLoop()
  }
}

function findSpan(starts: Float64Array): { first: number; last: number } {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let visit = 0; visit < starts.length; visit++) {
    const startedAt = starts[visit] as number
    if (startedAt < first) first = startedAt
    if (startedAt > last) last = startedAt
  }
  return { first, last }
}

/** Returns 1 for each visit of these visitors, which are in ascending order. */
function markVisits(reader: BlockReader, visitors: Float64Array): Uint8Array {
  const isMarked = markVisitors(reader.readVisitorIds(), visitors)
  const visitCounts = reader.readVisitCounts()
  const marks = new Uint8Array(reader.sizes.visits)
  let visit = 0
  for (let visitor = 0; visitor < isMarked.length; visitor++) {
    const end = visit + (visitCounts[visitor] as number)
    if (isMarked[visitor] === 1) marks.fill(1, visit, end)
    visit = end
  }
  return marks
}

/** Returns the websites with a block that may have visits in their window. */
export async function findWebsitesWithStarts(
  q: Queries,
  windows: readonly (StartWindow & { id: number })[],
): Promise<Set<number>> {
  const { text, values } = createStartsStatement(windows)
  const rows = await q.query<{ id: number }>(text, values)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Selects the ids of websites with a block that may have visits in their window. Run it after the statement that reads rows: if it then
 * returns no website, no visit of the window was in a block.
 */
export function createStartsStatement(windows: readonly (StartWindow & { id: number })[]) {
  return {
    text: `with windows as materialized (
             select id, from_at, to_at, (from_at at time zone 'UTC')::date - 1 as first_day,
                    (to_at at time zone 'UTC')::date + 1 as last_day
               from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) w (id, from_at, to_at)
           )
           select id
             from windows w
            where exists (select from traffic_blocks b
                           where b.website_id = w.id and b.day between w.first_day and w.last_day
                             and b.first_started_at < w.to_at and b.last_started_at >= w.from_at)`,
    values: [windows.map(({ id }) => id), windows.map(({ from }) => from), windows.map(({ to }) => to)],
  }
}
