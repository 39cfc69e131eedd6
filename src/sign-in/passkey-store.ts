/** SQL for passkeys. */
import pg from 'pg'
import { Problem } from '../lib/problem.ts'
import type { Queries } from '../storage/transaction.ts'

export interface PasskeyRow {
  id: number
  name: string
  created_at: Date
  last_used_at: Date | null
  is_backed_up: boolean
}

const passkeyColumns = 'id, name, created_at, last_used_at, is_backed_up'

export async function listPasskeys(q: Queries): Promise<PasskeyRow[]> {
  return q.query<PasskeyRow & Record<string, unknown>>(
    `select ${passkeyColumns} from passkeys where user_id = own_user() order by id`,
  )
}

export interface CredentialRow {
  credential_id: Buffer
  transports: string[]
}

export async function listCredentials(q: Queries, userId: number): Promise<CredentialRow[]> {
  return q.query<CredentialRow & Record<string, unknown>>(
    'select credential_id, transports from passkeys where user_id = $1 order by id',
    [userId],
  )
}

/** What a new passkey stores about the caller. */
export async function findPasskeyUser(q: Queries): Promise<{ email: string; passkey_handle: string } | undefined> {
  const [row] = await q.query<{ email: string; passkey_handle: string }>(
    'select email, passkey_handle from users where id = own_user()',
  )
  return row
}

export interface NewPasskey {
  credentialId: Uint8Array
  publicKey: Uint8Array
  counter: number
  transports: readonly string[]
  isBackedUp: boolean
  name: string
  now: Date
}

export async function insertPasskey(q: Queries, passkey: NewPasskey): Promise<PasskeyRow> {
  try {
    const [row] = await q.query<PasskeyRow & Record<string, unknown>>(
      `insert into passkeys (user_id, credential_id, public_key, counter, transports, is_backed_up, name, created_at)
       values (own_user(), $1, $2, $3, $4, $5, $6, $7)
       returning ${passkeyColumns}`,
      [
        Buffer.from(passkey.credentialId),
        Buffer.from(passkey.publicKey),
        passkey.counter,
        passkey.transports,
        passkey.isBackedUp,
        passkey.name,
        passkey.now,
      ],
    )
    return row as PasskeyRow
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.constraint === 'passkeys_credential_id_key') {
      throw new Problem('conflict', 'This passkey has already been added.', { cause: error })
    }
    throw error
  }
}

export async function updatePasskeyName(q: Queries, id: number, name: string): Promise<PasskeyRow | undefined> {
  const [row] = await q.query<PasskeyRow & Record<string, unknown>>(
    `update passkeys set name = $2 where user_id = own_user() and id = $1 returning ${passkeyColumns}`,
    [id, name],
  )
  return row
}

export async function deletePasskeyRow(q: Queries, id: number): Promise<boolean> {
  return (await q.query('delete from passkeys where user_id = own_user() and id = $1 returning id', [id])).length > 0
}

/** Whether the caller can sign in without a passkey: with a password, or through single sign-on. */
export async function canSignInWithoutPasskey(q: Queries): Promise<boolean> {
  const [row] = await q.query(
    `select has_password or exists (select from identities i where i.user_id = u.id) as can
       from users u where u.id = own_user()`,
  )
  return row?.['can'] === true
}

export interface StoredPasskey {
  id: number
  user_id: number
  passkey_handle: string
  public_key: Buffer
  counter: number
  transports: string[]
}

/** Finds the passkey of any user. */
export async function findPasskeyByCredential(q: Queries, credentialId: Buffer): Promise<StoredPasskey | undefined> {
  const [row] = await q.query<StoredPasskey & Record<string, unknown>>(
    `select p.id, p.user_id, u.passkey_handle, p.public_key, p.counter, p.transports
       from passkeys p
       join users u on u.id = p.user_id
      where p.credential_id = $1`,
    [credentialId],
  )
  return row
}

/**
 * Returns false if the passkey was deleted, or if another sign-in has used this count of its signature counter or a higher
 * one. Passkeys without a counter always send zero.
 */
export async function notePasskeyUse(
  q: Queries,
  { id, counter, isBackedUp, now }: { id: number; counter: number; isBackedUp: boolean; now: Date },
): Promise<boolean> {
  const rows = await q.query(
    `update passkeys set counter = $2, is_backed_up = $3, last_used_at = $4
      where id = $1 and (counter < $2 or (counter = 0 and $2 = 0))
     returning id`,
    [id, counter, isBackedUp, now],
  )
  return rows.length > 0
}
