import { resolve } from 'node:path'
import { formatCount } from '../lib/format.ts'
import { StartupError } from '../lib/startup-error.ts'
import type { BackupContents } from '../storage/backup/contents.ts'
import { type CurrentDatabase, readCurrentDatabase } from '../storage/backup/current-database.ts'
import { type DatabaseSource, requireSupportedServer, withOwnerConnection } from '../storage/open-database.ts'
import { BackupFile } from './backup-file.ts'
import { type Command, type Invocation, UsageError } from './common/command.ts'
import { confirm } from './common/confirm.ts'
import { openAndSwitchToOwner } from './common/open-files.ts'
import { withDatabaseSource } from './common/with-database.ts'
import { loadBackup, requireOwnDatabase, verifyBackup } from './load-backup.ts'
import { planSecretSwap } from './secret-swap.ts'

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
  switchesToOwner: 'later',
  async run(invocation) {
    const [name] = invocation.positionals
    if (name === undefined) throw new UsageError('Missing argument: <file>')
    const path = resolve(name)
    const file = await openAndSwitchToOwner(invocation, [path], () => BackupFile.open(path))
    try {
      await restoreFile(invocation, file)
    } finally {
      await file.close()
    }
    return 0
  },
}

async function restoreFile(invocation: Invocation, file: BackupFile): Promise<void> {
  const contents = await verifyBackup(file, invocation)
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
      await loadBackup(client, { file, contents, swap }, invocation)
    }),
  )
  invocation.out(`Restored the backup of ${created_at}, created by Belfry ${belfry}.`)
  if (swap.remark) invocation.note(swap.remark)
}
