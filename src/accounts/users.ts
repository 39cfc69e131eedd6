/** Creates and deletes users, and changes passwords. */
import type { Clock } from '../lib/clock.ts'
import { hashPassword } from '../lib/password-hash.ts'
import { notFound, Problem } from '../lib/problem.ts'
import type { Queries } from '../storage/transaction.ts'
import {
  deleteOtherSessions,
  deleteUserRow,
  findUser,
  insertUser,
  lockAdmins,
  replacePassword,
  type UserRow,
  updatePassword,
} from './store.ts'

export interface NewUser {
  email: string
  passwordHash: string
  isAdmin: boolean
  /** Whether the account is created with a copied invitation link, which doesn't prove that the address belongs to the user. */
  isFromCopiedLink?: boolean
}

/** Hashes the password. Hashing is slow, so call this before opening a transaction, which would hold a database connection. */
export async function prepareUser(input: { email: string; password: string; isAdmin: boolean }): Promise<NewUser> {
  return { email: input.email.trim(), passwordHash: await hashPassword(input.password), isAdmin: input.isAdmin }
}

export function createUser(q: Queries, user: NewUser, clock: Clock): Promise<UserRow> {
  return insertUser(q, { ...user, now: clock.now() })
}

export async function getUser(q: Queries, id: number): Promise<UserRow> {
  const user = await findUser(q, id)
  if (user === undefined) throw notFound()
  return user
}

/** Deletes the user, and the teams in which nobody else is a member. Call it in a transaction. */
export async function deleteUser(q: Queries, id: number): Promise<void> {
  const adminIds = await lockAdmins(q)
  if (adminIds.length === 1 && adminIds[0] === id) {
    throw new Problem('conflict', "The last admin can't be deleted. Create another admin first.")
  }
  if (!(await deleteUserRow(q, id))) throw notFound()
}

/** Sets the password and ends all sessions of the user. Call it in a transaction. */
export async function setPassword(q: Queries, userId: number, hash: string): Promise<void> {
  await updatePassword(q, userId, hash)
  await deleteOtherSessions(q, userId, null)
}

/**
 * Changes the password and ends all other sessions of the user. Returns false if the password has changed since
 * `hashes.current` was read, so only one of several simultaneous changes succeeds. Call it in a transaction.
 */
export async function changePassword(
  q: Queries,
  { userId, sessionId }: { userId: number; sessionId: number },
  hashes: { current: string; new: string },
): Promise<boolean> {
  if (!(await replacePassword(q, userId, hashes.current, hashes.new))) return false
  await deleteOtherSessions(q, userId, sessionId)
  return true
}
