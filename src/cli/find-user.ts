import { findUserByEmail, type UserRow } from '../accounts/store.ts'
import { Problem } from '../lib/problem.ts'
import type { Queries } from '../storage/transaction.ts'
import { type Invocation, UsageError } from './common/command.ts'

/** Returns the `<email>` argument. */
export function getEmailArgument({ positionals: [email] }: Invocation): string {
  if (email === undefined) throw new UsageError('Missing argument: <email>')
  return email.trim()
}

export async function getUserByEmail(q: Queries, email: string): Promise<UserRow> {
  const { user } = await findUserByEmail(q, email)
  if (user === undefined)
    throw new Problem('not_found', `There is no user ${email}. Run \`user list\` to see all users.`)
  return user
}
