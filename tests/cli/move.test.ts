/** Moves a small installation from a PostgreSQL server to the embedded database, and on to another PostgreSQL server. */
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readBackup } from '../../src/cli/read-backup.ts'
import { DAY_MS, MINUTE_MS } from '../../src/shared/time.ts'
import { fillWithoutConstraints } from '../../src/storage/backup/constraints.ts'
import { readContents, verifyContents } from '../../src/storage/backup/contents.ts'
import type { Sequence } from '../../src/storage/backup/format.ts'
import { createPartitions } from '../../src/storage/backup/partitions.ts'
import { copyIn, setSequences } from '../../src/storage/backup/replace-tables.ts'
import { applyTableMigrations } from '../../src/storage/migrations.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import type { Client } from '../support/client.ts'
import { TestClock } from '../support/clock.ts'
import { createDataFolder } from '../support/data-folder.ts'
import { connectToPostgres, createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestServer, TEST_SECRET, type TestServer } from '../support/server.ts'
import { insertStatusMonitor } from '../support/status-pages.ts'
import {
  belfry,
  createTempFolder,
  type Env,
  query,
  readAllRows,
  startServerInProcess,
  type TempFolder,
  toConnectionUrl,
} from './support.ts'

const websitesPath = '/api/v1/websites'
/** Sample traffic ends today. */
const now = new Date()
const formatDay = (daysAgo: number) => new Date(now.getTime() - daysAgo * DAY_MS).toISOString().slice(0, 10)
const lastDays = `from=${formatDay(25)}&to=${formatDay(0)}`
const paths = [
  websitesPath,
  `/api/v1/stats/1/overview?${lastDays}`,
  `/api/v1/stats/1/overview?${lastDays}&filter=device:desktop`,
  '/api/monitors',
  '/api/monitors/1/incidents?window=30d',
  '/api/monitors/1/checks?window=24h',
  '/api/providers',
  '/api/monitors/2/notifications',
  '/api/keys',
  '/api/status-pages',
]

let folder: TempFolder
let original: TestDatabase
let moved: TestDatabase
let server: TestServer
let key: Client
let responsesBefore: string[]
let rowsBefore: Record<string, unknown[]>

/** The secret comes from the environment. */
const createEnv = (database: TestDatabase | undefined, data = 'embedded'): Env => ({
  BELFRY_SECRET: TEST_SECRET,
  BELFRY_DATA: folder.data(data),
  ...(database !== undefined && { DATABASE_URL: toConnectionUrl(database.connection) }),
})

const move = (to: string, env: Env) => belfry(['move', '--to', to], { env })

/** Leaves out the server's port, and when the key was used. */
async function fetchAll(client: Client): Promise<string[]> {
  const responses = await Promise.all(paths.map((path) => client.get(path)))
  expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 200))
  return responses.map(({ body }) => JSON.stringify(body).replaceAll(/127\.0\.0\.1:\d+|"last_used_at":[^,}]+/g, ''))
}

/** Fills an empty database with the rows of a backup, without migrating it to the current schema version. Returns its sequences. */
async function restoreRows(client: pg.Client, path: string): Promise<Sequence[]> {
  const { header, extras } = await verifyContents(readBackup(path), () => {})
  await client.query('begin')
  await applyTableMigrations(client, header.schema)
  await createPartitions(client, header.partitions)
  await fillWithoutConstraints(client, header.tables, async () => {
    await readContents(
      readBackup(path),
      (table, rows) => copyIn(client, table, rows),
      () => {},
    )
  })
  await client.query('commit')
  return extras.sequences
}

async function fillOriginal(): Promise<void> {
  const ada = await server.createUser('ada', { isAdmin: true })
  key = await ada.withKey()
  await ada.session.post(websitesPath, { domain: 'example.com' })
  const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS)
  const incidents = [
    { from: minutesAgo(90), to: minutesAgo(60), detail: 'Status 503\tand a tab' },
    { from: minutesAgo(5) },
  ]
  const history = { status: 'down' as const, now, watchedSince: minutesAgo(3_000), incidents }
  await insertStatusMonitor(server.services.db, ada.id, history)
  const webhook_url = 'https://hooks.example.com/s3cr3t-one'
  await ada.session.post('/api/providers', { provider_type: 'slack', webhook_url, assign_by_default: true })
  const http = { headers: { Authorization: 'Bearer abcdef123456' } }
  await ada.session.post('/api/monitors', { friendly_name: 'Shop', url: 'https://example.com', http })
  await ada.session.post('/api/status-pages', { slug: 'shop', title: 'Shop' })
  const env = createEnv(original)
  expect(await belfry('traffic generate example.com --days 20 --visitors 20', { env })).toMatchObject({ code: 0 })
}

