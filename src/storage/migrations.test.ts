import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../tests/support/database.ts'
import { readDatabaseRoles, readRowSecurityState } from './access.ts'
import { applyMigrations, migrateDatabase, readMigrationState, readMigrations } from './migrations.ts'
import { withOwnerConnection } from './open-database.ts'

/** Creates a migrated or an empty database, which is deleted at the end of the test. */
async function createDatabase(options?: { empty: boolean }): Promise<TestDatabase> {
  const database = await createTestDatabase(options)
  onTestFinished(() => database.drop())
  return database
}

describe('migrations', () => {
  it('are numbered without gaps, from 1', async () => {
    const { migrations } = await readMigrations()
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1))
  })

  it('are applied once when several nodes start together', async () => {
    const { connection } = await createDatabase({ empty: true })
    const migrate = () => withOwnerConnection(connection, migrateDatabase)
    const { migrations } = await readMigrations()
    const appliedMigrations = await Promise.all(Array.from({ length: 6 }, migrate))
    expect(appliedMigrations.flat().map(({ name }) => name)).toEqual(migrations.map(({ name }) => name))
    expect(await migrate()).toEqual([])
    const state = await withOwnerConnection(connection, readMigrationState)
    expect(state).toMatchObject({ version: migrations.length, pendingMigrations: [], mustApplyAccess: false })
  })

  it('refuse a database of a newer version and leave it unchanged', async () => {
    const { connection } = await createDatabase()
    await withOwnerConnection(connection, async (client) => {
      await client.query(`insert into migrations (version, name, checksum) values (999, '0999_future.sql', 'x')`)
      await expect(migrateDatabase(client)).rejects.toThrow('its schema version is 999')
    })
  })

  it('refuse a file that differs from the applied one', async () => {
    const { connection } = await createDatabase()
    await withOwnerConnection(connection, async (client) => {
      await client.query(`begin; update migrations set checksum = 'other' where version = 1`)
      await expect(migrateDatabase(client)).rejects.toThrow('0001_accounts.sql differs from the one that was applied')
      await client.query('rollback')
    })
  })

  it('apply the files of access again when they change', async () => {
    const { connection } = await createDatabase()
    await withOwnerConnection(connection, async (client) => {
      await client.query(`update migrations set checksum = 'older' where version = 0; drop policy own on users`)
      expect(await migrateDatabase(client)).toEqual([])
      const { rows } = await client.query(`select policyname from pg_policies where tablename = 'users' order by 1`)
      expect(rows.map((row) => row.policyname)).toEqual(['across_users', 'administrator', 'own'])
    })
  })

  it('lock no table whose policies match, and fix the policies of other tables', async () => {
    const { connection } = await createDatabase()
    await withOwnerConnection(connection, async (client) => {
      await client.query(`
        update migrations set checksum = 'older' where version = 0;
        drop policy read on alerts; create policy read on alerts for select using (true);
        create policy obsolete on sessions using (true);
        alter table watches no force row level security`)
      const roles = await readDatabaseRoles(client)
      await client.query('begin')
      await applyMigrations(client, roles)
      const { rows: locks } = await client.query(`
        select relation::regclass::text as table from pg_locks
         where pid = pg_backend_pid() and mode = 'AccessExclusiveLock' and locktype = 'relation' order by 1`)
      expect(locks.map((lock) => lock.table)).toEqual(['alerts', 'sessions', 'watches'])
      await client.query('commit')
      const { rows: policies } = await client.query(
        `select tablename || ' ' || policyname || ' ' || coalesce(qual, with_check) as policy from pg_policies
          where tablename in ('alerts', 'sessions') and policyname <> 'across_users' order by 1`,
      )
      expect(policies.map(({ policy }) => policy)).toEqual([
        'alerts add (user_id = editing_team())',
        'alerts change (user_id = editing_team())',
        'alerts read (user_id = own_team())',
        'alerts remove (user_id = editing_team())',
        'sessions own (user_id = own_user())',
      ])
      expect((await readRowSecurityState(client)).unprotectedTables).toEqual([])
    })
  })
})
