/** Commands use the embedded database without a server or while a server is running, and restore it in another folder. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/app/server.ts'
import { secretPath } from '../../src/lib/secret.ts'
import { verifyContents } from '../../src/storage/backup/contents.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { findProcessesIn } from '../../src/storage/embedded/processes.ts'
import { backupFolderOf } from '../../src/upgrade/backup-folder.ts'
import { parseSessionCookie } from '../support/client.ts'
import { createDataFolder, createMigratedDataFolder } from '../support/data-folder.ts'
import { readBackup } from '../support/read-backup.ts'
import {
  belfry,
  belfryProcess,
  call,
  canRunAtTerminal,
  copyDataFolder,
  createTempFolder,
  getSuperuserConnection,
  listDiagnoses,
  readAllRows,
  runAtTerminal,
  startServerInProcess,
  startServerProcess,
  type TempFolder,
} from './support.ts'

const createKeyCommand = 'key create --user ada@example.com --scopes all --name'

describe('an embedded database', () => {
  let folder: TempFolder
  /** A data folder that a server has used, with a user and a key. Tests work on copies of it. */
  let originalFolder: string
  let password: string
  let key: string
  /** A backup of that folder, from before its last key was created. */
  let backupFile: string
  let rowsInBackup: Record<string, unknown[]>
  /** The id of that last key. The previous id belonged to a key that was revoked before the backup, so no row of the backup has it. */
  let lastKeyId: number
  const stopServers: (() => Promise<void>)[] = []

  beforeAll(async () => {
    folder = createTempFolder()
    originalFolder = folder.data('original')
    backupFile = join(folder.path, 'original.gz')
    await createMigratedDataFolder(originalFolder)
    const env = { BELFRY_DATA: originalFolder }
    const server = await startServerInProcess(env)
    const createResult = await belfry('user create ada@example.com', { env })
    expect(createResult).toMatchObject({ code: 0, stderr: '' })
    password = /^Password: (\S+)$/m.exec(createResult.stdout)?.[1] ?? ''
    const { code, stdout } = await belfry(`${createKeyCommand} first`, { env })
    expect(code).toBe(0)
    key = stdout.trim()
    const { stderr } = await belfry(`${createKeyCommand} revoked`, { env })
    const revokedId = Number(/Created key (\d+)/.exec(stderr)?.[1])
    expect((await belfry(`key revoke ${revokedId}`, { env })).code).toBe(0)
    expect((await belfry(['backup', backupFile], { env })).code).toBe(0)
    rowsInBackup = await readAllRows(getSuperuserConnection(originalFolder))
    lastKeyId = await createKey(server)
    expect(lastKeyId).toBe(revokedId + 1)
    await server.stop()
  })
  afterEach(async () => {
    await Promise.all(stopServers.splice(0).map((stop) => stop()))
  })
  afterAll(() => folder.remove())

  function copyOriginal(name: string): { BELFRY_DATA: string } {
    const data = folder.data(name)
    copyDataFolder(originalFolder, data)
    return { BELFRY_DATA: data }
  }

  async function startServer(env: { BELFRY_DATA: string }): Promise<RunningServer> {
    const server = await startServerInProcess(env)
    stopServers.push(server.stop)
    return server
  }

  /** Creates a key with the API. Returns its id. */
  async function createKey({ address }: RunningServer): Promise<number> {
    const response = await call(address, '/api/keys', { key, json: { name: 'next', scopes: ['monitors:read'] } })
    return response.body.data.id
  }

  it('is created and migrated without a server, and without a backup', async () => {
    const env = { BELFRY_DATA: folder.data('new') }
    const firstResult = await belfry('migrate', { env })
    expect(firstResult).toMatchObject({ code: 0, stderr: '' })
    expect(firstResult.stdout).toMatch(/^Applied 0001_accounts\.sql\.$/m)
    expect(existsSync(backupFolderOf(env.BELFRY_DATA))).toBe(false)
    const secondResult = await belfry('migrate', { env })
    expect(secondResult.stdout).toMatch(/^The database is up to date \(schema version \d+\)\.\n$/)
  })

  it('can be used by every command without a server', async () => {
    const env = copyOriginal('stopped')
    expect((await belfry('user list', { env })).stdout).toContain('ada@example.com')
    expect((await belfry('key list', { env })).stdout).toContain('first')
    const doctorResult = await belfry('doctor', { env })
    expect(doctorResult.stdout).toContain('✓ Server: not running. The database was started for this check.')
    expect(doctorResult).toMatchObject({ code: 0, stderr: '' })
    const backupResult = await belfryProcess('backup', { env, cwd: folder.path })
    expect(backupResult.code).toBe(0)
    const [, name = '', rowCount] = /(belfry-backup-\d{8}T\d{6}Z\.gz): (\d+) rows, /.exec(backupResult.stderr) ?? []
    const { rowCounts } = await verifyContents(readBackup(join(folder.path, name)), () => {})
    expect(rowCounts).toMatchObject({ users: 1, api_keys: 2 })
    expect(Number(rowCount)).toBe(Object.values(rowCounts).reduce((sum, count) => sum + count))
  })

  it('can be used by every command while a server is running', async () => {
    const env = copyOriginal('running')
    const server = await startServerProcess(env)
    stopServers.push(server.stop)
    expect(server.setupPath).toBeUndefined()
    expect((await call(server.url, '/api/keys', { key })).status).toBe(200)

    const createResult = await belfry(`${createKeyCommand} second`, { env })
    const secondKey = createResult.stdout.trim()
    expect((await call(server.url, '/api/keys', { key: secondKey })).status).toBe(200)
    const id = /Created key (\d+)/.exec(createResult.stderr)?.[1]
    expect((await belfry(`key revoke ${id}`, { env })).code).toBe(0)
    expect((await call(server.url, '/api/keys', { key: secondKey })).status).toBe(401)

    expect((await belfry('migrate', { env })).stdout).toContain('up to date')
    const doctorResult = await belfry('doctor', { env })
    expect(doctorResult.stdout).toContain('✓ Server: running with this data folder.')
    expect(listDiagnoses(doctorResult.stdout).filter((line) => !line.startsWith('✓'))).toEqual([''])
    expect(doctorResult.code).toBe(0)

    const file = join(folder.path, 'running.gz')
    const backupResult = await belfry(['backup', file], { env })
    expect(backupResult.code).toBe(0)
    expect(backupResult.stderr).toContain('The backup includes the secret of this server')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('is restored in another folder with the same rows, secret and sequences', async () => {
    const env = { BELFRY_DATA: folder.data('other') }
    await createDataFolder(env.BELFRY_DATA)
    const restoreResult = await belfry(['restore', backupFile], { env })
    expect(restoreResult).toMatchObject({ code: 0 })
    expect(restoreResult.stdout).toContain('Restored the backup of ')
    expect(readFileSync(secretPath(env.BELFRY_DATA), 'utf8')).toBe(readFileSync(secretPath(originalFolder), 'utf8'))
    expect(statSync(secretPath(env.BELFRY_DATA)).mode & 0o777).toBe(0o600)

    const server = await startServer(env)
    // The rollups differ, because the two servers roll up checks at different times.
    const { rollups: _, ...rows } = rowsInBackup
    expect(await readAllRows(getSuperuserConnection(env.BELFRY_DATA))).toMatchObject(rows)
    expect(server.setupPath).toBeUndefined()
    const signInResponse = await call(server.address, '/api/session', { json: { email: 'ada@example.com', password } })
    expect(signInResponse.status).toBe(200)
    const cookie = parseSessionCookie({ ...signInResponse, text: '' }) ?? ''
    expect((await call(server.address, '/api/users', { cookie })).body.data).toHaveLength(1)
    // The revoked key had the highest id, which must not be assigned again.
    expect(await createKey(server)).toBe(lastKeyId)
  })

  it('is not replaced while a server with another secret is running', async () => {
    const env = { BELFRY_DATA: folder.data('stranger') }
    await createMigratedDataFolder(env.BELFRY_DATA)
    const server = await startServer(env)
    const rowsBefore = await readAllRows(getSuperuserConnection(env.BELFRY_DATA))
    const refusedResult = await belfry(['restore', backupFile, '--yes'], { env })
    expect(refusedResult.code).toBe(1)
    expect(refusedResult.stderr).toContain('A server is using this database with a different secret')
    expect(await readAllRows(getSuperuserConnection(env.BELFRY_DATA))).toEqual(rowsBefore)

    await server.stop()
    const ownSecret = readFileSync(secretPath(env.BELFRY_DATA), 'utf8')
    const restoreResult = await belfry(['restore', backupFile, '--yes'], { env })
    expect(restoreResult.code).toBe(0)
    expect(readFileSync(secretPath(env.BELFRY_DATA), 'utf8')).toBe(readFileSync(secretPath(originalFolder), 'utf8'))
    const previousSecretFile = /the previous one is in (\S+)\.$/m.exec(restoreResult.stderr)?.[1] ?? ''
    expect(readFileSync(previousSecretFile, 'utf8')).toBe(ownSecret)
  })

  it.skipIf(!canRunAtTerminal)('is stopped again when a command is interrupted', async () => {
    const env = copyOriginal('interrupted')
    const { code, screen } = await runAtTerminal('user delete ada@example.com', {
      env,
      answers: [['to confirm:', '\x03']],
    })
    expect(code).toBe(130)
    expect(screen).not.toContain('Deleted')
    expect(await findProcessesIn(layoutOf(env.BELFRY_DATA).cluster)).toEqual([])
    expect((await belfry('user list', { env })).stdout).toContain('ada@example.com')
  })
})
