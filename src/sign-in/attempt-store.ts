/** SQL for sign-ins and enrolments that have begun. Requests can't reach this table, so each function needs access across users. */
import type { Queries } from '../storage/transaction.ts'

export async function insertAttempt(
  q: Queries,
  attempt: { tokenHash: Buffer; kind: string; data: Buffer; expiresAt: Date },
): Promise<void> {
  await q.query('insert into sign_in_attempts (token_hash, kind, data, expires_at) values ($1, $2, $3, $4)', [
    attempt.tokenHash,
    attempt.kind,
    attempt.data,
    attempt.expiresAt,
  ])
}

export async function findAttemptData(
  q: Queries,
  kind: string,
  tokenHash: Buffer,
  now: Date,
): Promise<Buffer | undefined> {
  const [row] = await q.query(
    'select data from sign_in_attempts where token_hash = $1 and kind = $2 and expires_at > $3',
    [tokenHash, kind, now],
  )
  return row?.['data']
}

/** Returns the data to only one of several simultaneous calls. */
export async function deleteAttempt(
  q: Queries,
  kind: string,
  tokenHash: Buffer,
  now: Date,
): Promise<Buffer | undefined> {
  const [row] = await q.query(
    'delete from sign_in_attempts where token_hash = $1 and kind = $2 and expires_at > $3 returning data',
    [tokenHash, kind, now],
  )
  return row?.['data']
}

export async function deleteExpiredAttempts(q: Queries, now: Date): Promise<void> {
  await q.query('delete from sign_in_attempts where expires_at <= $1', [now])
}
