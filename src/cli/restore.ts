import { resolve } from 'node:path'
import type pg from 'pg'
import { formatCount } from '../lib/numbers.ts'
import { StartupError } from '../lib/startup-error.ts'
import { ensureRequestRole } from '../storage/access.ts'
import { type BackupContents, verifyContents } from '../storage/backup/contents.ts'
import { type CurrentDatabase, readCurrentDatabase } from '../storage/backup/current-database.ts'
import { analyzeTables, commitLoad, loadContents, UnknownCommitError } from '../storage/backup/load.ts'
import { readMigrations } from '../storage/migrations.ts'
import { type DatabaseSource, requireSupportedServer, withOwnerConnection } from '../storage/open-database.ts'
import { type Command, type Invocation, UsageError } from './command.ts'
import { confirm } from './confirm.ts'
import { onInterrupt, withoutInterrupts } from './interrupts.ts'
import { Progress } from './progress.ts'
import { readBackup, requireFile } from './read-backup.ts'
import { planSecret, type SecretSwap } from './secret-swap.ts'
import { withPlace } from './with-database.ts'

async function verify(path: string, { note }: Invocation): Promise<BackupContents> {
  const progress = new Progress(note, 'Checking')
  const contents = await verifyContents(readBackup(path), progress.add)
  progress.end('The backup is whole')
  const newest = (await readMigrations()).migrations.at(-1)?.version ?? 0
  if (contents.header.schema <= newest) return contents
  throw new StartupError(
    `The backup was made by a newer Belfry: its schema is ${contents.header.schema}, this one knows ${newest}.`,
    `Restore it with Belfry ${contents.header.belfry} or newer. Nothing was changed.`,
  )
}

/** What a login makes is its own; the server's would be locked out of it. */
function requireOwner({ foreignOwner }: CurrentDatabase): void {
  if (foreignOwner === null) return
  throw new StartupError(
    `The database belongs to the login ${foreignOwner}, and this is another one.`,
    'Restore with the DATABASE_URL that the server has. Nothing was changed.',
  )
}

/** A server keeps its secret in memory, so it would go on with one that the restored rows do not go with. */
function requireSecretOfRunning(place: DatabaseSource, present: CurrentDatabase, { header }: BackupContents): void {
  const isRunning = place.kind === 'running' || (place.kind === 'remote' && present.sessions > 0)
  const isSame = header.secret_fingerprint === null || header.secret_fingerprint === present.fingerprint
  if (!isRunning || isSame || present.fingerprint === null) return
  throw new StartupError(
    'A server is running on this database with another secret than the backup’s.',
    'Stop every server on it, restore, and start them again. Nothing was changed.',
  )
}

async function load(
  client: pg.Client,
  { path, contents, swap }: { path: string; contents: BackupContents; swap: SecretSwap },
  { note }: Invocation,
): Promise<void> {
  const progress = new Progress(note, 'Restoring', contents.bytes)
  const rights = await ensureRequestRole(client)
  const forget = onInterrupt(() => swap.undo())
  let isWaiting = false
  try {
    await swap.prepare()
    await loadContents(client, {
      contents,
      rights,
      open: () => readBackup(path),
      onProgress: progress.add,
      onWait: () => {
        if (!isWaiting) note('Waiting for others to let go of the database …')
        isWaiting = true
      },
    })
    await withoutInterrupts(async () => {
      await commitLoad(client)
      forget()
      await swap.finish()
    })
  } catch (error) {
    if (!(error instanceof UnknownCommitError)) await swap.undo()
    throw error
  } finally {
    forget()
  }
  progress.end(`Restored ${path}`)
  await analyzeTables(client, contents.header.tables)
}

export const restore: Command = {
  name: 'restore',
  summary: 'replace everything by what a backup holds',
  usage: 'restore <file> [--yes]',
  details: [
    '  All or nothing: a damaged file or an interruption changes nothing. Works beside a running server, whose requests',
    '  wait meanwhile. Asks first where there are accounts already; --yes goes on without.',
  ].join('\n'),
  options: { yes: { type: 'boolean' } },
  takes: 1,
  async run(invocation) {
    const [name] = invocation.positionals
    if (name === undefined) throw new UsageError('Which backup? Give its file.')
    const path = resolve(name)
    await requireFile(path)
    const contents = await verify(path, invocation)
    const { created_at, belfry, secret_fingerprint: fingerprint } = contents.header
    const swap = await planSecret(invocation.config, { fingerprint, secret: contents.footer.secret })
    await withPlace(invocation, (place) =>
      withOwnerConnection({ ...place.connection, keepAlive: true }, async (client) => {
        await requireSupportedServer(client)
        const present = await readCurrentDatabase(client)
        requireOwner(present)
        requireSecretOfRunning(place, present, contents)
        if (present.users > 0) {
          const warning = `This replaces everything, with all accounts (${formatCount(present.users)}), by the backup of ${created_at}.`
          await confirm(invocation, { warning, word: 'restore' })
        }
        await load(client, { path, contents, swap }, invocation)
      }),
    )
    invocation.out(`Restored the backup of ${created_at}, made by Belfry ${belfry}.`)
    if (swap.remark) invocation.note(swap.remark)
    return 0
  },
}
