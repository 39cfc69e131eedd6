/** Tables that are exempt from row level security, and the database role that requests run as. */
import type { ClientBase } from 'pg'
import { StartupError } from '../lib/startup-error.ts'

/** Tables whose rows belong to no user, each with a description of its rows. Requests have no rights on these tables. */
export const tablesWithoutOwner = {
  migrations: 'applied schema versions',
  instance: 'settings of this installation',
  server_settings: 'server settings that admins saved, encrypted',
  rate_counts: 'rate limit counters under hashed names',
  nodes: 'running server processes',
  beat_reception: 'when this installation was able to receive beats',
  collection_gaps: 'when this installation could not store events',
  rollups: 'progress of the check rollups',
  event_inbox: 'accepted events that are not rolled up yet',
  event_ids: 'hashed ids of events that were counted in the last ten minutes',
  event_batches: 'batches of events that were stored in the last minutes',
  visitor_salts: 'daily salts of the visitor hash',
  blocked_recipients: 'hashed email addresses that block this installation',
  test_email_days: 'test emails per hashed address and day',
  sign_in_attempts: 'sign-ins and enrolments that have begun, under hashed names',
  removed_websites: 'deleted websites whose traffic is still to be deleted',
} as const

export interface DatabaseRoles {
  login: string
  /** undefined if our login can't create roles: requests then run as the table owner, under forced row level security. */
  requestRole: string | undefined
}

interface Login {
  name: string
  isSuperuser: boolean
  bypassesRowSecurity: boolean
  canCreateRoles: boolean
}

async function readLogin(client: ClientBase): Promise<Login> {
  const { rows } = await client.query(`
    select rolname as name, rolsuper as "isSuperuser", rolsuper or rolbypassrls as "bypassesRowSecurity",
           rolsuper or rolcreaterole as "canCreateRoles"
      from pg_roles where rolname = current_user`)
  return rows[0]
}

/** Each login gets its own request role, so that several installations can share a cluster. PostgreSQL truncates names at 63 bytes. */
function nameRequestRole(login: string): string {
  return `${login.slice(0, 55)}_request`
}

/**
 * Tries SET ROLE, because no query of the catalogue gives the answer in all versions. Before PostgreSQL 16, every member of a
 * role can set it. Since then, a member also needs the right in `pg_auth_members.set_option`, a column that older versions lack.
 * The rollback restores the session's role.
 */
async function canSetRole(client: ClientBase, role: string): Promise<boolean> {
  try {
    await client.query(`begin; set local role ${client.escapeIdentifier(role)}`)
    return true
  } catch {
    return false
  } finally {
    await client.query('rollback')
  }
}

/**
 * Finds out which roles we can use, without creating any. Call it outside a transaction, because it runs one of its own.
 */
export async function readDatabaseRoles(client: ClientBase): Promise<DatabaseRoles & { bypassesRowSecurity: boolean }> {
  const login = await readLogin(client)
  const role = nameRequestRole(login.name)
  return {
    login: login.name,
    requestRole: (await canSetRole(client, role)) ? role : undefined,
    bypassesRowSecurity: login.bypassesRowSecurity,
  }
}

/** Creates the request role if it is missing and our login can create roles. Returns the roles that we can use. Call it outside a transaction. */
export async function ensureRequestRole(client: ClientBase): Promise<DatabaseRoles> {
  const login = await readLogin(client)
  const name = client.escapeIdentifier(nameRequestRole(login.name))
  if (login.canCreateRoles && !(await canSetRole(client, nameRequestRole(login.name)))) {
    // Both statements may fail, because another node ran them first or an administrator manages the roles. readDatabaseRoles checks the result.
    await client.query(`create role ${name} nologin nosuperuser nobypassrls`).catch(() => {})
    await client.query(`grant ${name} to current_user`).catch(() => {})
  }
  const roles = await readDatabaseRoles(client)
  if (roles.requestRole === undefined && roles.bypassesRowSecurity) {
    throw new StartupError(
      `The database login "${roles.login}" bypasses row level security and can't create a role that doesn't.`,
      `Ask a database administrator to run: CREATE ROLE ${name} NOLOGIN; GRANT ${name} TO ${client.escapeIdentifier(roles.login)};`,
    )
  }
  return roles
}

/** Runs `work` in a read-only transaction that sees the rows of all users. */
export async function readAcrossUsers<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query(`begin read only; set local belfry.across_users = 'on'`)
  try {
    return await work()
  } finally {
    await client.query('rollback')
  }
}

export async function hasGrants(client: ClientBase, { requestRole }: DatabaseRoles): Promise<boolean> {
  if (requestRole === undefined) return true
  const { rows } = await client.query(
    `select has_schema_privilege($1, oid, 'usage') as granted from pg_namespace where nspname = 'belfry'`,
    [requestRole],
  )
  return rows[0]?.granted === true
}

export async function grantToRequestRole(client: ClientBase, role: string): Promise<void> {
  const name = client.escapeIdentifier(role)
  await client.query(`
    grant usage on schema belfry to ${name};
    grant select, insert, update, delete on all tables in schema belfry to ${name};
    revoke all on ${Object.keys(tablesWithoutOwner).join(', ')} from ${name};
    revoke insert, update, delete on audit_log from ${name};
    grant execute on all functions in schema belfry to ${name}`)
}

/** Counts the tables and partitions that hold users' rows, and names those that row level security doesn't protect. */
export async function readRowSecurityState(
  client: ClientBase,
): Promise<{ tableCount: number; unprotectedTables: string[] }> {
  const { rows } = await client.query<{ name: string; is_protected: boolean }>(
    `select c.relname::text as name, c.relrowsecurity and c.relforcerowsecurity
            and exists (select from pg_policy where polrelid = c.oid) as is_protected
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'belfry' and c.relkind in ('r', 'p') and c.relname <> all ($1)
      order by 1`,
    [Object.keys(tablesWithoutOwner)],
  )
  return {
    tableCount: rows.length,
    unprotectedTables: rows.filter(({ is_protected }) => !is_protected).map(({ name }) => name),
  }
}
