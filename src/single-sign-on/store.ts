/** SQL for single sign-on: sign-ins that have begun, identities, and the sessions that come from them. */
import type { MappedRole } from '../config/single-sign-on.ts'
import type { Queries } from '../storage/transaction.ts'

/** `kind` tells these rows from those of other ways to sign in. */
const ATTEMPT_KIND = 'single_sign_on'
const LOGOUT_TOKEN_KIND = 'logout_token'

export async function insertAttempt(
  q: Queries,
  attempt: { tokenHash: Buffer; data: Buffer; expiresAt: Date },
): Promise<void> {
  await q.query('insert into sign_in_attempts (token_hash, kind, data, expires_at) values ($1, $2, $3, $4)', [
    attempt.tokenHash,
    ATTEMPT_KIND,
    attempt.data,
    attempt.expiresAt,
  ])
}

/** Each attempt can be taken once. */
export async function takeAttempt(q: Queries, tokenHash: Buffer, now: Date): Promise<Buffer | undefined> {
  const [row] = await q.query<{ data: Buffer }>(
    'delete from sign_in_attempts where token_hash = $1 and kind = $2 and expires_at > $3 returning data',
    [tokenHash, ATTEMPT_KIND, now],
  )
  return row?.data
}

/** Returns false if the same logout token was received before. */
export async function noteLogoutToken(q: Queries, tokenHash: Buffer, expiresAt: Date): Promise<boolean> {
  const rows = await q.query(
    `insert into sign_in_attempts (token_hash, kind, data, expires_at) values ($1, $2, '', $3)
     on conflict do nothing returning kind`,
    [tokenHash, LOGOUT_TOKEN_KIND, expiresAt],
  )
  return rows.length > 0
}

export interface Subject {
  issuer: string
  subject: string
}

/** Notes that the identity was used. Returns the user it belongs to. */
export async function useIdentity(
  q: Queries,
  { issuer, subject }: Subject,
  email: string | undefined,
  now: Date,
): Promise<number | undefined> {
  const [row] = await q.query<{ user_id: number }>(
    `update identities set last_used_at = $3, email = coalesce($4, email) where issuer = $1 and subject = $2
     returning user_id`,
    [issuer, subject, now, email ?? null],
  )
  return row?.user_id
}

export interface AccountRow {
  id: number
  email: string
  isEmailConfirmed: boolean
  hasIdentity: boolean
}

/**
 * Locks the account, so that its address can't change until the transaction ends. Addresses that are equal only here can belong to
 * different people, see `isSameAddress`.
 */
export async function lockAccountByEmail(q: Queries, email: string, issuer: string): Promise<AccountRow | undefined> {
  const [row] = await q.query<AccountRow & Record<string, unknown>>(
    `select u.id, u.email, u.email_confirmed_at is not null as "isEmailConfirmed",
            exists (select from identities i where i.user_id = u.id and i.issuer = $2) as "hasIdentity"
       from users u where lower(u.email) = lower($1) for no key update of u`,
    [email, issuer],
  )
  return row
}

/** An account has at most one identity. Returns false if the identity belongs to another account. */
export async function replaceIdentity(
  q: Queries,
  userId: number,
  { issuer, subject, email }: Subject & { email: string | undefined },
  now: Date,
): Promise<boolean> {
  const [, , owner] = await q.batch(
    {
      text: `insert into identities (issuer, subject, user_id, email, created_at, last_used_at) values ($1, $2, $3, $4, $5, $5)
             on conflict do nothing`,
      values: [issuer, subject, userId, email ?? null, now],
    },
    {
      text: `delete from identities
              where user_id = $3 and (issuer, subject) <> ($1, $2)
                and exists (select from identities where issuer = $1 and subject = $2 and user_id = $3)`,
      values: [issuer, subject, userId],
    },
    { text: 'select user_id from identities where issuer = $1 and subject = $2', values: [issuer, subject] },
  )
  return owner?.rows[0]?.['user_id'] === userId
}

export interface IdentityRow {
  issuer: string
  email: string | null
  created_at: Date
  last_used_at: Date | null
}

/** Finds the identity of the caller. */
export async function findOwnIdentity(q: Queries): Promise<IdentityRow | undefined> {
  const [row] = await q.query<IdentityRow & Record<string, unknown>>(
    `select issuer, email, created_at, last_used_at from identities where user_id = own_user()
      order by created_at desc limit 1`,
  )
  return row
}

/** Whether the caller has an account of this provider. */
export async function hasOwnIdentity(q: Queries, issuer: string): Promise<boolean> {
  const rows = await q.query('select from identities where user_id = own_user() and issuer = $1', [issuer])
  return rows.length > 0
}

/** Locks the caller's account. Returns whether the caller can sign in with a password or a passkey. */
export async function lockUserAndFindOtherWays(q: Queries): Promise<boolean> {
  const [row] = await q.query<{ has_other_ways: boolean }>(
    `select u.has_password or exists (select from passkeys p where p.user_id = u.id) as has_other_ways
       from users u where u.id = own_user() for no key update of u`,
  )
  return row?.has_other_ways === true
}

