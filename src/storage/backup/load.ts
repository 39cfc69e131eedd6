/** Replaces the database with a backup, in one transaction: completely or not at all. */
import type { ClientBase } from 'pg'
import { StartupError } from '../../lib/startup-error.ts'
import type { DatabaseRoles } from '../access.ts'
import { isConnectionLoss } from '../connection-loss.ts'
import { readSequences } from './catalogue.ts'
import { type BackupContents, readContents } from './contents.ts'
import type { OnProgress } from './dump.ts'
import { beginWithAllTablesLocked } from './exclusive-lock.ts'
import { explainBackupError, explainRejectedRows } from './failures.ts'
import { damagedBackupError, type Sequence, type TableShape } from './format.ts'
import { copyIn, replaceTables, setSequences } from './replace-tables.ts'
import { copySettings } from './snapshot.ts'

export interface LoadOptions {
  /** The result of the verification that precedes a load. */
  contents: BackupContents
  roles: DatabaseRoles
  /** Leaves the tables in the backup's schema version, so that an earlier version of Belfry can continue with them. */
  keepsSchema?: boolean
  /** Opens the backup again from the start, because the verification has already read it once. */
  open(): AsyncIterable<Buffer>
  onProgress: OnProgress
  onWait(): void
}

/**
 * Loads the backup in a transaction that it leaves open for `commitLoad`. Requires a dedicated connection without pg's
 * `query_timeout`, which would end the copy.
 */
export async function loadContents(client: ClientBase, options: LoadOptions): Promise<void> {
  const { header, sha256 } = options.contents
  try {
    await beginWithAllTablesLocked(client, options.onWait)
    await client.query(copySettings)
    const previousSequences = await readSequences(client, 'backup')
    const consume = (table: TableShape, rows: AsyncIterable<Buffer>) => copyInOrExplain(client, table, rows)
    const fill = async () => {
      const { extras, sha256: loadedSha256 } = await readContents(options.open(), consume, options.onProgress)
      if (loadedSha256 !== sha256) throw damagedBackupError('it changed while Belfry was reading it')
      await setSequences(client, extras.sequences)
      await raiseSequences(client, previousSequences)
    }
    const explainMismatch = (tableName: string) =>
      new StartupError(
        `The backup's table ${tableName} doesn't match schema version ${header.schema} of this version of Belfry.`,
        `Restore it with version ${header.belfry}, which created it. Nothing was changed.`,
      )
    await replaceTables(client, { ...options, shape: header, purpose: 'backup', fill, explainMismatch })
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw explainBackupError(error)
  }
}

/**
 * Ensures that no id of the replaced database is used again, because a running server caches the ids of keys and
 * sessions for a minute.
 */
async function raiseSequences(client: ClientBase, previousSequences: readonly Sequence[]): Promise<void> {
  const restoredSequences = new Map(
    (await readSequences(client, 'backup')).map((sequence) => [sequence.name, sequence]),
  )
  const sequencesBehind = previousSequences.filter(({ name, value, called }) => {
    const restoredSequence = restoredSequences.get(name)
    return restoredSequence !== undefined && called && BigInt(value) >= BigInt(restoredSequence.value)
  })
  await setSequences(client, sequencesBehind)
}

/** The connection was lost during the commit, so its result is unknown. */
export class UnknownCommitError extends StartupError {}

export async function commitLoad(client: ClientBase): Promise<void> {
  try {
    await client.query('commit')
  } catch (error) {
    if (!isConnectionLoss(error)) throw error
    throw new UnknownCommitError(
      'The connection was lost during the final commit. Either everything was restored, or nothing.',
      'Run the restore again.',
      { cause: error },
    )
  }
}

async function copyInOrExplain(client: ClientBase, table: TableShape, rows: AsyncIterable<Buffer>): Promise<void> {
  try {
    await copyIn(client, table, rows)
  } catch (error) {
    throw explainRejectedRows(error, table.name)
  }
}
