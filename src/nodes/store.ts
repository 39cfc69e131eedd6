/** SQL of processes that take work. Times are PostgreSQL's own, so that no two clocks have to agree. */
import { randomInt } from 'node:crypto'
import type { Queries } from '../storage/client.ts'

/** Whoever is not seen for so long is dead, and others take over its work. */
const DEAD_AFTER = `interval '6 seconds'`

export async function insertNode(q: Queries): Promise<number> {
  const id = randomInt(1, 2 ** 48 - 1)
  await q.query('insert into nodes (id, seen_at) values ($1, now())', [id])
  return id
}

/** false: it was taken for dead. */
export async function renewNode(q: Queries, id: number): Promise<boolean> {
  const [renewed] = await q.flight(
    { text: 'update nodes set seen_at = now() where id = $1', values: [id] },
    { text: `delete from nodes where seen_at < now() - ${DEAD_AFTER}` },
  )
  return renewed?.count === 1
}

export async function deleteNode(q: Queries, id: number): Promise<void> {
  await q.query('delete from nodes where id = $1', [id])
}

/** Of a column that names a node: what it stands in is nobody's any more. The row of a dead node may still be there. */
export const isAbandoned = (column: string) =>
  `not exists (select from nodes n where n.id = ${column} and n.seen_at >= now() - ${DEAD_AFTER})`
