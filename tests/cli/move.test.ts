/** Moves a small installation from a PostgreSQL server to the embedded database, and on to another PostgreSQL server. */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { fillWithoutConstraints } from '../../src/storage/backup/constraints.ts'
import { readContents, verifyContents } from '../../src/storage/backup/contents.ts'
import type { Sequence } from '../../src/storage/backup/format.ts'
import { createPartitions } from '../../src/storage/backup/partitions.ts'
import { copyIn, setSequences } from '../../src/storage/backup/replace-tables.ts'
import { applyTableMigrations } from '../../src/storage/migrations.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { createDataFolder } from '../support/data-folder.ts'
import { connectToPostgres, createTestDatabase, type TestDatabase } from '../support/database.ts'
import { readBackup } from '../support/read-backup.ts'
import {
  createInstallation,
  createMoveEnv,
  fetchResponses,
  type Installation,
  move,
  startMoveServer,
} from './move-support.ts'
import {
  createTempFolder,
  query,
  readAllRows,
  startServerInProcess,
  type TempFolder,
  toConnectionUrl,
} from './support.ts'

let folder: TempFolder
let installation: Installation
let original: TestDatabase
let movedDatabase: TestDatabase
let rowsBefore: Record<string, unknown[]>

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

beforeAll(async () => {
  folder = createTempFolder()
  movedDatabase = await createTestDatabase({ empty: true })
  installation = await createInstallation(folder, movedDatabase)
  original = installation.database
  rowsBefore = await readAllRows(original.connection)
  await createDataFolder(folder.data('embedded'))
})
afterAll(async () => {
  await original.drop()
  await movedDatabase.drop()
  await folder.remove()
})

describe('a move', () => {
  it('is refused while a server runs on the source', () => {
    const { code, stderr } = installation.earlyResult
    expect(stderr).toMatch(/^A Belfry server uses postgres:.* \(web\)\.\nStop all servers/)
    expect(code).toBe(1)
  })

  it('from a server to the embedded database copies and verifies every row', async () => {
    const { code, stdout, stderr } = await move('embedded', createMoveEnv(folder, original))
    // On a busy machine, the move also prints its progress.
    expect(stderr).toMatch(
      /^(Copying \w+: .*\n)*Copied and compared: [\d,]+ rows, [\d.]+ kB.*\.\nChecking foreign keys…\n$/,
    )
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
    const env = createMoveEnv(folder)
    const embeddedServer = await startServerInProcess(env)
    const { code, stderr } = await move(movedDatabase, env)
    await embeddedServer.stop()
    expect(stderr).toMatch(/^Another Belfry server \(process \d+ on .*\) is using the data folder .*\.\nStop it first/)
    expect(code).toBe(1)
  })

  it('from the embedded database to a server says what to set', async () => {
    const { code, stdout } = await move(movedDatabase, createMoveEnv(folder))
    expect(stdout).toContain(`DATABASE_URL=${toConnectionUrl(movedDatabase.connection)}`)
    expect(stdout).toContain('Keep BELFRY_SECRET as it is')
    expect(stdout).toContain(`delete ${folder.data('embedded')}/postgres, but not ${folder.data('embedded')}/secret.`)
    expect(code).toBe(0)
    // The server that ran in between has stored how long no server could receive events.
    expect(await readAllRows(movedDatabase.connection)).toEqual({ ...rowsBefore, collection_gaps: expect.any(Array) })
  })

  it('keeps statistics, incidents, channels, keys and status pages, and ids continue', async () => {
    const movedServer = await startMoveServer(movedDatabase)
    const movedKeyClient = movedServer.anyone.as(installation.keyClient.credentials)
    expect(await fetchResponses(movedKeyClient)).toEqual(installation.responses)
    const monitors = (await movedKeyClient.get('/api/monitors')).body.data
    expect(monitors[0].http.headers).toEqual({ Authorization: '3456' })
    expect(movedServer.services.secret.fingerprint).toBe(
      (await query(movedDatabase.connection, 'select secret_fingerprint from instance'))[0]?.['secret_fingerprint'],
    )
    const { status, body } = await movedKeyClient.post('/api/monitors', {
      friendly_name: 'New',
      url: 'https://example.org',
    })
    expect(status).toBe(201)
    expect(body.data.id).toBe(3)
    await movedServer.close()
  })

  it('gathers statistics for PostgreSQL, so that the first queries are fast', async () => {
    const rows = await query(
      movedDatabase.connection,
      `select reltuples from pg_class where oid = 'monitors'::regclass`,
    )
    expect(rows).toEqual([{ reltuples: 2 }])
  })
})

describe('a move that loses a connection', () => {
  it.each(['source', 'target'] as const)(
    'to the %s says which connection was lost, and changes nothing',
    async (side) => {
      const target = await createTestDatabase({ empty: true })
      onTestFinished(() => target.drop())
      const { database } = side === 'source' ? original.connection : target.connection
      const postgres = await connectToPostgres()
      onTestFinished(() => postgres.end())
      const pendingMove = move(target, createMoveEnv(folder, original))
      let hasEnded = false
      void pendingMove.then(() => (hasEnded = true))
      // While the move compares a table, the session's last statement computes the checksum.
      for (let terminatedCount = 0; terminatedCount === 0 && !hasEnded; await delay(1)) {
        const { rows } = await postgres.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and query like '%sha256%' and pid <> pg_backend_pid()`,
          [database],
        )
        terminatedCount = rows.length
      }
      const { code, stderr } = await pendingMove
      expect(stderr).toMatch(new RegExp(`^The connection to the ${side} was lost: .*\\.\nRun the move again`, 'm'))
      expect(code).toBe(1)
      expect(await query(target.connection, `select to_regnamespace('belfry')::text as schema`)).toEqual([
        { schema: null },
      ])
      expect(await readAllRows(original.connection)).toEqual(rowsBefore)
    },
  )
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
    const runMove = () => move(target, createMoveEnv(folder, source))
    const sequences = await withOwnerConnection(source.connection, (client) => restoreRows(client, backup))
    const { code, stderr } = await runMove()
    expect(stderr).toMatch(/^The sequence \w+ would hand out an id that \w+ contains already\./)
    expect(code).toBe(1)
    await withOwnerConnection(source.connection, (client) => setSequences(client, sequences))
    const rows = await readAllRows(source.connection)
    expect(await runMove()).toMatchObject({ code: 0 })
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
    const { code, stderr } = await move(target, createMoveEnv(folder, source))
    expect(stderr).toContain('A newer version of Belfry has migrated this database')
    expect(code).toBe(1)
  })
})