beforeAll(async () => {
  folder = createTempFolder()
  original = await createTestDatabase()
  moved = await createTestDatabase({ empty: true })
  server = await startTestServer({ database: original, clock: new TestClock(now) })
  await fillOriginal()
  await createDataFolder(folder.data('embedded'))
})
afterAll(async () => {
  await original.drop()
  await moved.drop()
  await folder.remove()
})

describe('a move', () => {
  it('is refused while a server runs on the source', async () => {
    const { code, stderr } = await move(toConnectionUrl(moved.connection), createEnv(original))
    expect(stderr).toMatch(/^A Belfry server uses postgres:.* \(web\)\.\nStop all servers/)
    expect(code).toBe(1)
    responsesBefore = await fetchAll(key)
    await server.close()
    rowsBefore = await readAllRows(original.connection)
  })

  it('from a server to the embedded database copies and verifies every row', async () => {
    const { code, stdout, stderr } = await move('embedded', createEnv(original))
    expect(stderr).toMatch(/^Copied and compared: [\d,]+ rows, [\d.]+ kB.*\.\nChecking foreign keys…\n$/)
    expect(stdout).toMatch(/^TABLE +ROWS +COPIED$/m)
    expect(stdout).toMatch(/^monitors +2 +\d+ B$/m)
    expect(stdout).toContain(
      'Verified: every table has the same number of rows and the same checksum in both databases.',
    )
    expect(stdout).toContain(`1. Remove DATABASE_URL from the environment, and start one server with this data folder:`)
    expect(stdout).toContain(`BELFRY_DATA=${folder.data('embedded')}`)
    expect(code).toBe(0)
    expect(await readAllRows(original.connection)).toEqual(rowsBefore)
  })

  it('is refused while a server runs on the embedded database', async () => {
    const env = createEnv(undefined)
    const embeddedServer = await startServerInProcess(env)
    const { code, stderr } = await move(toConnectionUrl(moved.connection), env)
    await embeddedServer.stop()
    expect(stderr).toMatch(/^Another Belfry server \(process \d+ on .*\) is using the data folder .*\.\nStop it first/)
    expect(code).toBe(1)
  })

  it('from the embedded database to a server says what to set, and in which file', async () => {
    const { code, stdout } = await move(toConnectionUrl(moved.connection), createEnv(undefined))
    expect(stdout).toContain(`DATABASE_URL=${toConnectionUrl(moved.connection)}`)
    expect(stdout).toContain('Keep BELFRY_SECRET as it is')
    expect(stdout).toContain(`delete ${folder.data('embedded')}/postgres, but not ${folder.data('embedded')}/secret.`)
    expect(code).toBe(0)
    expect(await readAllRows(moved.connection)).toEqual(rowsBefore)
  })

  it('keeps statistics, incidents, channels, keys and status pages, and ids continue', async () => {
    const movedServer = await startTestServer({ database: moved, clock: new TestClock(now) })
    const movedKey = movedServer.anyone.as(key.credentials)
    expect(await fetchAll(movedKey)).toEqual(responsesBefore)
    const monitors = (await movedKey.get('/api/monitors')).body.data
    expect(monitors[0].http.headers).toEqual({ Authorization: '3456' })
    expect(movedServer.services.secret.fingerprint).toBe(
      (await query(moved.connection, 'select secret_fingerprint from instance'))[0]?.['secret_fingerprint'],
    )
    const { status, body } = await movedKey.post('/api/monitors', { friendly_name: 'New', url: 'https://example.org' })
    expect(status).toBe(201)
    expect(body.data.id).toBe(3)
    await movedServer.close()
  })

  it('gathers statistics for PostgreSQL, so that the first queries are fast', async () => {
    const rows = await query(moved.connection, `select reltuples from pg_class where oid = 'monitors'::regclass`)
    expect(rows).toEqual([{ reltuples: 2 }])
  })
})

