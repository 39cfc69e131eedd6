/** SQL for the list of the caller's sessions. */
import type { SessionMethod } from '../shared/sign-in.ts'
import type { Queries } from '../storage/transaction.ts'

export interface ListedSessionRow {
  id: number
  method: SessionMethod
  is_strong: boolean
  user_agent: string | null
  address: string | null
  created_at: Date
  extended_at: Date
}

/** Lists the sessions that were used last first. */
export async function listOwnSessions(q: Queries, now: Date): Promise<ListedSessionRow[]> {
  return q.query<ListedSessionRow & Record<string, unknown>>(
    `select id, method, is_strong, user_agent, address, created_at, extended_at
       from sessions
      where user_id = own_user() and expires_at > $1
      order by extended_at desc, id desc`,
    [now],
  )
}

export async function deleteOwnSession(q: Queries, id: number): Promise<boolean> {
  return (await q.query('delete from sessions where user_id = own_user() and id = $1 returning id', [id])).length > 0
}

/** Returns how many sessions were ended. */
export async function deleteSessionsExcept(q: Queries, sessionId: number): Promise<number> {
  return (await q.query('delete from sessions where user_id = own_user() and id <> $1 returning id', [sessionId]))
    .length
}
