/** SQL for the nodes table. It uses only PostgreSQL's clock, so the nodes' clocks may differ. */
import { randomInt } from 'node:crypto'
import type { Queries } from '../storage/client.ts'

/** A node without a heartbeat for this long has expired, and others may claim its work. */
const EXPIRES_AFTER = `interval '6 seconds'`

export async function insertNodes(q: Queries, count: number): Promise<number[]> {
  const ids = Array.from({ length: count }, () => randomInt(1, 2 ** 48 - 1))
  await q.query('insert into nodes (id, seen_at) select id, now() from unnest($1::bigint[]) id', [ids])
  return ids
}

/** Sends a heartbeat, and deletes expired nodes. Returns the ids that still existed; the others had expired. */
export async function renewNodes(q: Queries, ids: readonly number[]): Promise<number[]> {
  const [renewed] = await q.batch(
    { text: 'update nodes set seen_at = now() where id = any ($1) returning id', values: [ids] },
    { text: `delete from nodes where seen_at < now() - ${EXPIRES_AFTER}` },
  )
  return renewed?.rows.map(({ id }) => id) ?? []
}

export async function deleteNodes(q: Queries, ids: readonly number[]): Promise<void> {
  await q.query('delete from nodes where id = any ($1)', [ids])
}

/** SQL condition: the node whose id is in `column` has expired. Its row may not have been deleted yet. */
export const buildHasExpiredSql = (column: string) =>
  `not exists (select from nodes n where n.id = ${column} and n.seen_at >= now() - ${EXPIRES_AFTER})`
