/** Builds the pages and starts one PostgreSQL for the whole run, with a migrated database that tests copy. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { isWebStale } from '../../packaging/stale-builds.ts'
import { createLog } from '../../src/lib/log.ts'
import { type DatabaseAddress, startEmbedded } from '../../src/storage/embedded/embedded.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { migrateDatabase } from '../../src/storage/migrations.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { copyFolder, NEW_CLUSTER } from './data-folder.ts'
import { startInstalledPostgres } from './installed-postgres.ts'
import { createRunFolders, removeDeadRuns, removeRunFolders } from './run-folders.ts'

declare module 'vitest' {
  interface ProvidedContext {
    template: DatabaseAddress
    /** The folder is deleted when the run ends. PostgreSQL can enter it. */
    runFolder: string
  }
}

const root = join(import.meta.dirname, '..', '..')

const settings = {
  // The data does not outlive the run, so it need not survive a crash.
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Creating tables writes their pages to the WAL, and compressing them takes a fifteenth of PostgreSQL's processor time.
  wal_compression: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // Databases live for seconds, and autovacuum would visit each of them.
  autovacuum: 'off',
  max_connections: '300',
  // Shared memory is in files of the data folder, which are deleted with it. PostgreSQL leaves POSIX shared memory
  // behind if it is killed.
  dynamic_shared_memory_type: 'mmap',
}

/** Browser tests must not run on pages that are older than their source. */
async function buildPages(): Promise<void> {
  if (!(await isWebStale())) return
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'build-web.ts')], { stdio: 'inherit' })
  // Outside CI, a failed build only prints its errors, because tests without pages are still useful.
  if (status !== 0 && process.env['CI'] === 'true') throw new Error('the web application could not be built')
}

/** BELFRY_TEST_POSTGRES=<folder with PostgreSQL's programs> starts that server with its default settings instead of the embedded one. */
function startPostgres(folder: string): Promise<{ address: DatabaseAddress; stop(): Promise<void> }> {
  const binFolder = process.env['BELFRY_TEST_POSTGRES']
  if (binFolder !== undefined) return startInstalledPostgres(binFolder, folder)
  const dataDir = join(folder, 'data')
  const log = createLog('warn', process.stderr)
  log.info = (_details: unknown, message?: unknown) => {
    // PostgreSQL has not started yet, so its files can be copied.
    if (message === 'created a new database') copyFolder(layoutOf(dataDir).cluster, join(folder, NEW_CLUSTER))
  }
  return startEmbedded({ dataDir, log, settings })
}

export default async function setup(project: TestProject) {
  await buildPages()
  const removedFolders = await removeDeadRuns()
  for (const folder of removedFolders)
    process.stdout.write(`Removed ${folder}, which a killed test run had left behind.\n`)
  const folders = createRunFolders()
  // Workers and everything they start inherit TMPDIR, so a later run can tell which processes belong to this run.
  const { TMPDIR: originalFolder } = process.env
  process.env['TMPDIR'] = folders.temporary
  const database = await startPostgres(folders.database)
  const tearDown = async () => {
    await database.stop()
    if (originalFolder === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = originalFolder
    await removeRunFolders(folders)
  }
  try {
    await withOwnerConnection(database.address, migrateDatabase)
  } catch (error) {
    await tearDown()
    throw error
  }
  project.provide('template', database.address)
  project.provide('runFolder', folders.database)
  return tearDown
}
