/** SQL for users and sessions. */
import pg from 'pg'
import { invalid, Problem } from '../lib/problem.ts'
import type { CallerRole } from '../shared/roles.ts'
import type { SessionMethod } from '../shared/sign-in.ts'
import type { Queries } from '../storage/transaction.ts'

export interface UserRow {
  id: number
  email: string
  is_admin: boolean
  created_at: Date
}

const userColumns = 'id, email, is_admin, created_at'

/**
 * Only admins can manage users, and so can Belfry itself when it works across users. Row level security enforces the
 * same rule.
 */
const MAY_MANAGE_USERS = '(caller_is_administrator() or looks_across_users())'

export async function insertUser(
  q: Queries,
  user: { email: string; passwordHash: string; isAdmin: boolean; isFromCopiedLink?: boolean; now: Date },
): Promise<UserRow> {
  try {
    const [row] = await q.query<UserRow>(
      `insert into users (email, password_hash, is_admin, is_from_copied_link, created_at) values ($1, $2, $3, $4, $5)
       returning ${userColumns}`,
      [user.email, user.passwordHash, user.isAdmin, user.isFromCopiedLink ?? false, user.now],
    )
    return row as UserRow
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.constraint === 'users_email_key') {
      throw invalid({ email: ['`email` has already been taken.'] })
    }
    throw error
  }
}

export async function listUsers(q: Queries, page: { limit: number; offset: number }) {
  const [rows, count] = await q.batch(
    {
      text: `select ${userColumns} from users where ${MAY_MANAGE_USERS} order by id desc limit $1 offset $2`,
      values: [page.limit, page.offset],
    },
    { text: `select count(*) as total from users where ${MAY_MANAGE_USERS}` },
  )
  return { users: rows?.rows as UserRow[], total: count?.rows[0]?.['total'] as number }
}

export async function hasUsers(q: Queries): Promise<boolean> {
  return (await q.query('select exists (select from users) as has_users'))[0]?.['has_users'] === true
}

export async function findUser(q: Queries, id: number): Promise<UserRow | undefined> {
  return (await q.query<UserRow>(`select ${userColumns} from users where ${MAY_MANAGE_USERS} and id = $1`, [id]))[0]
}

/**
 * `foldedEmail` is the email in lower case, whether or not an account has it. It comes from PostgreSQL, because JavaScript's rules
 * for lower case give a different result for some letters.
 */
export async function findUserByEmail(
  q: Queries,
  email: string,
): Promise<{ foldedEmail: string; user: (UserRow & { password_hash: string }) | undefined }> {
  const [folded, users] = await q.batch(
    { text: 'select lower($1::text) as email', values: [email] },
    { text: `select ${userColumns}, password_hash from users where lower(email) = lower($1)`, values: [email] },
  )
  return {
    foldedEmail: folded?.rows[0]?.['email'] as string,
    user: users?.rows[0] as (UserRow & { password_hash: string }) | undefined,
  }
}

export async function findPasswordHash(q: Queries, userId: number): Promise<string | undefined> {
  return (await q.query(`select password_hash from users where id = $1`, [userId]))[0]?.['password_hash']
}

export async function updatePassword(q: Queries, userId: number, passwordHash: string): Promise<void> {
  await q.query('update users set password_hash = $2, has_password = true where id = $1', [userId, passwordHash])
}

/** Returns false if the password has changed since `currentHash` was read. */
export async function replacePassword(
  q: Queries,
  userId: number,
  currentHash: string,
  newHash: string,
): Promise<boolean> {
  const rows = await q.query('update users set password_hash = $3 where id = $1 and password_hash = $2 returning id', [
    userId,
    currentHash,
    newHash,
  ])
  return rows.length > 0
}

/** Locks all admins, so that two concurrent deletions can't remove the last one. */
export async function lockAdmins(q: Queries): Promise<number[]> {
  const rows = await q.query(`select id from users where ${MAY_MANAGE_USERS} and is_admin order by id for update`)
  return rows.map((row) => row['id'])
}

