/** SQL for links that reset a password or confirm an email address. They are stored under the hashes of their tokens. */
import type { Queries } from '../storage/transaction.ts'

export type AccountLinkKind = 'reset_password' | 'confirm_email'

interface NewLink {
  tokenHash: Buffer
  now: Date
  expiresAt: Date
}

/** Returns the address of the account as it is stored, or undefined if no account has this address. */
export async function insertResetLink(
  q: Queries,
  { email, isMailed, tokenHash, now, expiresAt }: NewLink & { email: string; isMailed: boolean },
): Promise<string | undefined> {
  // The same statement runs whether or not an account has the address, so its duration doesn't tell which.
  const [row] = await q.query<{ email: string }>(
    `with account as (select id, email from users where lower(email) = lower($1)), link as (
       insert into account_links (token_hash, user_id, kind, is_mailed, created_at, expires_at)
       select $2, id, 'reset_password', $3, $4, $5 from account
     )
     select email from account`,
    [email, tokenHash, isMailed, now, expiresAt],
  )
  return row?.email
}

/**
 * Adds a link that makes `email` the address of the user, unless another account has it. Then returns the address of that account, as
 * it is stored. The same statements run in both cases.
 */
export async function insertConfirmationLink(
  q: Queries,
  { userId, email, tokenHash, now, expiresAt }: NewLink & { userId: number; email: string },
): Promise<string | undefined> {
  const [owners] = await q.batch(
    {
      text: 'select email from users where lower(email) = lower($2) and id <> $1',
      values: [userId, email],
    },
    {
      text: `insert into account_links (token_hash, user_id, kind, email, is_mailed, created_at, expires_at)
             select $3, id, 'confirm_email', $2, true, $4, $5 from users
              where id = $1 and not exists (select from users other where lower(other.email) = lower($2) and other.id <> $1)`,
      values: [userId, email, tokenHash, now, expiresAt],
    },
  )
  return owners?.rows[0]?.['email']
}

export async function hasLink(q: Queries, kind: AccountLinkKind, tokenHash: Buffer, now: Date): Promise<boolean> {
  const rows = await q.query(
    'select user_id from account_links where token_hash = $1 and kind = $2 and expires_at > $3',
    [tokenHash, kind, now],
  )
  return rows.length > 0
}

export interface AccountLink {
  user_id: number
  email: string | null
  is_mailed: boolean
}

/**
 * Deletes the link, so that only one of several simultaneous uses succeeds. Call it in the transaction of its effect. Roll the transaction
 * back if the link belongs to another user, so that the link keeps working.
 */
export async function takeLink(
  q: Queries,
  kind: AccountLinkKind,
  tokenHash: Buffer,
  now: Date,
): Promise<AccountLink | undefined> {
  const [row] = await q.query<AccountLink & Record<string, unknown>>(
    `delete from account_links where token_hash = $1 and kind = $2 and expires_at > $3
     returning user_id, email, is_mailed`,
    [tokenHash, kind, now],
  )
  return row
}

/**
 * Call it when the address is first proved to belong to the user. Somebody else may have added passkeys and identities before, so they are
 * removed. If a copied invitation link created the account, anybody with the link could have done so. The account then also loses its other
 * second factors, its API keys, and all invitations that it sent or that lead to its own team, and its user becomes the only member of
 * that team.
 */
export async function endUnprovedAccess(q: Queries, userId: number): Promise<void> {
  const [user] = await q.query('select is_from_copied_link from users where id = $1', [userId])
  await q.batch(
    { text: 'delete from passkeys where user_id = $1', values: [userId] },
    { text: 'delete from identities where user_id = $1', values: [userId] },
    {
      text: `delete from recovery_codes
              where user_id = $1 and not exists (select from totp_secrets where user_id = $1 and confirmed_at is not null)`,
      values: [userId],
    },
  )
  if (user?.['is_from_copied_link'] !== true) return
  await q.batch(
    { text: 'delete from totp_secrets where user_id = $1', values: [userId] },
    { text: 'delete from recovery_codes where user_id = $1', values: [userId] },
    { text: 'delete from api_keys where user_id = $1', values: [userId] },
    { text: 'delete from invitations where invited_by = $1 or team_id = $1', values: [userId] },
    {
      text: `insert into team_members (team_id, user_id, role, joined_at)
             select t.id, t.id, 'owner', t.created_at from teams t where t.id = $1
             on conflict (team_id, user_id) do update set role = 'owner', guest_can_edit = false`,
      values: [userId],
    },
    { text: 'delete from team_members where team_id = $1 and user_id <> $1', values: [userId] },
  )
}

export async function deleteExpiredAccountLinks(q: Queries, now: Date): Promise<void> {
  await q.query('delete from account_links where expires_at <= $1', [now])
}
