/** An embedded database is backed up before it is migrated, and can be rolled back to that backup. */
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { verifyContents } from '../../src/storage/backup/contents.ts'
import { backupFolderOf } from '../../src/upgrade/backup-folder.ts'
import { backupOfSchema } from '../support/old-schema.ts'
import { readBackup } from '../support/read-backup.ts'
import { belfry, createTempFolder, startServerInProcess } from './support.ts'
import { createPreviousSchema, listBackups, newestSchema, previousSchema } from './upgrade-support.ts'

describe('an embedded database of the previous schema version', () => {
  const folder = createTempFolder()
  afterAll(() => folder.remove())

  const readContents = (path: string) => verifyContents(readBackup(path), () => {})

  it('is backed up before a migration, rolled back, and upgraded again by a restore', async () => {
    const env = await createPreviousSchema(folder.data('upgraded'))
    writeFileSync(join(env.BELFRY_DATA, 'belfry.version'), '0.0.9\n')
    const migration = await belfry('migrate', { env })
    expect(migration).toMatchObject({ code: 0 })
    const [name = ''] = listBackups(env)
    expect(name).toMatch(new RegExp(`^before-${previousSchema}-to-${newestSchema}-\\d{8}T\\d{6}Z\\.gz$`))
    const path = join(backupFolderOf(env.BELFRY_DATA), name)
    expect(migration.stderr).toMatch(/^Backed up the database before migrating it: \S+\.gz \([\d.]+ kB\)\.\n$/)
    expect(migration.stderr).toContain(path)
    const originalContents = await readContents(backupOfSchema(previousSchema))
    const contents = await readContents(path)
    expect(contents.header).toMatchObject({ schema: previousSchema, tables: originalContents.header.tables })
    expect(contents.rowCounts).toEqual(originalContents.rowCounts)
    const stats = [statSync(path), statSync(backupFolderOf(env.BELFRY_DATA))]
    expect(stats.map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o700])
    const owner = statSync(env.BELFRY_DATA).uid
    expect(stats.map(({ uid }) => uid)).toEqual([owner, owner])

    const unconfirmedResult = await belfry('rollback', { env })
    expect(unconfirmedResult.code).toBe(2)
    expect(unconfirmedResult.stderr).toMatch(/^events {8}605 {2}605$/m)
    expect(unconfirmedResult.stderr).toContain(
      `Everything that was stored after that time is lost. Add --yes to confirm.`,
    )

    const rollback = await belfry('rollback --yes', { env })
    expect(rollback).toMatchObject({ code: 0 })
    expect(rollback.stderr).toMatch(/^events {8}605 {2}605$/m)
    expect(rollback.stdout).toMatch(
      new RegExp(`^Rolled back to the backup of \\S+Z, schema version ${previousSchema}\\.$`, 'm'),
    )
    expect(rollback.stdout).toMatch(
      /^Now install Belfry 0\.0\.9, .*`npm install -g belfry@0\.0\.9`, or the Debian package or image of that version\.$/m,
    )
    expect(rollback.stdout).toMatch(
      /would migrate the database again when it starts\. So would commands such as `.*user list`\.$/m,
    )
    const undoFile = /restore (\S+\.gz)` with this version/.exec(rollback.stdout)?.[1] ?? ''
    expect((await readContents(undoFile)).header.schema).toBe(newestSchema)
    expect(statSync(undoFile).uid).toBe(owner)

    const repeatedResult = await belfry('rollback --yes', { env })
    expect(repeatedResult).toMatchObject({ code: 0 })
    expect(repeatedResult.stdout).toContain(
      `The database has schema version ${previousSchema}: the last upgrade has been`,
    )
    expect(repeatedResult.stdout).toContain('Now install Belfry 0.0.9,')
    expect(listBackups(env)).toHaveLength(2)
    expect((await belfry('rollback --list', { env })).stdout.trim().split('\n')).toHaveLength(3)

    expect(await belfry(['restore', undoFile, '--yes'], { env })).toMatchObject({ code: 0 })
    const check = await belfry('upgrade --check --offline', { env })
    expect(check).toMatchObject({ code: 0, stderr: '' })
    expect(check.stdout).toContain(
      `The database has schema version ${newestSchema}, the same as this program: nothing to migrate.`,
    )
    expect(check.stdout).toContain(`The newest automatic backup is ${undoFile}`)

    const sameSchema = await belfry(['rollback', undoFile, '--yes'], { env })
    expect(sameSchema.stdout).toMatch(/^Start Belfry \S+: it uses the schema version of the backup\.$/m)
    expect(sameSchema.stdout).not.toContain('Now install')
  })

  it('is not migrated if the backup fails, unless the setting turns backups off', async () => {
    const env = await createPreviousSchema(folder.data('no-backup'))
    writeFileSync(backupFolderOf(env.BELFRY_DATA), 'a file')
    const refusedResult = await belfry('migrate', { env })
    expect(refusedResult.code).toBe(1)
    expect(refusedResult.stderr).toMatch(
      /^The database was not migrated, because the backup before the migration failed: The folder of automatic backups can't be read: ENOTDIR: .*\. Nothing was changed\.$/m,
    )
    expect(refusedResult.stderr).toContain('or set BELFRY_UPGRADE_BACKUP=off to migrate without a backup.')
    const migration = await belfry('migrate', { env: { ...env, BELFRY_UPGRADE_BACKUP: 'off' } })
    expect(migration).toMatchObject({ code: 0, stdout: expect.stringContaining('Applied 00') })
    expect(migration.stderr).toContain('without an automatic backup: BELFRY_UPGRADE_BACKUP is off.')
  })

  it('is backed up by a server that starts, and not rolled back while it runs', async () => {
    const env = await createPreviousSchema(folder.data('served'))
    const check = await belfry('upgrade --check --offline', { env })
    expect(check.code).toBe(0)
    expect(check.stdout).toContain(`schema version ${previousSchema}, this program has ${newestSchema}.`)
    expect(check.stdout).toContain(`Nodes with schema version ${previousSchema} or later keep running.`)
    expect(check.stdout).toMatch(/The automatic backup may need \S+ MB, and the disk of \S+ has \S+ \S+ free\.$/m)
    const server = await startServerInProcess(env)
    try {
      expect(listBackups(env)).toHaveLength(1)
      const refusedResult = await belfry('rollback --yes', { env })
      expect(refusedResult.code).toBe(1)
      expect(refusedResult.stderr).toMatch(/^A server is using the data folder\.\nStop all servers first\./)
      const check = await belfry('upgrade --check --offline --json', { env })
      expect(JSON.parse(check.stdout).database.nodes).toEqual([{ schema: newestSchema, count: 1 }])
    } finally {
      await server.stop()
    }
  })
})

describe('a missing embedded database', () => {
  it('has nothing to roll back, and is not created', async () => {
    const folder = createTempFolder()
    try {
      const env = { BELFRY_DATA: folder.data('new') }
      const checkResult = await belfry('upgrade --check --offline', { env })
      expect(checkResult).toMatchObject({ code: 0, stdout: expect.stringContaining('There is no database yet.') })
      const refusedResult = await belfry('rollback --yes', { env })
      expect(refusedResult).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^There is no automatic backup in/),
      })
      expect(existsSync(env.BELFRY_DATA)).toBe(false)
    } finally {
      await folder.remove()
    }
  })
})