export async function deleteUserRow(q: Queries, id: number): Promise<boolean> {
  try {
    return (await q.query(`delete from users where ${MAY_MANAGE_USERS} and id = $1 returning id`, [id])).length > 0
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.constraint === 'teams_owner_check') {
      const message = 'The user is the last owner of a team with other members. Appoint another owner first.'
      throw new Problem('conflict', message, { cause: error })
    }
    throw error
  }
}

/** How and from where a session was started. */
export interface SessionDetails {
  method: SessionMethod
  /** Whether the user proved a second factor, used a passkey or came through single sign-on. */
  isStrong: boolean
  userAgent: string | undefined
  address: string | undefined
}

/** The client that started a session. */
export type SessionClient = Pick<SessionDetails, 'userAgent' | 'address'>

export interface NewSession extends SessionDetails {
  userId: number
  tokenHash: Buffer
  now: Date
  expiresAt: Date
}

export async function insertSession(q: Queries, session: NewSession): Promise<void> {
  await q.query(
    `insert into sessions (user_id, token_hash, created_at, extended_at, expires_at, method, is_strong, user_agent, address)
     values ($1, $2, $3, $3, $4, $5, $6, $7, $8)`,
    [
      session.userId,
      session.tokenHash,
      session.now,
      session.expiresAt,
      session.method,
      session.isStrong,
      session.userAgent ?? null,
      session.address ?? null,
    ],
  )
}

/**
 * Locks the account until the transaction ends, so that a session which the transaction starts is one that a change of the password
 * or of a second factor sees and can end. Such a change waits for this lock, and this lock for such a change. Returns undefined if the
 * account was deleted or its password has changed since `passwordHash` was read. With null, the password doesn't matter.
 */
export async function lockUserForSignIn(
  q: Queries,
  userId: number,
  passwordHash: string | null,
): Promise<UserRow | undefined> {
  const rows = await q.query<UserRow>(
    `select ${userColumns} from users where id = $1 and ($2::text is null or password_hash = $2) for share`,
    [userId, passwordHash],
  )
  return rows[0]
}

export interface SessionRow {
  id: number
  user_id: number
  team_id: number
  role: CallerRole
  email: string
  is_admin: boolean
  extended_at: Date
  expires_at: Date
}

export async function findSession(q: Queries, tokenHash: Buffer, now: Date): Promise<SessionRow | undefined> {
  const rows = await q.query<SessionRow>(
    // The team that the session chose, otherwise the user's own. A user who has left these acts in their oldest team.
    `select s.id, s.user_id, m.team_id, m.role, u.email, u.is_admin, s.extended_at, s.expires_at
       from sessions s
       join users u on u.id = s.user_id
      cross join lateral (
         select team_id, role
           from team_members
          where user_id = s.user_id
          order by team_id = s.team_id desc nulls last, team_id = s.user_id desc, team_id
          limit 1
       ) m
      where s.token_hash = $1 and s.expires_at > $2`,
    [tokenHash, now],
  )
  return rows[0]
}

export async function extendSession(q: Queries, id: number, now: Date, expiresAt: Date): Promise<void> {
  await q.query('update sessions set extended_at = $2, expires_at = $3 where id = $1', [id, now, expiresAt])
}

export async function deleteSession(q: Queries, id: number): Promise<void> {
  await q.query('delete from sessions where user_id = own_user() and id = $1', [id])
}

/** Deletes all sessions of the user except the current one, or all of them if `currentSessionId` is null. */
export async function deleteOtherSessions(q: Queries, userId: number, currentSessionId: number | null): Promise<void> {
  await q.query('delete from sessions where user_id = $1 and id is distinct from $2', [userId, currentSessionId])
}

export async function deleteExpiredSessions(q: Queries, now: Date): Promise<void> {
  await q.query('delete from sessions where expires_at <= $1', [now])
}
