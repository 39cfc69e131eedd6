/** Sends what waits for one provider, one after the other, until there is no more, it fails, or others should have a turn. */
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { after, type Clock } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import { Problem } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import type { Courier } from '../providers/courier.ts'
import { DeliveryError } from '../providers/provider.ts'
import { settingsOf } from '../providers/record.ts'
import { withSmsAllowance } from '../providers/sms-allowance.ts'
import { isAway } from '../storage/connection-loss.ts'
import type { Database } from '../storage/database.ts'
import type { Statement } from '../storage/flight.ts'
import { monitorPage } from './messages.ts'
import { keepOrder, type Next, nextOf, pickNext, type Queue } from './outbox-store.ts'
import { failedOutcome, type Outcome, sentOutcome } from './outcome.ts'
import { release, settle } from './outcome-store.ts'

/** Then others have a turn. */
const ROUND_MESSAGES = 50
const ROUND_MS = 20_000
/** Until what could not even be tried is tried again: the database was away. */
const RELEASED_REST_MS = 5_000

export interface Means {
  db: Database
  courier: Courier
  secret: Secret
  config: Pick<Config, 'smsDaily' | 'url'>
  clock: Clock
  log: Logger
  metrics: Metrics
}

/** What a round is told by whoever runs it. */
export interface Turn {
  queue: Queue
  node: number
  /** Whether the queue is still ours and sending is still wanted. */
  mayGoOn(): boolean
  /** Writes what must not be lost: tried until the database takes it. */
  insist<T>(write: () => Promise<T>): Promise<T>
}

/** Says whether there is more to send. */
export async function sendRound(means: Means, turn: Turn): Promise<boolean> {
  const { db, clock } = means
  const { queue, node } = turn
  const ends = performance.now() + ROUND_MS
  const fly = async (...statements: Statement[]) =>
    nextOf((await db.flight(keepOrder, ...statements)).at(-1)?.rows[0] as never)
  const giveBack = (restsUntil?: Date) => turn.insist(() => fly(release(queue, node, restsUntil)))

  let next = turn.mayGoOn() ? await fly(pickNext(queue, node, clock.now())) : undefined
  for (let sent = 1; next !== undefined && turn.mayGoOn(); sent++) {
    const { alert } = next
    const outcome = await attempt(means, next)
    if (outcome === 'untried') {
      await giveBack(after(clock.now(), RELEASED_REST_MS))
      return false
    }
    if (outcome === 'cut off') break
    const now = clock.now()
    const written = settle({ queue, node, alert, outcome, now })
    means.metrics.countDelivery(next.provider.provider_type, outcome.result)
    if (outcome.result !== 'sent') {
      await turn.insist(() => fly(...written))
      return false
    }
    if (sent === ROUND_MESSAGES || performance.now() > ends || !turn.mayGoOn()) {
      await turn.insist(() => fly(...written, release(queue, node)))
      return true
    }
    next = await turn.insist(() => fly(...written, pickNext(queue, node, now)))
  }
  await giveBack()
  return false
}

/** 'untried': the database was away when it was asked for an allowance. 'cut off': this server stops. Neither counts. */
async function attempt(means: Means, next: Next): Promise<Outcome | 'untried' | 'cut off'> {
  const { clock, log } = means
  const { alert, failures } = next
  try {
    return sentOutcome(await send(means, next))
  } catch (error) {
    if (error instanceof Problem && isAway(error)) return 'untried'
    if (error instanceof DeliveryError && error.cutOff) return 'cut off'
    const now = clock.now()
    const outcome = failedOutcome(error, {
      createdAt: alert.createdAt,
      attempts: alert.attempts + 1,
      failures: failures + 1,
      now,
    })
    const about = { alert: alert.messageId, provider: next.provider.id, reason: outcome.answer }
    if (outcome.result === 'failed') log.warn(about, 'an alert was given up')
    if (!(error instanceof Error && ['DeliveryError', 'NoSmsLeft'].includes(error.name))) {
      log.error({ ...about, err: error }, 'sending an alert failed unexpectedly')
    }
    return outcome
  }
}

async function send({ db, courier, secret, config, clock }: Means, { alert, provider }: Next): Promise<string> {
  const { provider_type: type, user_id: userId } = provider
  const { messageId, monitorId, title, body } = alert
  // Not kept with the alert: it leads to where this server is when it is sent.
  const link = config.url && { link: monitorPage(config.url, monitorId) }
  const message = { id: messageId, title, text: body, ...link }
  const deliver = () => courier.deliver({ type, settings: settingsOf(provider, secret) }, message)
  if (type !== 'sms') return deliver()
  return withSmsAllowance(db, { userId, daily: config.smsDaily, now: clock.now() }, deliver)
}
