/** A move is refused if the source, the target or the secret doesn't allow it, and then changes nothing. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectToPostgres, createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestServer } from '../support/server.ts'
import { createMoveEnv, move } from './move-support.ts'
import { belfry, createTempFolder, type Env, query, readAllRows, type TempFolder, toConnectionUrl } from './support.ts'

let folder: TempFolder
let original: TestDatabase
/** A copy of `original`, as a move creates it. */
let movedDatabase: TestDatabase
let emptyDatabase: TestDatabase
let rowsBefore: Record<string, unknown[]>

beforeAll(async () => {
  folder = createTempFolder()
  original = await createTestDatabase()
  emptyDatabase = await createTestDatabase({ empty: true })
  const server = await startTestServer({ database: original })
  await server.createUser('ada', { isAdmin: true })
  await server.close()
  rowsBefore = await readAllRows(original.connection)
  movedDatabase = await createTestDatabase({ original })
})
afterAll(async () => {
  for (const database of [original, movedDatabase, emptyDatabase]) await database.drop()
  await folder.remove()
})

describe('a move is refused', () => {
  const expectRefusal = async (to: TestDatabase | string, env: Env, message: RegExp, code = 1) => {
    const result = await move(to, env)
    expect(result.stderr).toMatch(message)
    expect(result.code).toBe(code)
  }

  /** Creates a database as superuser, and returns the URL of the login `belfry`. */
  async function createDatabase(name: string, options: string): Promise<string> {
    const client = new pg.Client({ ...original.connection, user: 'postgres', database: 'postgres' })
    await client.connect()
    await client.query(`create database ${name} template template0 ${options} strategy file_copy`)
    await client.end()
    return toConnectionUrl({ ...original.connection, database: name })
  }

  it('if the target already contains this installation, or another one', async () => {
    await expectRefusal(
      toConnectionUrl(movedDatabase.connection),
      createMoveEnv(folder, original),
      /already contains this installation, with 1 account/,
    )
    await query(movedDatabase.connection, 'update instance set id = gen_random_uuid()')
    await expectRefusal(
      toConnectionUrl(movedDatabase.connection),
      createMoveEnv(folder, original),
      /is not empty: it contains 1 account\.\nUse an empty/,
    )
  })

  it('if the target is the source under another name', async () => {
    const { host } = original.connection
    const url = toConnectionUrl({ ...original.connection, host: `${host}/../run` })
    await expectRefusal(url, createMoveEnv(folder, original), /^The target is the database that Belfry uses already\./)
  })

  it('without a usable target', async () => {
    const env = createMoveEnv(folder, original)
    await expectRefusal('mysql://db', env, /^--to must look like postgres:\/\/.*, or be `embedded`/, 2)
    await expectRefusal('embedded', createMoveEnv(folder), /uses the embedded database already/, 2)
    expect((await belfry('move', { env })).stderr).toMatch(/^Missing option: --to/)
    await expectRefusal(
      'postgres://localhost:1/x?sslmode=disable',
      env,
      /Cannot connect.*\nCheck --to and that PostgreSQL is running\./,
    )
    await expectRefusal(
      toConnectionUrl(emptyDatabase.connection),
      createMoveEnv(folder, undefined, 'none'),
      /^There is no database in .*none\./,
    )
  })

  it('if the target has another encoding, owner or other tables, or lacks a privilege', async () => {
    const env = createMoveEnv(folder, original)
    const name = `${emptyDatabase.connection.database}`
    const latinDatabase = await createDatabase(`${name}_latin`, `owner belfry encoding 'LATIN1' locale 'C'`)
    await expectRefusal(latinDatabase, env, /stores text as LATIN1; Belfry needs UTF8/)
    const foreignDatabase = await createDatabase(`${name}_foreign`, 'owner postgres')
    await expectRefusal(foreignDatabase, env, /must be allowed to create schemas in .*\nAsk .*GRANT CREATE ON DATABASE/)
    const superuser = { ...original.connection, user: 'postgres', database: `${name}_foreign` }
    await query(superuser, 'create schema belfry')
    await expectRefusal(foreignDatabase, env, /The schema `belfry` of .* belongs to another login, postgres\./)
    await query(emptyDatabase.connection, 'create schema belfry; create table belfry.mine (n int)')
    await expectRefusal(emptyDatabase, env, /contains tables that are not Belfry's/)
    await query(emptyDatabase.connection, 'drop schema belfry cascade')
    const client = await connectToPostgres()
    await client.query(`drop database ${name}_latin`)
    await client.end()
    await query({ ...superuser, database: 'postgres' }, `drop database ${name}_foreign`)
  })

  it('without the secret of the source', async () => {
    const { BELFRY_SECRET: _, ...env } = createMoveEnv(folder, original, 'other')
    await expectRefusal(
      toConnectionUrl(emptyDatabase.connection),
      env,
      /^The secret of the database to move is missing: there is no file/,
    )
    const wrongEnv = { ...env, BELFRY_SECRET: 'another secret that is long enough' }
    await expectRefusal(emptyDatabase, wrongEnv, /^BELFRY_SECRET is not the secret of the database/)
  })

  it('while another move runs, and so is every other use of the source and of the target', async () => {
    const otherMove = new pg.Client(original.connection)
    await otherMove.connect()
    await otherMove.query('select pg_advisory_lock(2358002)')
    await expectRefusal(emptyDatabase, createMoveEnv(folder, original), /^Another `belfry move`, or a server/)
    const { code, stderr } = await belfry('user list', { env: createMoveEnv(folder, original) })
    expect(stderr).toMatch(/^`belfry move` is copying this database or filling it\.\nWait until the move has ended/)
    expect(code).toBe(1)
    await otherMove.end()
  })

  it('if the source has additional columns, and changes neither database', async () => {
    await query(original.connection, 'alter table monitors add column extra int')
    await expectRefusal(
      toConnectionUrl(emptyDatabase.connection),
      createMoveEnv(folder, original),
      /table monitors doesn't match schema version/,
    )
    await query(original.connection, 'alter table monitors drop column extra')
    expect(await query(emptyDatabase.connection, `select to_regnamespace('belfry')::text as schema`)).toEqual([
      { schema: null },
    ])
    expect(await readAllRows(original.connection)).toEqual(rowsBefore)
  })
})
