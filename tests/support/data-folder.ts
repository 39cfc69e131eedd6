/** Creates data folders of PostgreSQL by copying one, because initdb takes a second of processor time. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { createLog } from '../../src/lib/log.ts'
import { startEmbedded } from '../../src/storage/embedded/embedded.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { migrateDatabase } from '../../src/storage/migrations.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { tryCreateFolder } from './try-create-folder.ts'

/**
 * The name of the folder, in the folder of the run, with a copy of the cluster that initdb has created and nothing has started yet. It is
 * missing if the run uses an installed PostgreSQL.
 */
export const NEW_CLUSTER = 'initdb'

/** Copies a folder, for example a data folder whose database is stopped. Unlike fs.cp, this keeps the owner of the files. */
export function copyFolder(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The folder ${from} could not be copied: ${stderr}`)
}

/** A data folder that is being created need not survive a crash. */
const settings = { fsync: 'off', full_page_writes: 'off', wal_compression: 'off' }

/** Creates a data folder with the state after the first start: the role and the database exist, but no tables. */
export function createDataFolder(path: string): Promise<void> {
  return copyOriginal('new-data', path, async (dataDir) => {
    const log = createLog('warn', process.stderr)
    const newCluster = join(inject('runFolder'), NEW_CLUSTER)
    if (existsSync(newCluster)) {
      mkdirSync(dataDir, { mode: 0o711 })
      copyFolder(newCluster, layoutOf(dataDir).cluster)
    }
    const database = await startEmbedded({ dataDir, log, settings })
    try {
      await turnCompressionOff({ ...database.address, user: 'postgres' })
    } finally {
      await database.stop()
    }
  })
}

/** Compressing the WAL takes an eighth of PostgreSQL's processor time. This setting of the database also applies to commands and servers. */
async function turnCompressionOff(superuser: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...superuser, ssl: false })
  await client.connect()
  try {
    await client.query(`alter database belfry set wal_compression to 'off'`)
  } finally {
    await client.end()
  }
}

/** Creates a data folder whose database has all tables, and no rows. */
export function createMigratedDataFolder(path: string): Promise<void> {
  return copyOriginal('migrated-data', path, async (dataDir) => {
    await createDataFolder(dataDir)
    const log = createLog('warn', process.stderr)
    const database = await startEmbedded({ dataDir, log, settings })
    try {
      await withOwnerConnection(database.address, migrateDatabase)
    } finally {
      await database.stop()
    }
  })
}

/** The limit is long, because the machine may be busy. */
const MAX_CREATION_MS = 100_000

const originals = new Map<string, Promise<string>>()

/** Copies the folder `name`, which all workers of this run share, to `path`. The first worker that needs it calls `create`. */
export async function copyOriginal(name: string, path: string, create: (path: string) => Promise<void>): Promise<void> {
  const original = originals.get(name) ?? provideOriginal(name, create)
  originals.set(name, original)
  copyFolder(await original, path)
}

async function provideOriginal(name: string, create: (path: string) => Promise<void>): Promise<string> {
  const path = join(inject('runFolder'), name)
  const folder = `${path}.new`
  for (const deadline = performance.now() + MAX_CREATION_MS; !existsSync(path); await delay(50)) {
    if (performance.now() > deadline) throw new Error(`${path} was not created in time`)
    // Only one worker can create this folder. The others wait for it, because creating the original takes seconds.
    if (!tryCreateFolder(folder)) continue
    try {
      chmodSync(folder, 0o711)
      // Another worker may have created the original just before.
      if (existsSync(path)) break
      await create(join(folder, name))
      renameSync(join(folder, name), path)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return path
}
