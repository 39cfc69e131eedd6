/** The account of a person whom an authenticating proxy names. */
import { startSession } from '../accounts/sign-in.ts'
import type { SessionClient } from '../accounts/store.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { hashToken } from '../lib/token.ts'
import type { Database } from '../storage/database.ts'
import { isSameAddress, parseEmailAddress } from './claims.ts'
import { SignInRefusal } from './refusal.ts'
import { createPasswordlessUser, hashUnknownPassword } from './sign-in.ts'
import { findAccountByEmail, markSession } from './store.ts'

interface Deps {
  clock: Clock
  db: Database
}

/** Returns undefined if nobody has the address that the header contains. */
export async function findProxyUser(
  { db }: Deps,
  header: string,
): Promise<{ id: number; isEmailConfirmed: boolean } | undefined> {
  const email = parseEmailAddress(header)
  if (email === undefined) return undefined
  const account = await findAccountByEmail(db, email)
  return account !== undefined && isSameAddress(account.email, email) ? account : undefined
}

/**
 * Returns the token of a new session, or why there is none: because there is no account and none may be created, or because nothing has
 * proved yet whose account it is. Any user can create an account for the address of somebody else by accepting their own invitation.
 * They would keep their password and their API keys, and see everything that the person later adds.
 */
export async function startProxySession(
  deps: Deps,
  { createsUsers }: NonNullable<Config['authHeader']>,
  header: string,
  client: SessionClient,
): Promise<{ token: string } | 'no account' | 'unconfirmed'> {
  const { clock, db } = deps
  const user = (await findProxyUser(deps, header)) ?? (createsUsers ? await createProxyUser(deps, header) : undefined)
  if (user === undefined) return 'no account'
  if (!user.isEmailConfirmed) return 'unconfirmed'
  return db.transaction(async (q) => {
    const token = await startSession(q, user.id, clock, client)
    await markSession(q, hashToken(token), { method: 'proxy' })
    return { token }
  })
}

async function createProxyUser(deps: Deps, header: string): ReturnType<typeof findProxyUser> {
  const email = parseEmailAddress(header)
  if (email === undefined) return undefined
  const passwordHash = await hashUnknownPassword()
  try {
    const now = deps.clock.now()
    const person = { email, isVerified: true }
    const id = await deps.db.transaction((q) => createPasswordlessUser(q, person, passwordHash, now))
    return { id, isEmailConfirmed: true }
  } catch (error) {
    // Nobody has set up the server yet. The page says so.
    if (error instanceof SignInRefusal) return undefined
    // Another request of the same page has just created the account.
    if (error instanceof Problem && error.code === 'validation_failed') return findProxyUser(deps, header)
    throw error
  }
}
