/** Accounts: made, listed and removed by an administrator; the password changed by its owner. */
import type { Clock } from '../lib/clock.ts'
import { hashPassword } from '../lib/password-hash.ts'
import { notFound, Problem } from '../lib/problem.ts'
import type { Queries } from '../storage/client.ts'
import {
  deleteSessionsOf,
  deleteUserRow,
  findUser,
  insertUser,
  lockAdministrators,
  type UserRow,
  updatePassword,
} from './store.ts'

export interface NewUser {
  email: string
  passwordHash: string
  isAdmin: boolean
}

/** Hashing takes long, so it happens before any transaction holds a connection. */
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

/** With everything that is theirs. Needs a transaction. */
export async function deleteUser(q: Queries, id: number): Promise<void> {
  const administrators = await lockAdministrators(q)
  if (administrators.length === 1 && administrators[0] === id) {
    throw new Problem('conflict', 'The last administrator cannot be deleted. Make another one first.')
  }
  if (!(await deleteUserRow(q, id))) throw notFound()
}

/** Ends every session of the user but the one that asks. */
export async function setPassword(q: Queries, userId: number, hash: string, keepSession: number | null): Promise<void> {
  await updatePassword(q, userId, hash)
  await deleteSessionsOf(q, userId, keepSession)
}
