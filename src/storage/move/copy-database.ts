/** Copies a snapshot of one database into another, in one transaction of the target: completely or not at all. */
import pg, { type ClientBase } from 'pg'
import { StartupError } from '../../lib/startup-error.ts'
import type { DatabaseRoles } from '../access.ts'
import { readSequences } from '../backup/catalogue.ts'
import { countLines, type OnProgress } from '../backup/dump.ts'
import { beginWithAllTablesLocked } from '../backup/exclusive-lock.ts'
import type { TableShape } from '../backup/format.ts'
import { copyIn, replaceTables, setSequences } from '../backup/replace-tables.ts'
import { copySettings, type Snapshot } from '../backup/snapshot.ts'
import { isConnectionLoss } from '../connection-loss.ts'
import { explainMoveError, throwAsSourceError } from './failures.ts'
import { requireSameRows, requireSequencesAhead } from './verify.ts'

export interface CopiedTable {
  name: string
  rows: number
  /** Size of the rows in PostgreSQL's COPY format. */
  bytes: number
}

export interface CopyDatabaseOptions {
  source: ClientBase
  target: ClientBase
  snapshot: Snapshot
  roles: DatabaseRoles
  onTable(name: string): void
  onProgress: OnProgress
  /** Called when all rows are copied and PostgreSQL checks the foreign keys. */
  onCopied(): void
  /** Called when another session holds a lock in the target. */
  onWait(): void
}

/**
 * Leaves the target's transaction open for `commitMove`. Both connections must be dedicated, without pg's `query_timeout`, which
 * would end the copy.
 */
export async function copyDatabase(options: CopyDatabaseOptions): Promise<CopiedTable[]> {
  const { source, target, snapshot, roles } = options
  const copiedTables: CopiedTable[] = []
  const fill = async () => {
    for (const table of snapshot.tables) {
      options.onTable(table.name)
      copiedTables.push(await copyTable(table, options))
      await requireSameRows(source, target, table)
    }
    await setSequences(target, await readSequences(source, 'move').catch(throwAsSourceError))
    await requireSequencesAhead(target)
    options.onCopied()
  }
  const explainMismatch = (tableName: string) =>
    new StartupError(
      `The source's table ${tableName} doesn't match schema version ${snapshot.schema} of this version of Belfry.`,
      'If somebody added tables or columns to the schema `belfry` of the source, remove them. Nothing was changed.',
    )
  try {
    await beginWithAllTablesLocked(target, options.onWait)
    await target.query(copySettings)
    await replaceTables(target, { shape: snapshot, purpose: 'move', roles, fill, explainMismatch })
    // Without statistics, PostgreSQL would plan the server's first queries badly.
    for (const { name } of snapshot.tables) await target.query(`analyze belfry.${pg.escapeIdentifier(name)}`)
    return copiedTables
  } catch (error) {
    await target.query('rollback').catch(() => {})
    throw explainMoveError(error)
  }
}

async function copyTable(
  table: TableShape,
  { snapshot, target, onProgress }: CopyDatabaseOptions,
): Promise<CopiedTable> {
  const copiedTable: CopiedTable = { name: table.name, rows: 0, bytes: 0 }
  async function* readRows(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of snapshot.copyOut(table)) {
        const rows = countLines(chunk)
        copiedTable.rows += rows
        copiedTable.bytes += chunk.length
        onProgress(rows, chunk.length)
        yield chunk
      }
    } catch (error) {
      throwAsSourceError(error as Error)
    }
  }
  await copyIn(target, table, readRows())
  return copiedTable
}

export async function commitMove(target: ClientBase): Promise<void> {
  try {
    const { command } = await target.query('commit')
    // COMMIT of a failed transaction is not an error: PostgreSQL rolls back and answers ROLLBACK.
    if (command !== 'COMMIT') throw new Error(`the target answered ${command} to the commit`)
  } catch (error) {
    if (!isConnectionLoss(error)) throw error
    throw new StartupError(
      'The connection to the target was lost during the final commit. Either everything was moved, or nothing.',
      'Run the move again: it says whether the target already contains everything. The source was not changed.',
      { cause: error },
    )
  }
}
