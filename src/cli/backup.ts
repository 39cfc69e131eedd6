import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { systemClock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { findSecretFile, Secret } from '../lib/secret.ts'
import { readVersion } from '../lib/version.ts'
import { withDump } from '../storage/backup/dump.ts'
import { withOwnerConnection } from '../storage/open-database.ts'
import { type Command, type Invocation, UsageError } from './command.ts'
import { Progress } from './progress.ts'
import { writeWhole } from './target-file.ts'
import { withPlace } from './with-database.ts'

/** 1 % larger than the default level, 20 % sooner: the other core belongs to the server. */
const LEVEL = 4
/** Fewer, larger pieces: each costs a round trip to another thread. */
const PIECE_BYTES = 256 * 1024

function defaultName(now: Date): string {
  return `belfry-backup-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.gz`
}

interface Included {
  secret: string | undefined
  remark: string
}

/** Only the secret that the rows go with; this machine's may be another where the database is elsewhere. */
async function secretFor({ config, options }: Invocation, fingerprint: string | null): Promise<Included> {
  const without = (remark: string) => ({ secret: undefined, remark })
  if (options['without-secret']) return without('It does not hold the secret: keep that too, or it cannot be used.')
  if (config.secret !== undefined) {
    return without('It does not hold BELFRY_SECRET: keep that too, or it cannot be used.')
  }
  const secret = await findSecretFile(config.dataDir)
  if (secret === undefined && fingerprint === null) return without('There is no secret yet.')
  if (secret === undefined || (fingerprint !== null && new Secret(secret).fingerprint !== fingerprint)) {
    return without('This data folder does not have the secret of this database: keep that too, or it cannot be used.')
  }
  return { secret, remark: 'It holds the secret of this server: keep it where nobody else can read it.' }
}

function pack(text: AsyncIterable<Buffer>, to: Writable): Promise<void> {
  return pipeline(text, createGzip({ level: LEVEL, chunkSize: PIECE_BYTES }), to)
}

/** Whoever reads our output may stop early, as `head` does. */
async function packToOutput(text: AsyncIterable<Buffer>): Promise<void> {
  try {
    await pack(text, process.stdout)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
    throw new Problem('conflict', 'Whoever read the backup has stopped before its end.')
  }
}

export const backup: Command = {
  name: 'backup',
  summary: 'save everything in one file, while the server runs',
  usage: 'backup [file] [--force] [--without-secret]',
  details: [
    '  The file is named belfry-backup-<time>.gz unless a name is given; - is standard output. --force replaces a file',
    '  that is there. It holds the secret of the data folder, without which stored secrets cannot be read;',
    '  --without-secret leaves it out. It is text: zcat shows it.',
  ].join('\n'),
  options: { force: { type: 'boolean' }, 'without-secret': { type: 'boolean' } },
  takes: 1,
  async run(invocation) {
    const now = systemClock.now()
    const name = invocation.positionals[0] ?? defaultName(now)
    if (name === '-' && process.stdout.isTTY) throw new UsageError('A terminal cannot show it. Send it into a file.')
    const belfry = await readVersion()
    const path = resolve(name)
    const progress = new Progress(invocation.note, 'Saving')
    const included = await withPlace(invocation, (place) =>
      withOwnerConnection({ ...place.connection, keepAlive: true }, (client) =>
        withDump(client, { belfry, now }, async (dump) => {
          const included = await secretFor(invocation, dump.header.secret_fingerprint)
          const text = dump.text({ secret: included.secret, onProgress: progress.add })
          if (name === '-') await packToOutput(text)
          else await writeWhole({ path, force: invocation.options['force'] === true }, (to) => pack(text, to))
          return included
        }),
      ),
    )
    progress.end(name === '-' ? 'Saved everything' : `Saved ${path}`)
    invocation.note(included.remark)
    return 0
  },
}
