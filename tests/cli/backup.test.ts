import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Person, startTestServer, TEST_SECRET, type TestServer } from '../support/server.ts'
import { belfry, type Env, type Folder, makeFolder, outcomeOf, query, readAll, start, urlOf } from './support.ts'

/** Generous: the machine may be busy with other suites. */
const PATIENCE = { timeout: 20_000, interval: 5 }

/** The same backup with its text changed, and a checksum that is right again. */
function rewrite(file: Buffer, change: (text: string) => string): Buffer {
  const lines = change(gunzipSync(file).toString()).split('\n').slice(0, -2)
  const body = `${lines.join('\n')}\n`
  const trailer = JSON.parse(gunzipSync(file).toString().split('\n').at(-2) ?? '')
  trailer.sha256 = createHash('sha256').update(body).digest('hex')
  return gzipSync(`${body}${JSON.stringify(trailer)}\n`)
}

describe('backup and restore beside a running server', () => {
  let server: TestServer
  let ada: Person
  let folder: Folder
  let env: Env
  let file: string
  /** Another database to restore into. */
  let target: TestDatabase
  let targetEnv: Env

  beforeAll(async () => {
    server = await startTestServer()
    ada = await server.person('ada', { isAdmin: true })
    folder = makeFolder()
    target = await createTestDatabase({ empty: true })
    // Its secret comes from the environment, so the file holds none.
    const common = { BELFRY_SECRET: TEST_SECRET, BELFRY_DATA: folder.data('data') }
    env = { ...common, DATABASE_URL: urlOf(server.database.connection) }
    targetEnv = { ...common, DATABASE_URL: urlOf(target.connection) }
    file = join(folder.path, 'backup.gz')
  })
  afterAll(async () => {
    await server.close()
    await target.drop()
    await folder.remove()
  })

  const restore = (path: string, ...words: string[]) => belfry(['restore', path, ...words], { env: targetEnv })
  const write = (name: string, bytes: Buffer) => {
    writeFileSync(join(folder.path, name), bytes)
    return join(folder.path, name)
  }

  it('save one moment while somebody goes on writing', async () => {
    const client = await ada.withKey()
    let isWriting = true
    const made: number[] = []
    // Each key is made by the one before it: a backup without a maker of a key in it could not be restored.
    const writing = (async () => {
      for (let by = client; isWriting; ) {
        const { body } = await by.post('/api/keys', { name: 'tab\t, line\n, \\. and “”', scopes: ['monitors:read'] })
        made.push(body.data.id)
        by = Object.assign(server.anyone.as({ key: body.data.key }), { keyId: body.data.id })
      }
    })()
    await vi.waitUntil(() => made.length > 0, PATIENCE)
    const saved = await belfry(['backup', file], { env })
    const atItsEnd = made.length
    await vi.waitUntil(() => made.length > atItsEnd, PATIENCE)
    isWriting = false
    await writing
    expect(saved.code).toBe(0)
    expect(saved.stderr).toContain("The backup doesn't include BELFRY_SECRET")

    const restored = await restore(file)
    expect(restored.code).toBe(0)
    const there = await query(target.connection, 'select id, created_by_key, name from api_keys order by id')
    expect(there.length).toBeGreaterThan(1)
    expect(there.length).toBeLessThan(made.length + 1)
    expect(there.map(({ id }) => Number(id))).toEqual([client.keyId, ...made].slice(0, there.length))
    expect(there.at(-1)?.['name']).toBe('tab\t, line\n, \\. and “”')
  })

  it('give the same rows again, whatever was there', async () => {
    expect((await belfry(['backup', file, '--force'], { env })).code).toBe(0)
    const unsure = await restore(file)
    expect(unsure.code).toBe(2)
    expect(unsure.stderr).toContain('Add --yes to confirm.')
    expect((await restore(file, '--yes')).code).toBe(0)
    expect(await readAll(target.connection)).toEqual(await readAll(server.database.connection))
    const [sequence] = await query(target.connection, `select nextval('api_keys_id_seq')::int as next`)
    const [highest] = await query(target.connection, 'select max(id)::int as id from api_keys')
    expect(sequence?.['next']).toBe(Number(highest?.['id']) + 1)
    const open = await query(
      target.connection,
      `select relname from pg_class where relnamespace = 'belfry'::regnamespace and relkind = 'r'
        and not relforcerowsecurity order by 1`,
    )
    expect(open.map(({ relname }) => relname)).toEqual([
      'event_inbox',
      'instance',
      'migrations',
      'nodes',
      'rate_counts',
      'removed_websites',
      'rollups',
      'visitor_salts',
    ])
    const keys = await query(target.connection, `select count(*)::int as n from pg_constraint where contype = 'f'`)
    expect(keys).toEqual(
      await query(server.database.connection, `select count(*)::int as n from pg_constraint where contype = 'f'`),
    )
  })

  it('are text that a person can read, with the secret only where it is wanted', async () => {
    const child = start(['backup', '-', '--without-secret'], { env })
    const [packed, { stderr }] = await Promise.all([buffer(child.stdout as Readable), outcomeOf(child)])
    expect(child.exitCode).toBe(0)
    expect(stderr).toContain("The backup doesn't include the secret")
    const lines = gunzipSync(packed).toString().split('\n')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ belfry_backup: 1, schema: expect.any(Number) })
    expect(lines).toContain('COPY users (id, email, password_hash, is_admin, created_at) FROM stdin;')
    expect(lines.join('\n')).not.toContain('rate_counts')
    expect(lines.join('\n')).not.toContain('"secret"')
  })

  it('never write over a file, and leave no half of one', async () => {
    const before = readFileSync(file)
    const taken = await belfry(['backup', file], { env })
    expect(taken.code).toBe(1)
    expect(taken.stderr).toContain('already exists. Choose another name, or add --force')
    expect(readFileSync(file)).toEqual(before)
    const nowhere = await belfry(['backup', join(folder.path, 'no', 'such', 'folder.gz')], { env })
    expect(nowhere.code).toBe(1)
    expect(nowhere.stderr).toContain('there is no such folder')
    expect(readdirSync(folder.path).filter((name) => name.includes('.part'))).toEqual([])
  })

  it('go on with the restored rows in the server that runs', async () => {
    const bob = await server.person('bob')
    const key = await ada.withKey()
    expect((await belfry(['backup', file, '--force'], { env })).code).toBe(0)
    const carol = await server.person('carol')
    expect((await carol.session.get('/api/session')).status).toBe(200)
    let isAsking = true
    const statuses = new Set<number>()
    const asking = (async () => {
      while (isAsking) statuses.add((await key.get('/api/keys')).status)
    })()
    const restored = await belfry(['restore', file, '--yes'], { env })
    isAsking = false
    await asking
    expect(restored).toMatchObject({ code: 0 })
    expect([...statuses]).toEqual([200])
    expect((await bob.session.get('/api/session')).status).toBe(200)
    // Nobody gets her session's number, by which the server still remembers her.
    await server.person('dave')
    expect((await carol.session.get('/api/session')).status).toBe(401)
    const { body } = await key.post('/api/keys', { name: 'after', scopes: ['monitors:read'] })
    expect((await server.anyone.as({ key: body.data.key }).get('/api/keys')).status).toBe(200)
  })

  it('change nothing when the file is not whole', async () => {
    const whole = readFileSync(file)
    const before = await readAll(target.connection)
    const flipped = Buffer.from(whole)
    flipped.writeUInt8(flipped.readUInt8(whole.length >> 1) ^ 0xff, whole.length >> 1)
    const text = gunzipSync(whole).toString()
    const damages: [name: string, bytes: Buffer, complaint: string][] = [
      ['truncated', whole.subarray(0, whole.length - 100), 'it ends too early'],
      ['flipped', flipped, 'The backup is damaged'],
      ['shorter', gzipSync(text.slice(0, text.length >> 1)), 'it ends too early'],
      ['changed', gzipSync(text.replace('ada@example.com', 'eve@example.com')), 'its checksum does not match'],
      ['longer', gzipSync(`${text}more\n`), 'something follows its last line'],
      ['foreign', Buffer.from('hello'), 'is not a Belfry backup'],
      ['packed', gzipSync('hello\n'), 'is not a Belfry backup'],
    ]
    await Promise.all(
      damages.map(async ([name, bytes, complaint]) => {
        const { code, stderr } = await restore(write(`${name}.gz`, bytes), '--yes')
        expect(stderr).toContain(complaint)
        expect(code).toBe(1)
      }),
    )
    const missing = await restore(join(folder.path, 'missing.gz'))
    expect(missing.stderr).toContain('there is no such file')
    expect(await readAll(target.connection)).toEqual(before)
  })

  it('change nothing when PostgreSQL refuses the rows in the middle', async () => {
    const before = await readAll(target.connection)
    const orphaned = rewrite(readFileSync(file), (text) => text.replaceAll(/^(\d+)\t1\t/gm, '$1\t4711\t'))
    const { code, stderr } = await restore(write('orphaned.gz', orphaned), '--yes')
    expect(stderr).toMatch(/^The rows contradict each other: .*foreign key/m)
    expect(stderr).not.toContain('    at ')
    expect(code).toBe(1)
    expect(await readAll(target.connection)).toEqual(before)
  })

  it('refuse what a newer Belfry has made', async () => {
    const newer = rewrite(readFileSync(file), (text) => text.replace(/"schema":\d+/, '"schema":9999'))
    const { code, stderr } = await restore(write('newer.gz', newer), '--yes')
    expect(code).toBe(1)
    expect(stderr).toContain('A newer version of Belfry created this backup: its schema version is 9999')
  })

  it('refuse to change the secret under servers elsewhere', async () => {
    const node = new pg.Client({ ...target.connection, application_name: 'belfry' })
    await node.connect()
    await query(target.connection, `update instance set secret_fingerprint = 'of another'`)
    const refused = await restore(file, '--yes')
    await node.end()
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('Stop all servers on this database')
    expect((await restore(file, '--yes')).code).toBe(0)
  })

  it('refuse to take the database from its owner', async () => {
    const DATABASE_URL = urlOf({ ...target.connection, user: 'postgres' })
    const { code, stderr } = await belfry(['restore', file, '--yes'], { env: { ...targetEnv, DATABASE_URL } })
    expect(code).toBe(1)
    expect(stderr).toContain('The database belongs to another login, belfry.')
  })

  it('refuse to part rows from their secret', async () => {
    const before = await readAll(target.connection)
    const other = { ...targetEnv, BELFRY_SECRET: 'another secret that is long enough' }
    const set = await belfry(['restore', file, '--yes'], { env: other })
    expect(set.code).toBe(1)
    expect(set.stderr).toContain('BELFRY_SECRET is not the secret that this backup was created with.')
    const { BELFRY_SECRET: _, ...without } = targetEnv
    const unset = await belfry(['restore', file, '--yes'], { env: without })
    expect(unset.code).toBe(1)
    expect(unset.stderr).toContain("The backup doesn't include the secret")
    expect(await readAll(target.connection)).toEqual(before)
  })
})
