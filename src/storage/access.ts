/** Row level security's exceptions, and the role that requests run as. */
import type { ClientBase } from 'pg'
import { StartupError } from '../lib/startup-error.ts'

/** Tables whose rows are nobody's. Requests have no rights on them. */
export const tablesOfNobody = {
  migrations: 'what has been applied',
  instance: 'this installation',
  rate_counts: 'counters by hashed name',
  nodes: 'processes that take work',
  rollups: 'how far checks have been added up',
  event_inbox: 'events of many websites, on their way',
  visitor_salts: 'what makes visitors unknowable',
  removed_websites: 'whose traffic has still to go',
} as const

export interface Rights {
  login: string
  /** undefined: our login may not create roles, and requests run as the owner, under forced row level security. */
  requestRole: string | undefined
}

interface Login {
  name: string
  superuser: boolean
  bypasses: boolean
  creates: boolean
}

async function readLogin(client: ClientBase): Promise<Login> {
  const { rows } = await client.query(`
    select rolname as name, rolsuper as superuser, rolsuper or rolbypassrls as bypasses, rolsuper or rolcreaterole as creates
      from pg_roles where rolname = current_user`)
  return rows[0]
}

/** One a login, so that several installations in one cluster do not meet. PostgreSQL's names end at 63 bytes. */
function requestRoleOf(login: string): string {
  return `${login.slice(0, 55)}_request`
}

/** Tries it: being a member is not enough (since PostgreSQL 16), and no catalogue of older versions tells. */
async function canBecome(client: ClientBase, role: string): Promise<boolean> {
  try {
    await client.query(`set role ${client.escapeIdentifier(role)}`)
    await client.query('reset role')
    return true
  } catch {
    return false
  }
}

/** Finds the rights we have, without changing any. Not inside a transaction: a refusal would end it. */
export async function findRights(client: ClientBase): Promise<Rights & { bypassesRowSecurity: boolean }> {
  const login = await readLogin(client)
  const role = requestRoleOf(login.name)
  return {
    login: login.name,
    requestRole: (await canBecome(client, role)) ? role : undefined,
    bypassesRowSecurity: login.bypasses,
  }
}

/** Makes the role for requests where it is missing and we may. Not inside a transaction. */
export async function ensureRequestRole(client: ClientBase): Promise<Rights> {
  const login = await readLogin(client)
  const name = client.escapeIdentifier(requestRoleOf(login.name))
  if (login.creates && !(await canBecome(client, requestRoleOf(login.name)))) {
    // Either may be refused, because another node was first or an administrator keeps roles; what counts is what we can be.
    await client.query(`create role ${name} nologin nosuperuser nobypassrls`).catch(() => {})
    await client.query(`grant ${name} to current_user`).catch(() => {})
  }
  const rights = await findRights(client)
  if (rights.requestRole === undefined && rights.bypassesRowSecurity) {
    throw new StartupError(
      `The database login "${rights.login}" bypasses row level security and may not create a role without that right.`,
      `Let an administrator run: CREATE ROLE ${name} NOLOGIN; GRANT ${name} TO ${client.escapeIdentifier(rights.login)};`,
    )
  }
  return rights
}

export async function hasGrants(client: ClientBase, { requestRole }: Rights): Promise<boolean> {
  if (requestRole === undefined) return true
  const { rows } = await client.query(
    `select has_schema_privilege($1, oid, 'usage') as granted from pg_namespace where nspname = 'belfry'`,
    [requestRole],
  )
  return rows[0]?.granted === true
}

export async function grantRequestRole(client: ClientBase, role: string): Promise<void> {
  const name = client.escapeIdentifier(role)
  await client.query(`
    grant usage on schema belfry to ${name};
    grant select, insert, update, delete on all tables in schema belfry to ${name};
    revoke all on ${Object.keys(tablesOfNobody).join(', ')} from ${name};
    grant execute on all functions in schema belfry to ${name}`)
}

/** Tables and partitions whose rows are somebody's, and those among them that row level security does not cover. */
export async function readProtection(client: ClientBase): Promise<{ tables: number; unprotected: string[] }> {
  const { rows } = await client.query<{ name: string; closed: boolean }>(
    `select c.relname::text as name, c.relrowsecurity and c.relforcerowsecurity
            and exists (select from pg_policy where polrelid = c.oid) as closed
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'belfry' and c.relkind in ('r', 'p') and c.relname <> all ($1)
      order by 1`,
    [Object.keys(tablesOfNobody)],
  )
  return { tables: rows.length, unprotected: rows.filter(({ closed }) => !closed).map(({ name }) => name) }
}
