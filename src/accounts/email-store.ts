/** SQL for the email addresses of users. */
import pg from 'pg'
import { Problem } from '../lib/problem.ts'
import type { Queries } from '../storage/transaction.ts'

/** Records that the address was proved to belong to the user. Returns false if it already was. */
export async function setEmailConfirmed(q: Queries, userId: number, now: Date): Promise<boolean> {
  const rows = await q.query(
    'update users set email_confirmed_at = $2 where id = $1 and email_confirmed_at is null returning id',
    [userId, now],
  )
  return rows.length > 0
}

/**
 * Replaces the address with a confirmed one, and returns the old address. Teams of the user that are called like the old address, as a
 * user's own team is at first, are renamed. Call it in a transaction.
 */
export async function replaceEmail(q: Queries, userId: number, email: string, now: Date): Promise<string | undefined> {
  try {
    const [row] = await q.query<{ old_email: string }>(
      `with old as (select id, email from users where id = $1 for no key update)
       update users u set email = $2, email_confirmed_at = $3 from old where u.id = old.id
       returning old.email as old_email`,
      [userId, email, now],
    )
    if (row === undefined || row.old_email === email) return row?.old_email
    await q.query(
      `update teams t set name = left($2, 100)
         from team_members m
        where m.user_id = $1 and m.role = 'owner' and t.id = m.team_id and t.name = left($3, 100)`,
      [userId, email, row.old_email],
    )
    return row.old_email
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.constraint === 'users_email_key') {
      throw new Problem('conflict', 'Another account has this address now, so nothing was changed.', { cause: error })
    }
    throw error
  }
}
