/** The pages as they are now, and one PostgreSQL for the whole run, with a migrated database that every test file gets a copy of. */
import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { isWebStale } from '../../scripts/build-web.ts'
import { createLog } from '../../src/lib/log.ts'
import { type DatabaseAddress, startEmbedded } from '../../src/storage/embedded/embedded.ts'
import { migrate } from '../../src/storage/migrations.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    template: DatabaseAddress
  }
}

const root = join(import.meta.dirname, '..', '..')

/** Nothing here outlives the run, so nothing needs to reach the disk. */
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' }

/** Nobody tests pages that they have changed since. */
async function buildPages(): Promise<void> {
  if (!(await isWebStale())) return
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'build-web.ts')], { stdio: 'inherit' })
  // Whoever works on something else while the pages are in pieces can go on.
  if (status !== 0 && process.env['CI'] === 'true') throw new Error('the web application could not be built')
}

export default async function setup(project: TestProject) {
  await buildPages()
  const folder = await mkdtemp(join(tmpdir(), 'belfry-test-'))
  // As root, PostgreSQL runs as another user, who has to pass through.
  await chmod(folder, 0o711)
  const database = await startEmbedded({
    dataDir: join(folder, 'data'),
    log: createLog('warn', process.stderr),
    settings,
  })
  const tearDown = async () => {
    await database.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await withOwnerConnection(database.address, migrate)
  } catch (error) {
    await tearDown()
    throw error
  }
  project.provide('template', database.address)
  return tearDown
}
