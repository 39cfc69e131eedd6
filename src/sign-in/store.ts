/** SQL for second factors: authenticator apps, recovery codes, and what an account can sign in with. */
import type { Queries } from '../storage/transaction.ts'

/** Locks the caller's account, so that a sign-in waits for the change of a second factor. See `lockUserForSignIn`. */
export async function lockOwnUser(q: Queries): Promise<void> {
  await q.query('select from users where id = own_user() for no key update')
}

export interface SecondFactors {
  has_totp: boolean
  recovery_codes: number
  passkeys: number
}

/** An authenticator app that isn't confirmed yet doesn't count. */
export async function countSecondFactors(q: Queries, userId: number): Promise<SecondFactors> {
  const [row] = await q.query<SecondFactors & Record<string, unknown>>(
    `select exists (select from totp_secrets where user_id = $1 and confirmed_at is not null) as has_totp,
            (select count(*)::int from recovery_codes where user_id = $1) as recovery_codes,
            (select count(*)::int from passkeys where user_id = $1) as passkeys`,
    [userId],
  )
  return row as SecondFactors
}

export interface AccountProof {
  password_hash: string
  has_password: boolean
  email: string
  /** When the session began. */
  session_created_at: Date
}

/** Returns undefined if the session has ended. */
export async function findAccountProof(q: Queries, sessionId: number): Promise<AccountProof | undefined> {
  const [row] = await q.query<AccountProof & Record<string, unknown>>(
    `select u.password_hash, u.has_password, u.email, s.created_at as session_created_at
       from users u
       join sessions s on s.user_id = u.id
      where u.id = own_user() and s.id = $1`,
    [sessionId],
  )
  return row
}

export interface AccountState {
  has_password: boolean
  email_confirmed: boolean
}

export async function findAccountState(q: Queries): Promise<AccountState | undefined> {
  const [row] = await q.query<AccountState & Record<string, unknown>>(
    `select has_password, email_confirmed_at is not null as email_confirmed from users where id = own_user()`,
  )
  return row
}

/** Returns false if the account already has an authenticator app. Replaces one that isn't confirmed. */
export async function saveTotpSecret(q: Queries, sealedSecret: Buffer): Promise<boolean> {
  const rows = await q.query(
    `insert into totp_secrets (user_id, sealed_secret) values (own_user(), $1)
     on conflict (user_id) do update set sealed_secret = excluded.sealed_secret, last_step = null where totp_secrets.confirmed_at is null
     returning user_id`,
    [sealedSecret],
  )
  return rows.length > 0
}

export async function findTotpSecret(
  q: Queries,
  userId: number,
): Promise<{ secret: Buffer; confirmed_at: Date | null } | undefined> {
  const [row] = await q.query<{ secret: Buffer; confirmed_at: Date | null }>(
    'select sealed_secret as secret, confirmed_at from totp_secrets where user_id = $1',
    [userId],
  )
  return row
}

export async function confirmTotpSecret(q: Queries, { now, step }: { now: Date; step: number }): Promise<void> {
  await q.query('update totp_secrets set confirmed_at = $1, last_step = $2 where user_id = own_user()', [now, step])
}

/** Returns false if a code of this step or a later one was used before. So only one of several simultaneous uses of a code succeeds. */
export async function useTotpStep(q: Queries, userId: number, step: number): Promise<boolean> {
  const rows = await q.query(
    `update totp_secrets set last_step = $2
      where user_id = $1 and confirmed_at is not null and coalesce(last_step < $2, true)
     returning user_id`,
    [userId, step],
  )
  return rows.length > 0
}

/** Returns false if the account has no authenticator app. */
export async function deleteTotpSecret(q: Queries): Promise<boolean> {
  const rows = await q.query(
    'delete from totp_secrets where user_id = own_user() and confirmed_at is not null returning user_id',
  )
  return rows.length > 0
}

export async function replaceRecoveryCodes(q: Queries, hashes: readonly Buffer[]): Promise<void> {
  await q.batch(
    { text: 'delete from recovery_codes where user_id = own_user()' },
    {
      text: 'insert into recovery_codes (user_id, code_hash) select own_user(), hash from unnest($1::bytea[]) as hash',
      values: [hashes],
    },
  )
}

/** Returns true to only one of several simultaneous uses of a code. */
export async function useRecoveryCode(q: Queries, userId: number, hash: Buffer): Promise<boolean> {
  const rows = await q.query('delete from recovery_codes where user_id = $1 and code_hash = $2 returning user_id', [
    userId,
    hash,
  ])
  return rows.length > 0
}

/** The user has proved a second factor in this session. */
export async function strengthenSession(q: Queries, sessionId: number): Promise<void> {
  await q.query('update sessions set is_strong = true where user_id = own_user() and id = $1', [sessionId])
}

/** Call it if the account has no second factor. Sessions that came through a proxy or the linked identity stay strong. */
export async function weakenOwnSessions(q: Queries): Promise<void> {
  await q.query(
    `update sessions s set is_strong = false
      where s.user_id = own_user() and s.is_strong and s.method <> 'proxy'
        and not (s.method = 'single_sign_on' and exists (
              select from identities i where i.user_id = s.user_id and i.issuer = s.issuer and i.subject = s.subject))`,
  )
}

/** Removes all second factors of a user, and returns what there was. Ends no sessions. */
export async function deleteSecondFactors(
  q: Queries,
  userId: number,
): Promise<SecondFactors & { has_password: boolean }> {
  const [user] = await q.query('select has_password from users where id = $1 for no key update', [userId])
  const factors = await countSecondFactors(q, userId)
  await q.batch(
    { text: 'delete from totp_secrets where user_id = $1', values: [userId] },
    { text: 'delete from recovery_codes where user_id = $1', values: [userId] },
    { text: 'delete from passkeys where user_id = $1', values: [userId] },
  )
  return { ...factors, has_password: user?.['has_password'] === true }
}
