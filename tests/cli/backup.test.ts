import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestServer, TEST_SECRET, type TestServer, type TestUser } from '../support/server.ts'
import {
  belfry,
  createTempFolder,
  type Env,
  query,
  readAllRows,
  startCommand,
  type TempFolder,
  toConnectionUrl,
  waitForResult,
} from './support.ts'

/** The timeout is long, because the machine may be busy. */
const WAIT_OPTIONS = { timeout: 20_000, interval: 5 }

/** Changes the text of a backup and updates its checksum. */
function rewriteBackup(backup: Buffer, change: (text: string) => string): Buffer {
  const lines = change(gunzipSync(backup).toString()).split('\n').slice(0, -2)
  const body = `${lines.join('\n')}\n`
  const trailer = JSON.parse(gunzipSync(backup).toString().split('\n').at(-2) ?? '')
  trailer.sha256 = createHash('sha256').update(body).digest('hex')
  return gzipSync(`${body}${JSON.stringify(trailer)}\n`)
}

describe('backup and restore', () => {
  let server: TestServer
  let ada: TestUser
  let folder: TempFolder
  let env: Env
  /** The path of a backup of the server. */
  let backupPath: string
  /** A database into which this backup was restored. */
  let restoredDatabase: TestDatabase
  let restoredEnv: Env

  beforeAll(async () => {
    // On a busy machine, requests may wait for the locks of a restore longer than the default timeout allows.
    server = await startTestServer({ env: { BELFRY_DATABASE_TIMEOUT: '60' } })
    ada = await server.createUser('ada', { isAdmin: true })
    folder = createTempFolder()
    restoredDatabase = await createTestDatabase({ empty: true })
    env = createEnv(server.database)
    restoredEnv = createEnv(restoredDatabase)
    backupPath = join(folder.path, 'backup.gz')
    await ada.withKey()
    expect((await belfry(['backup', backupPath], { env })).code).toBe(0)
    expect((await belfry(['restore', backupPath], { env: restoredEnv })).code).toBe(0)
  })
  afterAll(async () => {
    await server.close()
    await restoredDatabase.drop()
    await folder.remove()
  })

  /** The secret comes from the environment, so backups don't include it. */
  const createEnv = ({ connection }: TestDatabase) => ({
    BELFRY_SECRET: TEST_SECRET,
    BELFRY_DATA: join(folder.path, 'data'),
    DATABASE_URL: toConnectionUrl(connection),
  })
  const restore = (path: string, ...options: string[]) => belfry(['restore', path, ...options], { env: restoredEnv })
  const writeBackup = (name: string, bytes: Buffer) => {
    writeFileSync(join(folder.path, name), bytes)
    return join(folder.path, name)
  }

  it('save a consistent snapshot while keys are being created', async () => {
    const emptyDatabase = await createTestDatabase({ empty: true })
    const path = join(folder.path, 'busy.gz')
    const busyUser = await server.createUser('busy')
    const client = await busyUser.withKey()
    let isCreatingKeys = true
    const keyIds: number[] = []
    // Each new key is created with the key before it, and its row refers to that key. A backup with only the newer of two
    // such keys could not be restored.
    const keyCreation = (async () => {
      for (let creator = client; isCreatingKeys; ) {
        const input = { name: 'tab\t, line\n, \\. and “”', scopes: ['monitors:read'] }
        const { body } = await creator.post('/api/keys', input)
        keyIds.push(body.data.id)
        creator = Object.assign(server.anyone.as({ key: body.data.key }), { keyId: body.data.id })
      }
    })()
    await vi.waitUntil(() => keyIds.length > 0, WAIT_OPTIONS)
    const countAtStart = keyIds.length
    const backupResult = await belfry(['backup', path], { env })
    const countAtEnd = keyIds.length
    expect(countAtEnd).toBeGreaterThan(countAtStart)
    await vi.waitUntil(() => keyIds.length > countAtEnd, WAIT_OPTIONS)
    isCreatingKeys = false
    await keyCreation
    expect(backupResult.code).toBe(0)
    expect(backupResult.stderr).toContain("The backup doesn't include BELFRY_SECRET")

    const restoreResult = await belfry(['restore', path], { env: createEnv(emptyDatabase) })
    expect(restoreResult.code).toBe(0)
    const rows = await query(
      emptyDatabase.connection,
      `select id, created_by_key, name from api_keys where user_id = ${busyUser.id} order by id`,
    )
    expect(rows.length).toBeGreaterThan(1)
    expect(rows.length).toBeLessThan(keyIds.length + 1)
    expect(rows.map(({ id }) => Number(id))).toEqual([client.keyId, ...keyIds].slice(0, rows.length))
    expect(rows.at(-1)?.['name']).toBe('tab\t, line\n, \\. and “”')
    await emptyDatabase.drop()
  })

  it('replace all rows after confirmation', async () => {
    await server.createUser('replaced')
    await ada.withKey()
    // Long event properties make a block of traffic the longest line of a backup. This one has 2 MB, more than the chunks of a backup.
    await server.services.db.query(
      `insert into traffic_blocks (website_id, day, part, version, visitors, visits, hits, events, first_visitor, props)
       select 1, '2026-01-01', 0, 1, 0, 0, 0, 0, -1, string_agg(sha256(n::text::bytea), '') from generate_series(1, 35000) n`,
    )
    const path = join(folder.path, 'later.gz')
    expect((await belfry(['backup', path], { env })).code).toBe(0)
    const unconfirmedResult = await restore(path)
    expect(unconfirmedResult.code).toBe(2)
    expect(unconfirmedResult.stderr).toContain('Add --yes to confirm.')
    expect((await restore(path, '--yes')).code).toBe(0)
    expect(await readAllRows(restoredDatabase.connection)).toEqual(await readAllRows(server.database.connection))
    const [block] = await query(restoredDatabase.connection, 'select octet_length(props) as length from traffic_blocks')
    expect(block?.['length']).toBe(1_120_000)
    await server.services.db.query('delete from traffic_blocks')
    const [sequence] = await query(restoredDatabase.connection, `select nextval('api_keys_id_seq')::int as next`)
    const [highestKey] = await query(restoredDatabase.connection, 'select max(id)::int as id from api_keys')
    expect(sequence?.['next']).toBe(Number(highestKey?.['id']) + 1)
    const unforcedTables = await query(
      restoredDatabase.connection,
      `select relname from pg_class where relnamespace = 'belfry'::regnamespace and relkind = 'r'
        and not relforcerowsecurity order by 1`,
    )
    expect(unforcedTables.map(({ relname }) => relname)).toEqual([
      'beat_reception',
      'blocked_recipients',
      'collection_gaps',
      'event_batches',
      'event_ids',
      'event_inbox',
      'instance',
      'migrations',
      'nodes',
      'rate_counts',
      'removed_websites',
      'rollups',
      'server_settings',
      'sign_in_attempts',
      'test_email_days',
      'visitor_salts',
    ])
    const foreignKeys = await query(
      restoredDatabase.connection,
      `select count(*)::int as n from pg_constraint where contype = 'f'`,
    )
    expect(foreignKeys).toEqual(
      await query(server.database.connection, `select count(*)::int as n from pg_constraint where contype = 'f'`),
    )
  })

  it('write readable text, without the secret on request', async () => {
    const child = startCommand(['backup', '-', '--without-secret'], { env })
    const [backupBytes, { stderr }] = await Promise.all([buffer(child.stdout as Readable), waitForResult(child)])
    expect(child.exitCode).toBe(0)
    expect(stderr).toContain("The backup doesn't include the secret")
    const lines = gunzipSync(backupBytes).toString().split('\n')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ belfry_backup: 1, schema: expect.any(Number) })
    expect(lines).toContain(
      'COPY users (id, email, password_hash, is_admin, created_at, group_alerts, silence_alarms_a_year, has_password, email_confirmed_at, is_from_copied_link, passkey_handle) FROM stdin;',
    )
    expect(lines.join('\n')).not.toContain('rate_counts')
    expect(lines.join('\n')).not.toContain('"secret"')
  })

  it('never overwrite a file, and leave no incomplete file', async () => {
    const bytesBefore = readFileSync(backupPath)
    const existingFileResult = await belfry(['backup', backupPath], { env })
    expect(existingFileResult.code).toBe(1)
    expect(existingFileResult.stderr).toContain('already exists. Choose another name, or add --force')
    expect(readFileSync(backupPath)).toEqual(bytesBefore)
    const missingFolderResult = await belfry(['backup', join(folder.path, 'no', 'such', 'folder.gz')], { env })
    expect(missingFolderResult.code).toBe(1)
    expect(missingFolderResult.stderr).toContain('there is no such folder')
    expect(readdirSync(folder.path).filter((name) => name.includes('.part'))).toEqual([])
  })

  it('replace the rows of a running server, which continues with them', async () => {
    const path = join(folder.path, 'running.gz')
    const bob = await server.createUser('bob')
    const keyClient = await bob.withKey()
    expect((await belfry(['backup', path], { env })).code).toBe(0)
    const carol = await server.createUser('carol')
    expect((await carol.session.get('/api/session')).status).toBe(200)
    let isRequesting = true
    const statuses = new Set<number>()
    const requests = (async () => {
      while (isRequesting) statuses.add((await keyClient.get('/api/keys')).status)
    })()
    const restoreResult = await belfry(['restore', path, '--yes'], { env })
    isRequesting = false
    await requests
    expect(restoreResult).toMatchObject({ code: 0 })
    expect([...statuses]).toEqual([200])
    expect((await bob.session.get('/api/session')).status).toBe(200)
    // The server still has Carol's session cached by its id, so no other session may get that id.
    await server.createUser('dave')
    expect((await carol.session.get('/api/session')).status).toBe(401)
    const { body } = await keyClient.post('/api/keys', { name: 'after', scopes: ['monitors:read'] })
    expect((await server.anyone.as({ key: body.data.key }).get('/api/keys')).status).toBe(200)
  })

  it('change nothing when the file is damaged', async () => {
    const validBytes = readFileSync(backupPath)
    const rowsBefore = await readAllRows(restoredDatabase.connection)
    const flippedBytes = Buffer.from(validBytes)
    flippedBytes.writeUInt8(flippedBytes.readUInt8(validBytes.length >> 1) ^ 0xff, validBytes.length >> 1)
    const text = gunzipSync(validBytes).toString()
    const corruptions: [name: string, bytes: Buffer, message: string][] = [
      ['truncated', validBytes.subarray(0, validBytes.length - 100), 'it ends too early'],
      ['flipped', flippedBytes, 'The backup is damaged'],
      ['shorter', gzipSync(text.slice(0, text.length >> 1)), 'it ends too early'],
      ['changed', gzipSync(text.replace('ada@example.com', 'eve@example.com')), "its checksum doesn't match"],
      ['longer', gzipSync(`${text}more\n`), 'there is data after its last line'],
      ['foreign', Buffer.from('hello'), 'is not a Belfry backup'],
      ['packed', gzipSync('hello\n'), 'is not a Belfry backup'],
    ]
    await Promise.all(
      corruptions.map(async ([name, bytes, message]) => {
        const { code, stderr } = await restore(writeBackup(`${name}.gz`, bytes), '--yes')
        expect(stderr).toContain(message)
        expect(code).toBe(1)
      }),
    )
    const missingFileResult = await restore(join(folder.path, 'missing.gz'))
    expect(missingFileResult.stderr).toContain('there is no such file')
    expect(await readAllRows(restoredDatabase.connection)).toEqual(rowsBefore)
  })

  it('change nothing when PostgreSQL rejects some of the rows', async () => {
    const rowsBefore = await readAllRows(restoredDatabase.connection)
    const orphanedBytes = rewriteBackup(readFileSync(backupPath), (text) =>
      text.replaceAll(/^(\d+)\t1\t/gm, '$1\t4711\t'),
    )
    const { code, stderr } = await restore(writeBackup('orphaned.gz', orphanedBytes), '--yes')
    expect(stderr).toMatch(/^The backup's rows are inconsistent: .*foreign key/m)
    expect(stderr).not.toContain('    at ')
    expect(code).toBe(1)
    expect(await readAllRows(restoredDatabase.connection)).toEqual(rowsBefore)
  })

  it('reject a backup of a newer version', async () => {
    const newerBytes = rewriteBackup(readFileSync(backupPath), (text) => text.replace(/"schema":\d+/, '"schema":9999'))
    const { code, stderr } = await restore(writeBackup('newer.gz', newerBytes), '--yes')
    expect(code).toBe(1)
    expect(stderr).toContain('A newer version of Belfry created this backup: its schema version is 9999')
  })

  it('refuse to change the secret while other servers are running', async () => {
    const node = new pg.Client({ ...restoredDatabase.connection, application_name: 'belfry' })
    await node.connect()
    await query(restoredDatabase.connection, `update instance set secret_fingerprint = 'of another'`)
    const refusedResult = await restore(backupPath, '--yes')
    await node.end()
    expect(refusedResult.code).toBe(1)
    expect(refusedResult.stderr).toContain('Stop all servers on this database')
    expect((await restore(backupPath, '--yes')).code).toBe(0)
  })

  it('refuse to change the owner of the database', async () => {
    const DATABASE_URL = toConnectionUrl({ ...restoredDatabase.connection, user: 'postgres' })
    const { code, stderr } = await belfry(['restore', backupPath, '--yes'], { env: { ...restoredEnv, DATABASE_URL } })
    expect(code).toBe(1)
    expect(stderr).toContain('The database belongs to another login, belfry.')
  })

  it('refuse to restore rows without their secret', async () => {
    const rowsBefore = await readAllRows(restoredDatabase.connection)
    const wrongEnv = { ...restoredEnv, BELFRY_SECRET: 'another secret that is long enough' }
    const wrongSecretResult = await belfry(['restore', backupPath, '--yes'], { env: wrongEnv })
    expect(wrongSecretResult.code).toBe(1)
    expect(wrongSecretResult.stderr).toContain('BELFRY_SECRET is not the secret that this backup was created with.')
    const { BELFRY_SECRET: _, ...envWithoutSecret } = restoredEnv
    const noSecretResult = await belfry(['restore', backupPath, '--yes'], { env: envWithoutSecret })
    expect(noSecretResult.code).toBe(1)
    expect(noSecretResult.stderr).toContain("The backup doesn't include the secret")
    expect(await readAllRows(restoredDatabase.connection)).toEqual(rowsBefore)
  })
})
