import { findUserByEmail, type UserRow } from '../accounts/store.ts'
import { Problem } from '../lib/problem.ts'
import type { Queries } from '../storage/client.ts'
import { type Invocation, UsageError } from './command.ts'

/** The e-mail that follows the command's name. */
export function emailOf({ positionals: [email] }: Invocation): string {
  if (email === undefined) throw new UsageError('Whose? Give the e-mail.')
  return email.trim()
}

export async function getUserByEmail(q: Queries, email: string): Promise<UserRow> {
  const user = await findUserByEmail(q, email)
  if (user === undefined) throw new Problem('not_found', `There is no user ${email}. \`user list\` shows who there is.`)
  return user
}
