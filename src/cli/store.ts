/** SQL that only the command line needs. */
import type { KeyRow } from '../keys/store.ts'
import type { Database } from '../storage/database.ts'
import type { Queries } from '../storage/transaction.ts'

/** Runs a transaction as a member of the team with the rights of an owner, without needing one of their keys or sessions. */
export function asMember<T>(
  db: Database,
  { teamId, userId }: { teamId: number; userId: number },
  work: (q: Queries) => Promise<T>,
): Promise<T> {
  return db.transaction(async (q) => {
    await q.query('select enter_as_operator($1, $2, $3)', [teamId, userId, db.roles.requestRole ?? null])
    return work(q)
  })
}

/** Runs a transaction with the rights of an owner of the team, but as nobody in particular. */
export function asTeam<T>(db: Database, teamId: number, work: (q: Queries) => Promise<T>): Promise<T> {
  return db.transaction(async (q) => {
    await q.query('select enter_as_operator($1, null, $2)', [teamId, db.roles.requestRole ?? null])
    return work(q)
  })
}

export async function findTeamName(q: Queries, id: number): Promise<string | undefined> {
  return (await q.query('select name from teams where id = $1', [id]))[0]?.['name']
}

export interface TeamSummaryRow {
  id: number
  name: string
  members: number
  /** The addresses of the owners. */
  owners: string[]
  created_at: Date
}

/** Lists all teams, newest first. */
export function listAllTeams(q: Queries): Promise<TeamSummaryRow[]> {
  return q.query<TeamSummaryRow & Record<string, unknown>>(
    `select t.id, t.name, count(*)::int as members,
            coalesce(array_agg(u.email order by lower(u.email)) filter (where m.role = 'owner'), '{}') as owners, t.created_at
       from teams t
       join team_members m on m.team_id = t.id
       join users u on u.id = m.user_id
      group by t.id
      order by t.id desc`,
  )
}

export interface UserTeamRow {
  id: number
  name: string
}

/** Lists the teams of a user: first their own, then the others by name. */
export function listTeamsOfUser(q: Queries, userId: number): Promise<UserTeamRow[]> {
  return q.query<UserTeamRow & Record<string, unknown>>(
    `select t.id, t.name
       from team_members m
       join teams t on t.id = m.team_id
      where m.user_id = $1
      order by t.id <> m.user_id, lower(t.name), t.id`,
    [userId],
  )
}

export async function findKeyTeam(q: Queries, keyId: number): Promise<number | undefined> {
  return (await q.query('select team_id from api_keys where id = $1', [keyId]))[0]?.['team_id']
}

export type ListedKeyRow = KeyRow & { email: string; team_id: number; team_name: string }

/** Lists the keys of one user, or of all users if `userId` is null, newest first. */
export function listKeysOfUsers(q: Queries, userId: number | null): Promise<ListedKeyRow[]> {
  return q.query<ListedKeyRow>(
    `select k.id, k.name, k.scopes, k.prefix, k.created_by_key, k.created_at, k.last_used_at, k.expires_at as "expires_at?",
            k.allowed_ips as "allowed_ips?", k.last_used_ip as "last_used_ip?", u.email, k.team_id, t.name as team_name
       from api_keys k
       join users u on u.id = k.user_id
       join teams t on t.id = k.team_id
      where $1::bigint is null or k.user_id = $1
      order by k.id desc`,
    [userId],
  )
}
