/** SQL of what became of an attempt, across users. */
import type { Statement } from '../storage/flight.ts'
import type { Alert, Queue } from './outbox-store.ts'
import { givenUp, type Outcome } from './outcome.ts'
import { tooOldBefore } from './pauses.ts'

/** A queue that waited for a day is cleared in pieces. */
const GIVE_UP_AT_ONCE = 1_000

/** Of a row that is found by its key: said like this, the indexes of what waits do not look smaller and therefore better. */
const stillWaits = 'next_attempt_at is not null'

interface Settled<O extends Outcome = Outcome> {
  queue: Queue
  node: number
  alert: Alert
  outcome: O
  now: Date
}

/** Providers are locked before their alerts, as deleting does. */
export function settle(settled: Settled): Statement[] {
  const { outcome, ...rest } = settled
  if (outcome.result === 'sent') return settleSent({ ...rest, outcome })
  if (outcome.result === 'failed') return settleFailed({ ...rest, outcome })
  return settleAgain({ ...rest, outcome })
}

/** What was taken was taken, even if the queue has become another node's. Where the provider was away, it is back. */
function settleSent({ queue, alert, outcome, now }: Settled<Extract<Outcome, { result: 'sent' }>>): Statement[] {
  const { userId, providerId } = queue
  return [
    {
      text: `with back as (
          update providers set failed_in_a_row = 0, rests_until = null, failure = null, failed_at = null
           where user_id = $1 and id = $2 and (failed_in_a_row > 0 or failure is not null)
          returning id
        ), later as (
          select id from alerts
           where user_id = $1 and provider_id = $2 and state = 'waiting' and next_attempt_at > $3
             and exists (select from back)
           order by next_attempt_at, id
        )
        update alerts set next_attempt_at = $3
         where user_id = $1 and id = any (array(select id from later)) and ${stillWaits}`,
      values: [userId, providerId, now],
    },
    {
      text: `update alerts set state = 'sent', attempts = attempts + 1, next_attempt_at = null, last_attempt_at = $3, answer = $4
              where user_id = $1 and id = $2 and ${stillWaits}`,
      values: [userId, alert.id, now, outcome.answer],
    },
  ]
}

/** The provider rests, and nobody holds it. */
const rest = (also = '') => `mine as (
    update providers set failed_in_a_row = failed_in_a_row + 1, rests_until = $5, claimed_by = null${also}
     where user_id = $1 and id = $2 and claimed_by = $3
    returning id
  )`

function settleFailed({
  queue,
  node,
  alert,
  outcome,
  now,
}: Settled<Extract<Outcome, { result: 'failed' }>>): Statement[] {
  const { answer, failure, restsUntil } = outcome
  return [
    {
      text: `with ${rest(', failure = $8, failed_at = $6')}
        update alerts set state = 'failed', attempts = attempts + 1, next_attempt_at = null, last_attempt_at = $6, answer = $7
         where user_id = $1 and id = $4 and ${stillWaits} and exists (select from mine)`,
      values: [queue.userId, queue.providerId, node, alert.id, restsUntil, now, answer, failure],
    },
    giveUp(queue, answer, now),
  ]
}

/** What comes later about the same monitor waits as long. */
function settleAgain({
  queue,
  node,
  alert,
  outcome,
  now,
}: Settled<Extract<Outcome, { result: 'again' }>>): Statement[] {
  const { answer, nextAttemptAt, restsUntil } = outcome
  return [
    {
      text: `with ${rest()}, behind as (
          update alerts set next_attempt_at = $8
           where user_id = $1 and provider_id = $2 and monitor_id = $9 and state = 'waiting' and id > $4
             and next_attempt_at < $8 and exists (select from mine)
        )
        update alerts set attempts = attempts + 1, next_attempt_at = $8, last_attempt_at = $6, answer = $7
         where user_id = $1 and id = $4 and ${stillWaits} and exists (select from mine)`,
      values: [queue.userId, queue.providerId, node, alert.id, restsUntil, now, answer, nextAttemptAt, alert.monitorId],
    },
    giveUp(queue, answer, now),
  ]
}

/** While one of its messages was tried after the other, others grew too old. They met the same. */
function giveUp({ userId, providerId }: Queue, answer: string, now: Date): Statement {
  return {
    text: `with oldest as (
        select id, created_at from alerts
         where user_id = $1 and provider_id = $2 and state = 'waiting' order by next_attempt_at, id limit $7
      ), given_up as (
        update alerts set state = 'failed', next_attempt_at = null, answer = $4
         where user_id = $1 and id = any (array(select id from oldest where created_at <= $3)) and ${stillWaits}
        returning id
      )
      update providers set failure = $5, failed_at = $6
       where user_id = $1 and id = $2 and exists (select from given_up)`,
    values: [userId, providerId, tooOldBefore(now), answer, givenUp(answer), now, GIVE_UP_AT_ONCE],
  }
}

/** Nothing was tried, or it does not count. */
export function release({ userId, providerId }: Queue, node: number, restsUntil: Date | null = null): Statement {
  return {
    text: `update providers set claimed_by = null, rests_until = coalesce($4, rests_until)
            where user_id = $1 and id = $2 and claimed_by = $3`,
    values: [userId, providerId, node, restsUntil],
  }
}
