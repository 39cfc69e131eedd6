/** Keeps the source of a move unchanged until the move ends. */
import type { ClientBase } from 'pg'
import { readTableNames } from '../backup/exclusive-lock.ts'

/**
 * Returns a statement that lets other sessions read, but not write. So no server can register itself as a node, and no command
 * can change rows that the move has copied already.
 */
export async function buildSourceLockSql(client: ClientBase): Promise<string | undefined> {
  const names = await readTableNames(client)
  return names.length === 0 ? undefined : `lock table ${names.join(', ')} in share mode`
}
