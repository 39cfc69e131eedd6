import { resolve } from 'node:path'
import type pg from 'pg'
import { formatCount } from '../lib/format.ts'
import { StartupError } from '../lib/startup-error.ts'
import { ensureRequestRole } from '../storage/access.ts'
import { type BackupContents, verifyContents } from '../storage/backup/contents.ts'
import { type CurrentDatabase, readCurrentDatabase } from '../storage/backup/current-database.ts'
import { commitLoad, loadContents, UnknownCommitError } from '../storage/backup/load.ts'
import { analyzeTables } from '../storage/backup/replace-tables.ts'
import { readSupportedVersion } from '../storage/migrations.ts'
import { type DatabaseSource, requireSupportedServer, withOwnerConnection } from '../storage/open-database.ts'
import { type Command, type Invocation, UsageError } from './command.ts'
import { confirm } from './confirm.ts'
import { onInterrupt, withoutInterrupts } from './interrupts.ts'
import { Progress } from './progress.ts'
import { readBackup, requireFile } from './read-backup.ts'
import { planSecretSwap, type SecretSwap } from './secret-swap.ts'
import { withDatabaseSource } from './with-database.ts'

async function verifyBackup(path: string, { note }: Invocation): Promise<BackupContents> {
  const progress = new Progress(note, 'Verifying')
  const contents = await verifyContents(readBackup(path), progress.add)
  progress.end('The backup is intact')
  const newestVersion = await readSupportedVersion()
  if (contents.header.schema <= newestVersion) return contents
  throw new StartupError(
    `A newer version of Belfry created this backup: its schema version is ${contents.header.schema}, this version supports up to ${newestVersion}.`,
    `Restore it with Belfry ${contents.header.belfry} or newer. Nothing was changed.`,
  )
}

/** Restored tables belong to the login that restores them. A server with another login would lose access to them. */
function requireOwnDatabase({ otherOwner }: CurrentDatabase): void {
  if (otherOwner === null) return
  throw new StartupError(
    `The database belongs to another login, ${otherOwner}.`,
    'Use the same DATABASE_URL as the server. Nothing was changed.',
  )
}

/** A running server keeps its secret in memory, so it couldn't decrypt rows restored from a backup with another secret. */
function requireSameSecretAsServer(
  source: DatabaseSource,
  currentDatabase: CurrentDatabase,
  { header }: BackupContents,
): void {
  const isRunning = source.kind === 'running' || (source.kind === 'remote' && currentDatabase.otherConnectionCount > 0)
  const isSameSecret =
    header.secret_fingerprint === null || header.secret_fingerprint === currentDatabase.secretFingerprint
  if (!isRunning || isSameSecret || currentDatabase.secretFingerprint === null) return
  throw new StartupError(
    'A server is using this database with a different secret than the backup.',
    'Stop all servers on this database, restore, and start them again. Nothing was changed.',
  )
}

async function loadBackup(
  client: pg.Client,
  { path, contents, swap }: { path: string; contents: BackupContents; swap: SecretSwap },
  { note }: Invocation,
): Promise<void> {
  const progress = new Progress(note, 'Restoring', contents.bytes)
  const roles = await ensureRequestRole(client)
  const removeCleanup = onInterrupt(() => swap.undo())
  let hasPrintedWaitNote = false
  try {
    await swap.prepare()
    await loadContents(client, {
      contents,
      roles,
      open: () => readBackup(path),
      onProgress: progress.add,
      onWait: () => {
        if (!hasPrintedWaitNote) note('Waiting for other connections to release the database…')
        hasPrintedWaitNote = true
      },
    })
    await withoutInterrupts(async () => {
      await commitLoad(client)
      removeCleanup()
      await swap.finish()
    })
  } catch (error) {
    if (!(error instanceof UnknownCommitError)) await swap.undo()
    throw error
  } finally {
    removeCleanup()
  }
  progress.end(`Restored ${path}`)
  await analyzeTables(client, contents.header.tables)
}

export const restore: Command = {
  name: 'restore',
  summary: 'replace all data with a backup',
  usage: 'restore <file> [--yes]',
  details: [
    '  All or nothing: a damaged file or an interruption changes nothing. Works while a server is running; its requests',
    '  wait until the restore is done. Asks for confirmation if there are accounts, unless you add --yes.',
  ].join('\n'),
  options: { yes: { type: 'boolean' } },
  maxArguments: 1,
  async run(invocation) {
    const [name] = invocation.positionals
    if (name === undefined) throw new UsageError('Missing argument: <file>')
    const path = resolve(name)
    await requireFile(path)
    const contents = await verifyBackup(path, invocation)
    const { created_at, belfry, secret_fingerprint: fingerprint } = contents.header
    const swap = await planSecretSwap(invocation.config, { fingerprint, secret: contents.extras.secret })
    await withDatabaseSource(invocation, (source) =>
      withOwnerConnection(source.connection, async (client) => {
        await requireSupportedServer(client)
        const currentDatabase = await readCurrentDatabase(client)
        requireOwnDatabase(currentDatabase)
        requireSameSecretAsServer(source, currentDatabase, contents)
        if (currentDatabase.userCount > 0) {
          const warning = `This replaces all data, including ${formatCount(currentDatabase.userCount)} account(s), with the backup of ${created_at}.`
          await confirm(invocation, { warning, word: 'restore' })
        }
        await loadBackup(client, { path, contents, swap }, invocation)
      }),
    )
    invocation.out(`Restored the backup of ${created_at}, created by Belfry ${belfry}.`)
    if (swap.remark) invocation.note(swap.remark)
    return 0
  },
}
