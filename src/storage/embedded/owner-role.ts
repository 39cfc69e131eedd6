import pg from 'pg'
import { type DatabaseAddress, OWNER_ROLE, SUPERUSER } from './address.ts'

/** Creates or repairs Belfry's role and database. Runs at each start, and needs one query if everything is in order. */
export async function ensureOwnerAndDatabase({ host, port }: DatabaseAddress): Promise<void> {
  const client = new pg.Client({ host, port, user: SUPERUSER, database: 'postgres', ssl: false })
  await client.connect()
  try {
    const { rows } = await client.query<{ has_role_rights: boolean | null; owns_database: boolean | null }>(
      `select
         (select rolcanlogin and rolcreaterole and rolcreatedb and not rolsuper and not rolbypassrls
            from pg_roles where rolname = $1) as has_role_rights,
         (select pg_get_userbyid(datdba) = $1 from pg_database where datname = $1) as owns_database`,
      [OWNER_ROLE],
    )
    const { has_role_rights, owns_database } = rows[0] ?? { has_role_rights: null, owns_database: null }
    if (!has_role_rights) {
      // A superuser would bypass row level security. `createrole` allows Belfry to create the role that requests run as.
      const verb = has_role_rights === null ? 'create' : 'alter'
      await client.query(`${verb} role ${OWNER_ROLE} login createrole createdb nosuperuser nobypassrls`)
    }
    if (owns_database === null) await client.query(`create database ${OWNER_ROLE} owner ${OWNER_ROLE}`)
    if (owns_database === false) await client.query(`alter database ${OWNER_ROLE} owner to ${OWNER_ROLE}`)
  } finally {
    await client.end()
  }
}
