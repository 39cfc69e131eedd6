/** SQL of blocks. */
import { decodeDate, decodeInt4, readFields } from '../../storage/copy-binary.ts'
import { daySql, numberSql } from '../../storage/copy-literals.ts'
import type { Queries, TransactionQueries } from '../../storage/transaction.ts'
import { type BlockColumn, blockColumns } from './block.ts'
import type { WebsiteDay } from './row-store.ts'

export interface StoredDay {
  day: string
  /** Whether the day has rows. */
  hasRows: boolean
  /** Identifies the blocks of the day. 0 if it has none. */
  blockSet: number
  /** Page views and custom events, including those that are not stored any more. */
  hits: number
}

/** The days that have traffic, in ascending order. */
export async function readStoredDays(
  q: Queries,
  { websiteId, from, to }: { websiteId: number; from: string; to: string },
): Promise<StoredDay[]> {
  return q.query<StoredDay & Record<string, unknown>>(
    `select day::text as day, block_set is null or not is_packed as "hasRows", coalesce(block_set, 0) as "blockSet",
            views + events as hits
       from traffic_days
      where website_id = $1 and day between $2 and $3
      order by traffic_days.day`,
    [websiteId, from, to],
  )
}

/** The fields at the beginning of a row, in the order of `parseBlock`. The position of the first column and the columns follow. */
const blockFields = 'day, version::integer, visitors, visits, hits, events'

/** A block whose columns are rows of their own. */
export interface RawBlockColumns {
  day: string
  /** Bytes for `parseBlock`. */
  rows: Uint8Array[]
}

/**
 * Like `readBlocks`, with a row for each column. pg collects each row in a buffer that it doubles and copies as the row grows. That
 * and the garbage collection took as long as the rest of reading.
 */
export async function readBlocksByColumn(
  q: TransactionQueries,
  websiteId: number,
  days: readonly string[],
  columns: readonly BlockColumn[],
): Promise<RawBlockColumns[]> {
  // The first row of each block has no column, so that a block without any of the columns has a row, too.
  const values = ['(-1, null::bytea)', ...columns.map((name, position) => `(${position}, b.${name})`)]
  const rows = await q.copyRows(
    `select ${blockFields}, c.position, c.bytes
       from traffic_blocks b cross join lateral (values ${values.join(', ')}) c (position, bytes)
      where b.website_id = ${numberSql(websiteId)} and b.day in (${days.map(daySql).join(', ')})
        and (c.position = -1 or c.bytes is not null)
      order by b.day, b.part, c.position`,
  )
  const blocks: RawBlockColumns[] = []
  for (const row of rows) {
    const [day, , , , , , position] = readFields(row)
    if (decodeInt4(position as Uint8Array) === -1) blocks.push({ day: decodeDate(day as Uint8Array), rows: [] })
    blocks.at(-1)?.rows.push(row)
  }
  return blocks
}

export interface RawBlock {
  day: string
  /** Bytes for `parseBlock`. */
  row: Uint8Array
}

/** Reads the blocks of some days, in the order of day and part. */
export async function readBlocks(
  q: TransactionQueries,
  websiteId: number,
  days: readonly string[],
  columns: readonly BlockColumn[],
): Promise<RawBlock[]> {
  const rows = await q.copyRows(
    `select ${[blockFields, 0, ...columns].join(', ')}
       from traffic_blocks
      where website_id = ${numberSql(websiteId)} and day in (${days.map(daySql).join(', ')})
      order by day, part`,
  )
  return rows.map((row) => ({ day: decodeDate(readFields(row)[0] as Uint8Array), row }))
}

/** The visitors of a part. */
export interface PartRange {
  part: number
  /** Visitors from this id on belong to the part, whether it has them yet or not. null for the first part, which has no lower limit. */
  fromVisitor: number | null
  /** Visitors from this id on belong to the next part. null for the last part, which has no upper limit. */
  toVisitor: number | null
  /** Whether visitors of this range have rows. */
  hasRows: boolean
}

/**
 * Lists the parts of a day that have visitors, in the order of their visitors. If there are none, lists the last part, so that every
 * day with blocks has a part for new visitors.
 */
export async function listVisitorRanges(q: Queries, { websiteId, day }: WebsiteDay): Promise<PartRange[]> {
  return q.query<PartRange & Record<string, unknown>>(
    `select part, from_visitor as "fromVisitor", to_visitor as "toVisitor",
            exists (
              select from visits
               where website_id = $1 and day = $2
                 -- The smallest and the largest bigint: PostgreSQL can look up both limits in the primary key.
                 and visitor >= coalesce(from_visitor, -9223372036854775808)
                 and visitor <= coalesce(to_visitor - 1, 9223372036854775807)
            ) as "hasRows"
       from (select part,
                    case when lag(part) over by_part is not null then first_visitor end as from_visitor,
                    lead(first_visitor) over by_part as to_visitor
               from traffic_blocks
              where website_id = $1 and day = $2
                and (visitors > 0 or part = (select max(part) from traffic_blocks where website_id = $1 and day = $2))
             window by_part as (order by part)) p
      order by part`,
    [websiteId, day],
  )
}

