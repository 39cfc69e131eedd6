/** Describes the database that a restore is about to replace. */
import type { ClientBase } from 'pg'
import { readAcrossUsers } from '../access.ts'

export interface CurrentDatabase {
  userCount: number
  /** Identifies the secret that this database uses, if it has one. */
  secretFingerprint: string | null
  /** The schema's owner, if it isn't our login. */
  otherOwner: string | null
  /** Counts Belfry's connections to this database, without this one. A running server usually has some. */
  otherConnectionCount: number
}

/** Works with any schema version, even a newer one, because a restore is how you go back to an older version of Belfry. */
export async function readCurrentDatabase(client: ClientBase): Promise<CurrentDatabase> {
  const { rows } = await client.query(`
    select (select pg_get_userbyid(nspowner)::text from pg_namespace
             where nspname = 'belfry' and pg_get_userbyid(nspowner) <> current_user) as owner,
           to_regclass('belfry.users') is not null as has_users, to_regclass('belfry.instance') is not null as has_instance,
           (select count(*)::int from pg_stat_activity
             where datname = current_database() and application_name = current_setting('application_name')
               and pid <> pg_backend_pid()) as sessions`)
  const { owner, has_users, has_instance, sessions } = rows[0]
  const userCount = has_users
    ? await readAcrossUsers(
        client,
        async () => (await client.query('select count(*)::int as users from belfry.users')).rows[0].users,
      )
    : 0
  const instance = has_instance
    ? (await client.query('select secret_fingerprint from belfry.instance')).rows[0]
    : undefined
  return {
    userCount,
    otherConnectionCount: sessions,
    otherOwner: owner,
    secretFingerprint: instance?.secret_fingerprint ?? null,
  }
}
