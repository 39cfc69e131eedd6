/**
 * Idempotency keys: a repeated request gets the stored response of the first. The response is stored in the transaction that
 * creates the resource, so that after a crash either both exist or neither does.
 */
import { Problem } from '../lib/problem.ts'
import type { Queries } from './transaction.ts'

export const IDEMPOTENCY_KEY_LIFETIME_SECONDS = 86_400

export interface CreatedResource {
  /** Path of the created resource. */
  path: string
  responseBody: object
  /** What to store instead of `responseBody` if that contains a secret. `restoreBody` adds the secret again. */
  storedBody?: object
}

/** Turns the stored body into the response body. */
export type RestoreBody = (q: Queries, storedBody: object) => Promise<object>

export interface RepeatableRequest {
  teamId: number
  key: string
  requestHmac: Buffer
  now: Date
}

/** Runs `create`, or returns the stored response if the request is a repetition. `q` must be a transaction. */
export async function createOnce(
  q: Queries,
  request: RepeatableRequest,
  create: () => Promise<CreatedResource>,
  restoreBody: RestoreBody = async (_q, storedBody) => storedBody,
): Promise<CreatedResource & { isReplay: boolean }> {
  const { teamId, key, requestHmac, now } = request
  const [lock] = await q.query('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked', [
    `idempotency ${teamId} ${key}`,
  ])
  if (lock?.['locked'] !== true) {
    throw new Problem('conflict', 'A request with this `Idempotency-Key` is still running.')
  }
  const [storedResponse] = await q.query(
    'select request_hmac, location, answer from idempotency_keys where user_id = $1 and key = $2 and created_at > $3',
    [teamId, key, computeExpiryCutoff(now)],
  )
  if (storedResponse !== undefined) {
    if (!requestHmac.equals(storedResponse['request_hmac'])) {
      const detail = 'This `Idempotency-Key` was used for a different request.'
      throw new Problem('validation_failed', detail, { errors: { 'Idempotency-Key': [detail] } })
    }
    const responseBody = await restoreBody(q, storedResponse['answer'])
    return { path: storedResponse['location'], responseBody, isReplay: true }
  }
  const resource = await create()
  await q.query(
    `insert into idempotency_keys (user_id, key, request_hmac, location, answer, created_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (user_id, key) do update set request_hmac = excluded.request_hmac, location = excluded.location,
       answer = excluded.answer, created_at = excluded.created_at`,
    [teamId, key, requestHmac, resource.path, JSON.stringify(resource.storedBody ?? resource.responseBody), now],
  )
  return { ...resource, isReplay: false }
}

function computeExpiryCutoff(now: Date): Date {
  return new Date(now.getTime() - IDEMPOTENCY_KEY_LIFETIME_SECONDS * 1000)
}

export async function deleteExpiredIdempotencyKeys(q: Queries, now: Date): Promise<void> {
  await q.query('delete from idempotency_keys where created_at <= $1', [computeExpiryCutoff(now)])
}
