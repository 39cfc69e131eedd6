/** Upgrades and rollbacks of an embedded database are killed, or find too little disk space. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, statfsSync, watch } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createLog } from '../../src/lib/log.ts'
import { verifyContents } from '../../src/storage/backup/contents.ts'
import { startEmbedded } from '../../src/storage/embedded/embedded.ts'
import { backupFolderOf } from '../../src/upgrade/backup-folder.ts'
import { belfry, createTempFolder, startCommand, waitForResult } from '../cli/support.ts'
import {
  createPreviousSchema,
  createUpgradeEnv,
  listBackups,
  newestSchema,
  previousSchema,
} from '../cli/upgrade-support.ts'
import { copyOriginal } from '../support/data-folder.ts'
import { mountUntilTestEnds, queryEmbedded, startForTest } from '../support/embedded.ts'
import { readBackup } from '../support/read-backup.ts'

/** Each row has 32 kB that hardly compress, so that the backup takes long enough to be killed. */
const BULK_ROWS = 200
const BULK_SQL = `insert into belfry.event_inbox (size, websites, events, fault)
  select 0, '{}', (select string_agg(md5(n || ' ' || k), '') from generate_series(1, 1000) k), 'test'
    from generate_series(1, ${BULK_ROWS}) n`

const expectedCounts = { users: 1, events: 605, event_inbox: BULK_ROWS, monitors: 4 }

describe('an embedded database of the previous schema version', () => {
  const folder = createTempFolder()
  afterAll(() => folder.remove())

  async function createWithBulk(name: string) {
    const env = createUpgradeEnv(folder.data(name))
    await copyOriginal('previous-schema-with-bulk', env.BELFRY_DATA, async (dataDir) => {
      await createPreviousSchema(dataDir)
      const database = await startEmbedded({
        dataDir,
        log: createLog('warn', process.stderr),
        settings: { fsync: 'off' },
      })
      await queryEmbedded(dataDir, BULK_SQL)
      await database.stop()
    })
    return env
  }

  /**
   * Runs the command and kills it as soon as a file with a matching name appears in the backup folder. Returns its exit code, or null
   * if it was killed.
   */
  async function killWhenFileAppears(args: string[], env: { BELFRY_DATA: string }, pattern: RegExp) {
    mkdirSync(backupFolderOf(env.BELFRY_DATA), { recursive: true })
    const child = startCommand(args, { env })
    const watcher = watch(backupFolderOf(env.BELFRY_DATA), (_event, name) => {
      if (name !== null && pattern.test(name)) child.kill('SIGKILL')
    })
    try {
      return (await waitForResult(child)).code
    } finally {
      watcher.close()
    }
  }

  /** Expects all rows and this schema version in the database. */
  async function expectAllRows(env: { BELFRY_DATA: string }, schema: number): Promise<void> {
    const database = await startForTest(env.BELFRY_DATA)
    const counts = Object.keys(expectedCounts).map((table) => `(select count(*)::int from ${table}) as ${table}`)
    const sql = `set search_path = belfry; select (select max(version) from migrations) as schema, ${counts.join()}`
    expect(await queryEmbedded(env.BELFRY_DATA, sql, 'postgres')).toEqual([{ schema, ...expectedCounts }])
    await database.stop()
  }

  async function expectRowsInBackup(file: string, schema: number): Promise<void> {
    const { header, rowCounts } = await verifyContents(readBackup(file), () => {})
    expect(header.schema).toBe(schema)
    expect(rowCounts).toMatchObject(expectedCounts)
  }

  it('is upgraded by the next start after kills during the backup and the migration, with one backup', async () => {
    const env = await createWithBulk('killed')
    expect(await killWhenFileAppears(['migrate'], env, /\.part$/)).toBeNull()
    expect(listBackups(env)).toEqual([expect.stringMatching(/^\..*\.part$/)])
    // The backup is complete now, so this kill interrupts the migration, or comes just after it.
    expect([null, 0]).toContain(await killWhenFileAppears(['migrate'], env, /^before-.*\.gz$/))
    expect(await belfry('migrate', { env })).toMatchObject({ code: 0 })
    const backups = listBackups(env)
    expect(backups).toEqual([expect.stringMatching(/^before-.*\.gz$/)])
    await expectRowsInBackup(join(backupFolderOf(env.BELFRY_DATA), backups[0] ?? ''), previousSchema)

    // A killed rollback changes nothing, so the database has all rows of the upgrade, and the next rollback works.
    expect(await killWhenFileAppears(['rollback', '--yes'], env, /^before-\d+-to-\d+-.*\.gz$/)).toBeNull()
    expect(listBackups(env)).toHaveLength(2)
    await expectAllRows(env, newestSchema)
    expect(await belfry('rollback --yes', { env })).toMatchObject({ code: 0 })
    await expectAllRows(env, previousSchema)
  }, 120_000)

  it('stops the backup when the server is stopped, and leaves nothing behind', async () => {
    const env = await createWithBulk('stopped')
    mkdirSync(backupFolderOf(env.BELFRY_DATA))
    const child = startCommand(['serve'], { env: { ...env, BELFRY_ROLES: 'web' } })
    const watcher = watch(backupFolderOf(env.BELFRY_DATA), () => child.kill('SIGTERM'))
    const { code, stdout } = await waitForResult(child)
    watcher.close()
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining('Belfry is running') })
    expect(listBackups(env)).toEqual([])
    await expectAllRows(env, previousSchema)
  })

  it('is not migrated if the disk has too little space for the backup', async (context) => {
    const folderOnSmallDisk = join(folder.path, 'small-disk')
    mkdirSync(folderOnSmallDisk)
    if (!mountUntilTestEnds(folderOnSmallDisk, '-t', 'tmpfs', '-o', 'size=150m,mode=711', 'tmpfs')) {
      context.skip('mounting is forbidden here')
    }
    const env = await createPreviousSchema(folder.data('small-disk/data'))
    // Fill the disk until only 50 MB are free, which is enough for PostgreSQL but not for the backup.
    const { bavail, bsize } = statfsSync(env.BELFRY_DATA)
    spawnSync('fallocate', ['-l', String(bavail * bsize - 50e6), join(folderOnSmallDisk, 'full')])
    const checkResult = await belfry('upgrade --check --offline', { env })
    expect(checkResult.code).toBe(1)
    expect(checkResult.stdout).toMatch(
      /^✗ The automatic backup may need [\d.]+ MB, and the disk of \S+ has [\d.]+ MB free\. Free some space\.$/m,
    )
    const refusedResult = await belfry('migrate', { env })
    expect(refusedResult.code).toBe(1)
    expect(refusedResult.stderr).toMatch(
      /^The database was not migrated\. The automatic backup may need [\d.]+ MB, and the disk of \S+ has [\d.]+ MB free\. Nothing was changed\.$/m,
    )
    const migration = await belfry('migrate', { env: { ...env, BELFRY_UPGRADE_BACKUP: 'off' } })
    expect(migration).toMatchObject({ code: 0, stdout: expect.stringContaining('Applied 00') })
  })
})
