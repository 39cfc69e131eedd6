/** SQL for email recipients: who has blocked this server, and how many test emails each address got per day. */
import type { Queries } from '../storage/transaction.ts'

export async function isRecipientBlocked(q: Queries, addressHash: Buffer): Promise<boolean> {
  const rows = await q.query('select from blocked_recipients where address_hash = $1', [addressHash])
  return rows.length > 0
}

export async function blockRecipient(q: Queries, addressHash: Buffer, now: Date): Promise<void> {
  await q.query('insert into blocked_recipients (address_hash, blocked_at) values ($1, $2) on conflict do nothing', [
    addressHash,
    now,
  ])
}

export async function unblockRecipient(q: Queries, addressHash: Buffer): Promise<void> {
  await q.query('delete from blocked_recipients where address_hash = $1', [addressHash])
}

/** Counts one test email, or returns false if it would exceed the limit. */
export async function countTestEmail(q: Queries, addressHash: Buffer, day: string, limit: number): Promise<boolean> {
  const rows = await q.query(
    `insert into test_email_days as days (address_hash, day, sent) values ($1, $2, 1)
     on conflict (address_hash, day) do update set sent = days.sent + 1 where days.sent < $3
     returning sent`,
    [addressHash, day, limit],
  )
  return rows.length > 0
}

export async function uncountTestEmail(q: Queries, addressHash: Buffer, day: string): Promise<void> {
  await q.query('update test_email_days set sent = sent - 1 where address_hash = $1 and day = $2 and sent > 0', [
    addressHash,
    day,
  ])
}

/** Deletes the counts of the days before `before`. */
export async function deleteOldTestEmailCounts(q: Queries, before: string): Promise<void> {
  await q.query('delete from test_email_days where day < $1', [before])
}
