import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../tests/support/database.ts'
import { startTestServer } from '../../tests/support/server.ts'
import { ensureRequestRole, readDatabaseRoles, readRowSecurityState, tablesWithoutOwner } from './access.ts'
import { withOwnerConnection } from './open-database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const asOwner = <T>(work: (client: pg.Client) => Promise<T>) => withOwnerConnection(database.connection, work)

describe('row level security', () => {
  it('covers every table and partition', async () => {
    const { tableCount, unprotectedTables } = await asOwner(readRowSecurityState)
    expect(tableCount).toBeGreaterThan(3)
    expect(unprotectedTables).toEqual([])
  })

  it('is reported as missing if a table or partition does not enable or force it, or has no policy', async () => {
    const unprotectedTables = await asOwner(async (client) => {
      await client.query(`
        begin;
        create table bare (id int);
        create table without_force (id int); alter table without_force enable row level security;
        create policy own on without_force using (true);
        create table without_policy (id int); alter table without_policy enable row level security;
        alter table without_policy force row level security;
        create table parent (id int) partition by range (id); alter table parent enable row level security;
        alter table parent force row level security; create policy own on parent using (true);
        create table part partition of parent for values from (0) to (9)`)
      const { unprotectedTables } = await readRowSecurityState(client)
      await client.query('rollback')
      return unprotectedTables
    })
    expect(unprotectedTables).toEqual(['bare', 'part', 'without_force', 'without_policy'])
  })

  it('applies to the request role, which owns nothing and cannot bypass it', async () => {
    const { requestRole } = await asOwner(readDatabaseRoles)
    const row = await asOwner(async (client) => {
      const { rows } = await client.query(
        `select rolsuper, rolbypassrls, rolcanlogin, (select count(*)::int from pg_class where relowner = r.oid) as owns
           from pg_roles r where rolname = $1`,
        [requestRole],
      )
      return rows[0]
    })
    expect(row).toEqual({ rolsuper: false, rolbypassrls: false, rolcanlogin: false, owns: 0 })
  })

  it('gives requests no rights on tables without an owner', async () => {
    await asOwner(async (client) => {
      const { requestRole } = await readDatabaseRoles(client)
      for (const table of Object.keys(tablesWithoutOwner)) {
        const { rows } = await client.query(
          `select has_table_privilege($1, $2, 'select, insert, update, delete') as allowed`,
          [requestRole, `belfry.${table}`],
        )
        expect([table, rows[0].allowed]).toEqual([table, false])
      }
    })
  })

  it('shows the request role nothing until it sets a caller, whatever settings it changes', async () => {
    await asOwner(async (client) => {
      const { requestRole } = await readDatabaseRoles(client)
      await client.query(`set belfry.across_users = 'on'`)
      await client.query(`insert into users (email, password_hash, created_at) values ('ada@example.com', 'x', now())`)
      expect((await client.query('select * from users')).rowCount).toBe(1)
      await client.query(`set role ${client.escapeIdentifier(requestRole ?? '')}`)
      expect((await client.query('select * from users')).rowCount).toBe(0)
    })
  })
})

describe('a login that cannot create roles', () => {
  const getSuperuserConnection = () => ({ ...inject('template'), user: 'postgres', database: 'postgres' })

  async function withSuperuser(...statements: string[]): Promise<void> {
    const client = new pg.Client(getSuperuserConnection())
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }

  it('runs requests as the owner, under forced row level security, and the whole server works', async () => {
    await withSuperuser('create role plain login', 'create database plain owner plain')
    const connection = { ...inject('template'), user: 'plain', database: 'plain' }
    const plainDatabase: TestDatabase = {
      connection,
      source: { connection, kind: 'remote', release: async () => {} },
      drop: () => withSuperuser('drop database plain with (force)', 'drop role plain'),
    }
    const server = await startTestServer({ database: plainDatabase })
    try {
      expect(server.services.db.roles.requestRole).toBe(undefined)
      const [ada, eve] = [await server.createUser('ada'), await server.createUser('eve')]
      await ada.withKey('monitors:read')
      expect((await ada.session.get('/api/keys')).body.meta.total).toBe(1)
      expect((await eve.session.get('/api/keys')).body.meta.total).toBe(0)
      await ada.session.post('/api/v1/websites', { domain: 'example.com' })
      const websiteLists = await Promise.all(
        [ada, eve].map(({ session }) => session.get('/api/v1/websites?search=exam')),
      )
      expect(websiteLists.map(({ body }) => body.meta.total)).toEqual([1, 0])
      const overviews = await Promise.all([ada, eve].map(({ session }) => session.get('/api/overview')))
      expect(overviews.map(({ body }) => body.data.websites.length)).toEqual([1, 0])
      const invalidSessionError = await server.services.db
        .as({ teamId: eve.id, userId: eve.id, keyId: null, sessionId: -1 })
        .query('select 1')
        .catch((e) => e)
      expect(invalidSessionError.code).toBe('unauthenticated')
    } finally {
      await server.close()
      await plainDatabase.drop()
    }
  })

  it('is refused with advice when it bypasses row level security', async () => {
    await withSuperuser('create role loose login bypassrls')
    try {
      const attempt = withOwnerConnection({ ...getSuperuserConnection(), user: 'loose' }, ensureRequestRole)
      await expect(attempt).rejects.toThrow('"loose" bypasses row level security')
      await withSuperuser('create role loose_request', 'grant loose_request to loose')
      const roles = await withOwnerConnection({ ...getSuperuserConnection(), user: 'loose' }, ensureRequestRole)
      expect(roles.requestRole).toBe('loose_request')
    } finally {
      await withSuperuser('drop role if exists loose_request', 'drop role loose')
    }
  })
})
