import pg from 'pg'
import { type DatabaseAddress, OWNER_ROLE, SUPERUSER } from './address.ts'

/** Creates or repairs Belfry's role and database. Runs at each start, and needs one query if everything is in order. */
export async function ensureOwnerAndDatabase({ host, port }: DatabaseAddress): Promise<void> {
  const client = new pg.Client({ host, port, user: SUPERUSER, database: 'postgres', ssl: false })
  await client.connect()
  try {
    const { rows } = await client.query<{ role_ok: boolean | null; database_ok: boolean | null }>(
      `select
         (select rolcanlogin and rolcreaterole and rolcreatedb and not rolsuper and not rolbypassrls
            from pg_roles where rolname = $1) as role_ok,
         (select pg_get_userbyid(datdba) = $1 from pg_database where datname = $1) as database_ok`,
      [OWNER_ROLE],
    )
    const { role_ok, database_ok } = rows[0] ?? { role_ok: null, database_ok: null }
    if (!role_ok) {
      // A superuser would bypass row level security. `createrole` allows Belfry to create the role that requests run as.
      const verb = role_ok === null ? 'create' : 'alter'
      await client.query(`${verb} role ${OWNER_ROLE} login createrole createdb nosuperuser nobypassrls`)
    }
    if (database_ok === null) await client.query(`create database ${OWNER_ROLE} owner ${OWNER_ROLE}`)
    if (database_ok === false) await client.query(`alter database ${OWNER_ROLE} owner to ${OWNER_ROLE}`)
  } finally {
    await client.end()
  }
}