/** Deletes the caller's identities, and ends the other sessions that came from them. Returns false if there were none. */
export async function deleteOwnIdentities(q: Queries, sessionId: number): Promise<boolean> {
  const [, identities] = await q.batch(
    {
      text: `delete from sessions where user_id = own_user() and method = 'single_sign_on' and id <> $1`,
      values: [sessionId],
    },
    { text: 'delete from identities where user_id = own_user() returning user_id' },
  )
  return (identities?.rows.length ?? 0) > 0
}

/** The account has no password that anybody knows. */
export async function notePasswordlessUser(q: Queries, userId: number, confirmedAt: Date | null): Promise<void> {
  await q.query('update users set has_password = false, email_confirmed_at = $2 where id = $1', [userId, confirmedAt])
}

export interface SessionOrigin extends Partial<Subject> {
  method: 'single_sign_on' | 'proxy'
  providerSession?: string | undefined
  /** Encrypted. */
  idToken?: Buffer | undefined
}

/** Notes where a new session comes from. It needs no second factor: that is up to the provider or the proxy. */
export async function markSession(q: Queries, tokenHash: Buffer, origin: SessionOrigin): Promise<void> {
  const { method, issuer = null, subject = null, providerSession = null, idToken = null } = origin
  await q.query(
    `update sessions set method = $2, is_strong = true, issuer = $3, subject = $4, provider_session = $5, id_token = $6
      where token_hash = $1`,
    [tokenHash, method, issuer, subject, providerSession, idToken],
  )
}

/** Returns the encrypted ID token of a session of this provider. */
export async function findIdToken(q: Queries, sessionId: number, issuer: string): Promise<Buffer | undefined> {
  const [row] = await q.query<{ id_token: Buffer }>(
    'select id_token from sessions where id = $1 and issuer = $2 and id_token is not null',
    [sessionId, issuer],
  )
  return row?.id_token
}

/**
 * Ends the sessions that came from one session at the provider, or all sessions of a person. A session for which the provider had
 * sent no id of its own may be the one that ended, too.
 */
export async function deleteSessionsOf(
  q: Queries,
  {
    issuer,
    subject,
    providerSession,
  }: { issuer: string; subject: string | undefined; providerSession: string | undefined },
): Promise<number> {
  const rows = await q.query(
    `delete from sessions
      where issuer = $1
        and case when $3::text is null then subject = $2
                 else provider_session = $3 and subject = coalesce($2, subject) or provider_session is null and subject = $2 end
      returning id`,
    [issuer, subject ?? null, providerSession ?? null],
  )
  return rows.length
}

/** As with `lockAccountByEmail`, the address can belong to somebody else. */
export async function findAccountByEmail(
  q: Queries,
  email: string,
): Promise<Omit<AccountRow, 'hasIdentity'> | undefined> {
  const [row] = await q.query<AccountRow & Record<string, unknown>>(
    `select id, email, email_confirmed_at is not null as "isEmailConfirmed" from users where lower(email) = lower($1)`,
    [email],
  )
  return row
}

export type MembershipChange = 'none' | 'no team' | 'added' | 'changed' | 'removed' | 'last owner'

/** Gives the user this role in the team, or removes them. The last owner stays. Call it in a transaction. */
export async function setMembership(
  q: Queries,
  { teamId, userId, role, now }: { teamId: number; userId: number; role: MappedRole | null; now: Date },
): Promise<MembershipChange> {
  // Two owners whose roles change at the same time wait for each other here.
  const [team, members] = await q.batch(
    { text: 'select id from teams where id = $1 for no key update', values: [teamId] },
    {
      text: `select m.role, m.role = 'owner' and not exists (
                select from team_members o where o.team_id = m.team_id and o.role = 'owner' and o.user_id <> m.user_id) as "isLastOwner"
               from team_members m where m.team_id = $1 and m.user_id = $2`,
      values: [teamId, userId],
    },
  )
  if (team?.rows.length !== 1) return 'no team'
  const member = members?.rows[0]
  if (member === undefined) return role === null ? 'none' : insertMember(q, { teamId, userId, role, now })
  if (member['role'] === role) return 'none'
  if (member['isLastOwner']) return 'last owner'
  if (role === null) {
    await q.query('delete from team_members where team_id = $1 and user_id = $2', [teamId, userId])
    return 'removed'
  }
  // What was shared with a guest has no meaning for a member.
  await q.batch(
    { text: 'delete from guest_websites where team_id = $1 and user_id = $2', values: [teamId, userId] },
    { text: 'delete from guest_status_pages where team_id = $1 and user_id = $2', values: [teamId, userId] },
    {
      text: 'update team_members set role = $3, guest_can_edit = false where team_id = $1 and user_id = $2',
      values: [teamId, userId, role],
    },
  )
  return 'changed'
}

async function insertMember(
  q: Queries,
  { teamId, userId, role, now }: { teamId: number; userId: number; role: MappedRole; now: Date },
): Promise<'added' | 'none'> {
  const rows = await q.query(
    `insert into team_members (team_id, user_id, role, joined_at) values ($1, $2, $3, $4)
     on conflict do nothing returning user_id`,
    [teamId, userId, role, now],
  )
  return rows.length > 0 ? 'added' : 'none'
}
