/** The disk space that traffic takes, by table. */
import type { Database } from '../../src/storage/database.ts'

type TableSizes = Record<string, number>

/** Bytes of the tables with their indexes and everything that PostgreSQL keeps apart. Partitions are added up. */
export async function readTableSizes(db: Database): Promise<TableSizes> {
  const rows = await db.query<{ name: string; bytes: number }>(
    `select regexp_replace(relname, '_([0-9]{6}|other)$', '') as name, sum(pg_total_relation_size(oid))::bigint as bytes
       from pg_class
      where relnamespace = 'belfry'::regnamespace and relkind = 'r' and relname ~ '^(events|visits|traffic)'
      group by 1`,
  )
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]))
}

interface DiskUse {
  before: TableSizes
  after: TableSizes
  eventCount: number
}

/** Prints what a million events take, and returns it in megabytes. */
export function printDisk(label: string, { before, after, eventCount }: DiskUse): number {
  const parts = Object.entries(after)
    .map(([name, bytes]) => ({ name, mb: (bytes - (before[name] ?? 0)) / eventCount }))
    .toSorted((one, other) => other.mb - one.mb)
  const total = parts.reduce((sum, { mb }) => sum + mb, 0)
  const texts = parts.filter(({ mb }) => mb >= 0.05).map(({ name, mb }) => `${name} ${mb.toFixed(1)}`)
  console.log(`  a million events take ${total.toFixed(1)} MB ${label}: ${texts.join(', ')}`)
  return total
}
