import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ClientBase } from 'pg'
import { readVersion } from '../config/config.ts'
import { systemClock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { findStoredSecret, Secret } from '../lib/secret.ts'
import { recordBackup } from '../server-settings/command-store.ts'
import { withDump } from '../storage/backup/dump.ts'
import { createBackupGzip } from '../storage/backup/gzip.ts'
import { withOwnerConnection } from '../storage/open-database.ts'
import { type Command, type Invocation, UsageError } from './common/command.ts'
import { openAndSwitchToOwner } from './common/open-files.ts'
import { Progress } from './common/progress.ts'
import { OpenTargetFile } from './common/target-file.ts'
import { withDatabaseSource } from './common/with-database.ts'

function defaultFileName(now: Date): string {
  return `belfry-backup-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.gz`
}

interface SecretChoice {
  secret: string | undefined
  remark: string
}

/** Includes the data folder's secret only if this database uses it. A remote database may use the secret of another machine. */
async function chooseIncludedSecret(
  { config, options }: Invocation,
  fingerprint: string | null,
): Promise<SecretChoice> {
  const omitSecret = (remark: string) => ({ secret: undefined, remark })
  if (options['without-secret'])
    return omitSecret("The backup doesn't include the secret. Keep the secret too: you need both to restore.")
  if (config.secret !== undefined) {
    return omitSecret("The backup doesn't include BELFRY_SECRET. Keep that too: you need both to restore.")
  }
  const secret = await findStoredSecret(config.dataDir)
  if (secret === undefined && fingerprint === null) return omitSecret('This server has no secret yet.')
  if (secret === undefined || (fingerprint !== null && new Secret(secret).fingerprint !== fingerprint)) {
    return omitSecret(
      "The backup doesn't include the secret, because it is not in this data folder. Keep the secret too: you need both to restore.",
    )
  }
  return {
    secret,
    remark: 'The backup includes the secret of this server. Keep the backup where nobody else can read it.',
  }
}

function compress(text: AsyncIterable<Buffer>, to: Writable): Promise<void> {
  return pipeline(text, createBackupGzip(), to)
}

/** Explains the EPIPE error that occurs if the program that reads our output exits early, as `head` does. */
async function compressToStdout(text: AsyncIterable<Buffer>): Promise<void> {
  try {
    await compress(text, process.stdout)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
    throw new Problem('conflict', 'The program reading the backup stopped before the end.')
  }
}

/** Without `target`, the backup goes to standard output. */
async function backUp(
  invocation: Invocation,
  { target, now, progress }: { target: OpenTargetFile | undefined; now: Date; progress: Progress },
): Promise<SecretChoice> {
  const belfryVersion = await readVersion()
  return withDatabaseSource(invocation, (source) =>
    withOwnerConnection(
      source.connection,
      (client) =>
        withDump(client, { belfryVersion, now }, async (dump) => {
          const secretChoice = await chooseIncludedSecret(invocation, dump.header.secret_fingerprint)
          const text = dump.text({ secret: secretChoice.secret, onProgress: progress.add })
          if (target === undefined) await compressToStdout(text)
          else await target.write((to) => compress(text, to))
          return secretChoice
        }).then(async (secretChoice) => {
          await recordBackupIfPossible(client, now)
          return secretChoice
        }),
      // A backup only reads, so it can use a standby.
      { acceptsReadOnly: true },
    ),
  )
}

/** Lets the pages say when the last backup was made. The backup is complete even if this fails, for example on a standby. */
async function recordBackupIfPossible(client: ClientBase, now: Date): Promise<void> {
  try {
    // Ends the transaction of the dump, which only reads.
    await client.query('commit')
    await recordBackup(client, now)
  } catch {}
}

export const backup: Command = {
  name: 'backup',
  summary: 'back up everything to one file; works while the server runs',
  usage: 'backup [file] [--force] [--without-secret]',
  details: [
    '  The default file name is belfry-backup-<time>.gz; - writes to standard output. --force overwrites an existing',
    '  file. The backup includes the secret of the data folder, which is needed to decrypt stored credentials;',
    '  --without-secret leaves it out. The format is text: view it with zcat.',
  ].join('\n'),
  options: { force: { type: 'boolean' }, 'without-secret': { type: 'boolean' } },
  maxArguments: 1,
  switchesToOwner: 'later',
  async run(invocation) {
    const now = systemClock.now()
    const name = invocation.positionals[0] ?? defaultFileName(now)
    if (name === '-' && process.stdout.isTTY)
      throw new UsageError("A backup can't be written to a terminal. Redirect it to a file.")
    const path = resolve(name)
    const force = invocation.options['force'] === true
    const target = await openAndSwitchToOwner(invocation, name === '-' ? [] : [path], async (losesRights) =>
      name === '-' ? undefined : OpenTargetFile.open({ path, force }, losesRights),
    )
    const progress = new Progress(invocation.note, 'Backing up')
    try {
      const secretChoice = await backUp(invocation, { target, now, progress })
      progress.end(name === '-' ? 'Backup complete' : `Saved ${path}`)
      invocation.note(secretChoice.remark)
    } finally {
      await target?.close()
    }
    return 0
  },
}