describe('a move is refused', () => {
  let empty: TestDatabase

  beforeAll(async () => {
    empty = await createTestDatabase({ empty: true })
  })
  afterAll(() => empty.drop())

  const expectRefusal = async (to: string, env: Env, message: RegExp, code = 1) => {
    const result = await move(to, env)
    expect(result.stderr).toMatch(message)
    expect(result.code).toBe(code)
  }

  /** Creates a database as superuser, and returns the URL of the login `belfry`. */
  async function createDatabase(name: string, options: string): Promise<string> {
    const client = new pg.Client({ ...original.connection, user: 'postgres', database: 'postgres' })
    await client.connect()
    await client.query(`create database ${name} template template0 ${options}`)
    await client.end()
    return toConnectionUrl({ ...original.connection, database: name })
  }

  it('if the target already contains this installation, or another one', async () => {
    await expectRefusal(
      toConnectionUrl(moved.connection),
      createEnv(original),
      /already contains this installation, with 1 account/,
    )
    await query(moved.connection, 'update instance set id = gen_random_uuid()')
    await expectRefusal(
      toConnectionUrl(moved.connection),
      createEnv(original),
      /is not empty: it contains 1 account\.\nUse an empty/,
    )
  })

  it('if the target is the source under another name', async () => {
    const { host } = original.connection
    const url = toConnectionUrl({ ...original.connection, host: `${host}/../run` })
    await expectRefusal(url, createEnv(original), /^The target is the database that Belfry uses already\./)
  })

  it('without a usable target', async () => {
    const env = createEnv(original)
    await expectRefusal('mysql://db', env, /^--to must look like postgres:\/\/.*, or be `embedded`/, 2)
    await expectRefusal('embedded', createEnv(undefined), /uses the embedded database already/, 2)
    expect((await belfry('move', { env })).stderr).toMatch(/^Missing option: --to/)
    await expectRefusal(
      'postgres://localhost:1/x?sslmode=disable',
      env,
      /Cannot connect.*\nCheck --to and that PostgreSQL is running\./,
    )
    await expectRefusal(
      toConnectionUrl(empty.connection),
      createEnv(undefined, 'none'),
      /^There is no database in .*none\./,
    )
  })

  it('if the target has another encoding, owner or other tables, or lacks a privilege', async () => {
    const env = createEnv(original)
    const name = `${empty.connection.database}`
    const latin = await createDatabase(`${name}_latin`, `owner belfry encoding 'LATIN1' locale 'C'`)
    await expectRefusal(latin, env, /stores text as LATIN1; Belfry needs UTF8/)
    const foreign = await createDatabase(`${name}_foreign`, 'owner postgres')
    await expectRefusal(foreign, env, /must be allowed to create schemas in .*\nAsk .*GRANT CREATE ON DATABASE/)
    const superuser = { ...original.connection, user: 'postgres', database: `${name}_foreign` }
    await query(superuser, 'create schema belfry')
    await expectRefusal(foreign, env, /The schema `belfry` of .* belongs to another login, postgres\./)
    await query(empty.connection, 'create schema belfry; create table belfry.mine (n int)')
    await expectRefusal(toConnectionUrl(empty.connection), env, /contains tables that are not Belfry's/)
    await query(empty.connection, 'drop schema belfry cascade')
    const client = await connectToPostgres()
    await client.query(`drop database ${name}_latin`)
    await client.end()
    await query({ ...superuser, database: 'postgres' }, `drop database ${name}_foreign`)
  })

  it('without the secret of the source', async () => {
    const { BELFRY_SECRET: _, ...env } = createEnv(original, 'other')
    await expectRefusal(
      toConnectionUrl(empty.connection),
      env,
      /^The secret of the database to move is missing: there is no file/,
    )
    const wrongEnv = { ...env, BELFRY_SECRET: 'another secret that is long enough' }
    await expectRefusal(toConnectionUrl(empty.connection), wrongEnv, /^BELFRY_SECRET is not the secret of the database/)
  })

  it('while another move runs, and so is every other use of both databases', async () => {
    const otherMove = new pg.Client(original.connection)
    await otherMove.connect()
    await otherMove.query('select pg_advisory_lock(2358002)')
    await expectRefusal(toConnectionUrl(empty.connection), createEnv(original), /^Another `belfry move`, or a server/)
    const { code, stderr } = await belfry('user list', { env: createEnv(original) })
    expect(stderr).toMatch(/^`belfry move` is copying this database or filling it\.\nWait until the move has ended/)
    expect(code).toBe(1)
    await otherMove.end()
  })

  it('if the source has columns of its own, and changes neither database', async () => {
    await query(original.connection, 'alter table monitors add column extra int')
    await expectRefusal(
      toConnectionUrl(empty.connection),
      createEnv(original),
      /table monitors doesn't match schema version/,
    )
    await query(original.connection, 'alter table monitors drop column extra')
    expect(await query(empty.connection, `select to_regnamespace('belfry')::text as schema`)).toEqual([
      { schema: null },
    ])
    expect(await readAllRows(original.connection)).toEqual(rowsBefore)
  })
})

describe('a move that loses a connection', () => {
  it.each(['source', 'target'] as const)('to the %s says so, and changes nothing', async (side) => {
    const target = await createTestDatabase({ empty: true })
    onTestFinished(() => target.drop())
    const { database } = side === 'source' ? original.connection : target.connection
    const postgres = await connectToPostgres()
    onTestFinished(() => postgres.end())
    const moving = move(toConnectionUrl(target.connection), createEnv(original))
    let hasEnded = false
    void moving.then(() => (hasEnded = true))
    // While the move compares a table, the session's last statement computes the checksum.
    for (let terminatedCount = 0; terminatedCount === 0 && !hasEnded; ) {
      const { rows } = await postgres.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and query like '%sha256%' and pid <> pg_backend_pid()`,
        [database],
      )
      terminatedCount = rows.length
    }
    const { code, stderr } = await moving
    expect(stderr).toMatch(new RegExp(`^The connection to the ${side} was lost: .*\\.\nRun the move again`, 'm'))
    expect(code).toBe(1)
    expect(await query(target.connection, `select to_regnamespace('belfry')::text as schema`)).toEqual([
      { schema: null },
    ])
    expect(await readAllRows(original.connection)).toEqual(rowsBefore)
  })
})

describe('a move of another schema version', () => {
  it('migrates the target, not the source', async () => {
    const backup = join(import.meta.dirname, 'backups', 'schema-8.gz')
    const [source, target] = await Promise.all([
      createTestDatabase({ empty: true }),
      createTestDatabase({ empty: true }),
    ])
    onTestFinished(async () => {
      await source.drop()
      await target.drop()
    })
    const run = () => move(toConnectionUrl(target.connection), createEnv(source))
    const sequences = await withOwnerConnection(source.connection, (client) => restoreRows(client, backup))
    const { code, stderr } = await run()
    expect(stderr).toMatch(/^The sequence \w+ would hand out an id that \w+ contains already\./)
    expect(code).toBe(1)
    await withOwnerConnection(source.connection, (client) => setSequences(client, sequences))
    const rows = await readAllRows(source.connection)
    expect(await run()).toMatchObject({ code: 0 })
    expect(await readAllRows(source.connection)).toEqual(rows)
    const readVersion = async ({ connection }: TestDatabase) =>
      (await query(connection, 'select max(version) as version from migrations'))[0]?.['version']
    expect(await readVersion(source)).toBe(8)
    expect(await readVersion(target)).toBeGreaterThan(8)
  })

  it('is refused if the schema is newer', async () => {
    const [source, target] = await Promise.all([createTestDatabase(), createTestDatabase({ empty: true })])
    onTestFinished(async () => {
      await source.drop()
      await target.drop()
    })
    await query(source.connection, `insert into migrations (version, name, checksum) values (9999, 'newer', '')`)
    const { code, stderr } = await move(toConnectionUrl(target.connection), createEnv(source))
    expect(stderr).toContain('A newer version of Belfry has migrated this database')
    expect(code).toBe(1)
  })
})
