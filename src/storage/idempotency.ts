/** The first answer to a creation, kept with it in one transaction: both are there after a crash, or neither. */
import { Problem } from '../lib/problem.ts'
import type { Queries } from './client.ts'

export const KEEP_IDEMPOTENCY_SECONDS = 86_400

export interface Created {
  /** Path of what was created. */
  path: string
  answer: object
}

export interface RepeatableRequest {
  userId: number
  key: string
  hmac: Buffer
  now: Date
}

/** Runs `create` unless this request was answered before. Needs a transaction of the user's. */
export async function createOnce(
  q: Queries,
  request: RepeatableRequest,
  create: () => Promise<Created>,
): Promise<Created & { replayed: boolean }> {
  const { userId, key, hmac, now } = request
  const [lock] = await q.query('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as got', [
    `idempotency ${userId} ${key}`,
  ])
  if (lock?.['got'] !== true) {
    throw new Problem('conflict', 'A request with this Idempotency-Key is still running.')
  }
  const [first] = await q.query(
    'select request_hmac, location, answer from idempotency_keys where key = $1 and created_at > $2',
    [key, expiry(now)],
  )
  if (first !== undefined) {
    if (!hmac.equals(first['request_hmac'])) {
      const sentence = 'The Idempotency-Key was used for another request.'
      throw new Problem('validation_failed', sentence, { errors: { 'Idempotency-Key': [sentence] } })
    }
    return { path: first['location'], answer: first['answer'], replayed: true }
  }
  const created = await create()
  await q.query(
    `insert into idempotency_keys (user_id, key, request_hmac, location, answer, created_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (user_id, key) do update set request_hmac = excluded.request_hmac, location = excluded.location,
       answer = excluded.answer, created_at = excluded.created_at`,
    [userId, key, hmac, created.path, JSON.stringify(created.answer), now],
  )
  return { ...created, replayed: false }
}

function expiry(now: Date): Date {
  return new Date(now.getTime() - KEEP_IDEMPOTENCY_SECONDS * 1000)
}

export async function dropOldIdempotencyKeys(q: Queries, now: Date): Promise<void> {
  await q.query('delete from idempotency_keys where created_at <= $1', [expiry(now)])
}