/** What is known about a block without decoding it. */
export interface BlockSpan extends BlockKey {
  /** A rough measure of the memory that the events take. Events with long properties count several times. */
  weight: number
  /** The times of the first and the last event, in milliseconds since 1970. */
  firstEventAt: number
  lastEventAt: number
}

/** Lists the blocks of some days that have events, in the order of day and part. */
export async function listBlockSpans(
  q: Queries,
  { websiteId, from, to }: { websiteId: number; from: string; to: string },
): Promise<BlockSpan[]> {
  return q.query<BlockSpan & Record<string, unknown>>(
    `select website_id as "websiteId", day::text as day, part,
            events + (coalesce(octet_length(props), 0) + coalesce(octet_length(orphans), 0)) / 64 as weight,
            (extract(epoch from first_event_at) * 1000)::bigint as "firstEventAt",
            (extract(epoch from last_event_at) * 1000)::bigint as "lastEventAt"
       from traffic_blocks
      where website_id = $1 and day between $2 and $3 and first_event_at is not null
      order by traffic_blocks.day, part`,
    [websiteId, from, to],
  )
}

/** Lists all parts of a day, including those without visitors. */
export async function listPartNumbers(q: Queries, { websiteId, day }: WebsiteDay): Promise<number[]> {
  const rows = await q.query<{ part: number }>(
    'select part from traffic_blocks where website_id = $1 and day = $2 order by part',
    [websiteId, day],
  )
  return rows.map(({ part }) => part)
}

export interface BlockKey extends WebsiteDay {
  part: number
}

/** Reads a block with all columns, as bytes for `parseBlock`. */
export async function readBlock(q: TransactionQueries, key: BlockKey): Promise<Uint8Array | undefined> {
  const [row] = await q.copyRows(buildBlockSelect(key))
  return row
}

/** Selects a block with all columns. It names the schema, because `belfry doctor` uses a connection without a search path. */
export function buildBlockSelect({ websiteId, day, part }: BlockKey): string {
  return `select ${blockFields}, 0, ${blockColumns.join(', ')}
       from belfry.traffic_blocks
      where website_id = ${numberSql(websiteId)} and day = ${daySql(day)} and part = ${numberSql(part)}`
}

export async function deleteParts(q: Queries, { websiteId, day }: WebsiteDay, parts: readonly number[]): Promise<void> {
  await q.query('delete from traffic_blocks where website_id = $1 and day = $2 and part = any ($3)', [
    websiteId,
    day,
    parts,
  ])
}

/**
 * Gives the parts of a day their final numbers. Parts whose number is -1 - n get the number n; those with other numbers keep them unless
 * `changes` has a new one.
 */
export async function renumberParts(
  q: Queries,
  { websiteId, day }: WebsiteDay,
  changes: readonly { part: number; newPart: number }[],
): Promise<void> {
  // Two steps, because two parts must never have the same number.
  await q.batch(
    {
      text: `update traffic_blocks b
                set part = -1 - c.new_part
               from unnest($3::integer[], $4::integer[]) as c (part, new_part)
              where b.website_id = $1 and b.day = $2 and b.part = c.part`,
      values: [websiteId, day, changes.map(({ part }) => part), changes.map(({ newPart }) => newPart)],
    },
    {
      text: 'update traffic_blocks set part = -1 - part where website_id = $1 and day = $2 and part < 0',
      values: [websiteId, day],
    },
  )
}

export interface NewBlock {
  part: number
  version: number
  visitors: number
  visits: number
  hits: number
  events: number
  firstVisitor: number
  firstStartedAt: Date | null
  lastStartedAt: Date | null
  firstEventAt: Date | null
  lastEventAt: Date | null
  columns: Partial<Record<BlockColumn, Uint8Array | null>>
}

const FIRST_COLUMN_PARAMETER = 14
const columnParameters = blockColumns.map((_, index) => `$${FIRST_COLUMN_PARAMETER + index}`).join(', ')

export async function insertBlock(q: Queries, { websiteId, day }: WebsiteDay, block: NewBlock): Promise<void> {
  await q.query(
    `insert into traffic_blocks (website_id, day, part, version, visitors, visits, hits, events, first_visitor,
                                 first_started_at, last_started_at, first_event_at, last_event_at, ${blockColumns.join(', ')})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, ${columnParameters})`,
    [
      websiteId,
      day,
      block.part,
      block.version,
      block.visitors,
      block.visits,
      block.hits,
      block.events,
      block.firstVisitor,
      block.firstStartedAt,
      block.lastStartedAt,
      block.firstEventAt,
      block.lastEventAt,
      ...blockColumns.map((name) => {
        const column = block.columns[name]
        return column == null ? null : Buffer.from(column.buffer, column.byteOffset, column.byteLength)
      }),
    ],
  )
}
