/** The whole way on the database that comes along: without a server, beside one, and into another folder. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { secretPath } from '../../src/lib/secret.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { findProcessesIn } from '../../src/storage/embedded/processes.ts'
import { cookieOf } from '../support/client.ts'
import {
  atTerminal,
  belfry,
  call,
  type Folder,
  hasTerminal,
  makeFolder,
  readAll,
  type ServerProcess,
  serve,
  superuserOf,
} from './support.ts'

const password = 'correct horse battery'
const createKey = 'key create --user ada@example.com --scopes all --name'

describe('an embedded database', () => {
  let folder: Folder
  let data: string
  let env: { BELFRY_DATA: string }
  let backup: string
  let key: string
  const servers: ServerProcess[] = []

  beforeAll(() => {
    folder = makeFolder()
    data = folder.data('data')
    env = { BELFRY_DATA: data }
    backup = join(folder.path, 'backup.gz')
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()))
    await folder.remove()
  })

  it('is made and brought up to date without a server', async () => {
    const first = await belfry('migrate', { env })
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(/^Applied 0001_accounts\.sql\.$/m)
    const second = await belfry('migrate', { env })
    expect(second.stdout).toMatch(/^The database is up to date: schema \d+\.\n$/)
  })

  it('takes every command without a server', async () => {
    const created = await belfry('user create ada@example.com --password-stdin', { env, input: password })
    expect(created.stderr).toBe('')
    expect(created.code).toBe(0)
    const made = await belfry(`${createKey} first`, { env })
    expect(made.code).toBe(0)
    key = made.stdout.trim()
    expect((await belfry('user list', { env })).stdout).toContain('ada@example.com')
    expect((await belfry('key list', { env })).stdout).toContain('first')
    const examined = await belfry('doctor', { env })
    expect(examined.stdout).toContain('✓ No server is running. The database was started for this check.')
    expect(examined).toMatchObject({ code: 0, stderr: '' })
    const saved = await belfry('backup', { env, cwd: folder.path })
    expect(saved.code).toBe(0)
    expect(saved.stderr).toMatch(/belfry-backup-\d{8}T\d{6}Z\.gz: 5 rows, /)
  })

  it('takes them beside a running server too', async () => {
    const server = await serve(env)
    servers.push(server)
    expect(server.setupPath).toBeUndefined()
    expect((await call(server.url, '/api/keys', { key })).status).toBe(200)

    const made = await belfry(`${createKey} second`, { env })
    const second = made.stdout.trim()
    expect((await call(server.url, '/api/keys', { key: second })).status).toBe(200)
    const id = /Made key (\d+)/.exec(made.stderr)?.[1]
    expect((await belfry(`key revoke ${id}`, { env })).code).toBe(0)
    expect((await call(server.url, '/api/keys', { key: second })).status).toBe(401)

    expect((await belfry('migrate', { env })).stdout).toContain('up to date')
    const examined = await belfry('doctor', { env })
    expect(examined.stdout).toContain('✓ A server is using the data folder.')
    expect(examined.stdout).not.toMatch(/^[!✗]/m)
    expect(examined.code).toBe(0)

    const saved = await belfry(['backup', backup], { env })
    expect(saved.code).toBe(0)
    expect(saved.stderr).toContain('The backup includes the secret of this server')
    expect(statSync(backup).mode & 0o777).toBe(0o600)
  })

  it('comes back in another folder with the same rows, secret and counting', async () => {
    const [original] = servers as [ServerProcess]
    const other = { BELFRY_DATA: folder.data('other') }
    const restored = await belfry(['restore', backup], { env: other })
    expect(restored).toMatchObject({ code: 0 })
    expect(restored.stdout).toContain('Restored the backup of ')
    expect(readFileSync(secretPath(other.BELFRY_DATA), 'utf8')).toBe(readFileSync(secretPath(data), 'utf8'))
    expect(statSync(secretPath(other.BELFRY_DATA)).mode & 0o777).toBe(0o600)

    const server = await serve(other)
    servers.push(server)
    // Both add checks up as time goes by, each in its own moment.
    const { rollups: _, ...rows } = await readAll(superuserOf(data))
    expect(await readAll(superuserOf(other.BELFRY_DATA))).toMatchObject(rows)
    expect(server.setupPath).toBeUndefined()
    const signedIn = await call(server.url, '/api/session', { json: { email: 'ada@example.com', password } })
    expect(signedIn.status).toBe(200)
    const cookie = cookieOf({ ...signedIn, text: '' }) ?? ''
    expect((await call(server.url, '/api/users', { cookie })).body.data).toHaveLength(1)

    // The revoked key had the highest id, and nobody gets it again.
    const next = { key, json: { name: 'next', scopes: ['monitors:read'] } }
    const ids = await Promise.all(
      [original, server].map(async ({ url }) => (await call(url, '/api/keys', next)).body.data.id),
    )
    expect(ids).toEqual([3, 3])
  })

  it('is not replaced under a server that has another secret in mind', async () => {
    const stranger = { BELFRY_DATA: folder.data('stranger') }
    const server = await serve(stranger)
    servers.push(server)
    const before = await readAll(superuserOf(stranger.BELFRY_DATA))
    const refused = await belfry(['restore', backup, '--yes'], { env: stranger })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('A server is using this database with a different secret')
    expect(await readAll(superuserOf(stranger.BELFRY_DATA))).toEqual(before)

    await server.stop()
    const own = readFileSync(secretPath(stranger.BELFRY_DATA), 'utf8')
    const restored = await belfry(['restore', backup, '--yes'], { env: stranger })
    expect(restored.code).toBe(0)
    expect(readFileSync(secretPath(stranger.BELFRY_DATA), 'utf8')).toBe(readFileSync(secretPath(data), 'utf8'))
    const kept = /the one before it is in (\S+)\.$/m.exec(restored.stderr)?.[1] ?? ''
    expect(readFileSync(kept, 'utf8')).toBe(own)
  })

  it.skipIf(!hasTerminal)('is stopped again when a command is interrupted', async () => {
    await Promise.all(servers.map((server) => server.stop()))
    const { code, shown } = await atTerminal('user delete ada@example.com', { env, answers: [['to confirm:', '\x03']] })
    expect(code).toBe(130)
    expect(shown).not.toContain('Deleted')
    expect(await findProcessesIn(layoutOf(data).cluster)).toEqual([])
    expect((await belfry('user list', { env })).stdout).toContain('ada@example.com')
  })
})
