/**
 * Adds a subscriber who still has to confirm. Anybody can enter anybody's address, so the result is the same whether the address is new
 * or known, and an address gets only a few confirmations.
 */
import type { Clock } from '../../lib/clock.ts'
import { invalid, Problem, rateLimited } from '../../lib/problem.ts'
import type { Secret } from '../../lib/secret.ts'
import { foldCase } from '../../lib/text.ts'
import type { RateLimit, WindowCounter } from '../../lib/window-counter.ts'
import type { Database } from '../../storage/database.ts'
import type { Queries } from '../../storage/transaction.ts'
import { hashSubscriberAddress } from './links.ts'
import {
  type AddressState,
  insertConfirmation,
  insertSubscriber,
  lockAddress,
  type SubscriptionPage,
  setSubscriberMonitors,
} from './subscription-store.ts'

const HOUR_SECONDS = 3_600

/**
 * This limit is high, because a whole office can share one IP address, and its people subscribe when they see an
 * outage.
 */
const networkLimit: RateLimit = { count: 20, windowSeconds: HOUR_SECONDS }
/** Stops somebody who uses many networks to send confirmations to many addresses. */
const pageLimit: RateLimit = { count: 300, windowSeconds: HOUR_SECONDS }
/** How many confirmations one address gets: for one page, and for all pages together. */
const MAX_CONFIRMATIONS_PER_DAY = 1
const MAX_CONFIRMATIONS_PER_MONTH = 3
const MAX_CONFIRMATIONS_OF_ALL_PAGES_PER_DAY = 5

export interface SubscribeDeps {
  db: Database
  secret: Secret
  clock: Clock
  counter: WindowCounter
}

export interface SubscribeRequest {
  email: string
  /** The chosen monitors of the page. Empty if the subscriber follows the whole page. */
  monitorIds: readonly number[]
}

/** Counts requests to subscribe, even those that are not valid. */
export function limitSubscriptionsByNetwork({ counter, secret }: SubscribeDeps, clientNetwork: string): void {
  const name = `subscribe:${secret.hmac('addresses', clientNetwork).toString('base64url')}`
  countOrRefuse(counter, name, networkLimit)
}

export async function subscribe(
  deps: SubscribeDeps,
  page: SubscriptionPage,
  { email, monitorIds }: SubscribeRequest,
): Promise<void> {
  const { clock, counter, db, secret } = deps
  const choice = toMonitorChoice(page, monitorIds)
  countOrRefuse(counter, `subscribe-page:${page.pageId}`, pageLimit)
  const address = { emailKey: foldCase(email), addressHmac: hashSubscriberAddress(secret, email) }
  await db.transaction(async (q) => {
    const now = clock.now()
    const state = await lockAddress(q, page, address, now)
    if (state.isPageFull)
      throw new Problem('conflict', 'This page has reached its limit of subscribers. Follow one of its feeds instead.')
    const subscriberId = await findOrInsertSubscriber(q, page, { ...address, email, choice, state, now })
    if (subscriberId === undefined || !maySendConfirmation(state)) return
    await insertConfirmation(q, page, { subscriberId, addressHmac: address.addressHmac }, now)
  })
}

interface SubscriberRequest {
  email: string
  emailKey: string
  /** null: all monitors of the page. */
  choice: readonly number[] | null
  state: AddressState
  now: Date
}

/** Changes the choice of monitors only until the subscription is confirmed. After that, only the subscriber can change it. */
async function findOrInsertSubscriber(
  q: Queries,
  page: SubscriptionPage,
  { email, emailKey, choice, state: { subscriber }, now }: SubscriberRequest,
): Promise<number | undefined> {
  const id = subscriber?.id ?? (await insertSubscriber(q, page, { email, emailKey, isForAll: choice === null }, now))
  const isChangeable = subscriber === undefined || subscriber.state === 'pending'
  if (id !== undefined && isChangeable) await setSubscriberMonitors(q, page, id, choice)
  return id
}

function maySendConfirmation({ subscriber, confirmations }: AddressState): boolean {
  return (
    subscriber?.state !== 'confirmed' &&
    confirmations.ofPageInADay < MAX_CONFIRMATIONS_PER_DAY &&
    confirmations.ofPageInAMonth < MAX_CONFIRMATIONS_PER_MONTH &&
    confirmations.ofAllPagesInADay < MAX_CONFIRMATIONS_OF_ALL_PAGES_PER_DAY
  )
}

/** Returns null for the whole page. */
export function toMonitorChoice({ monitors }: SubscriptionPage, monitorIds: readonly number[]): number[] | null {
  const unknownIds = monitorIds.filter((id) => !monitors.some((monitor) => monitor.id === id))
  if (unknownIds.length > 0) {
    throw invalid({
      monitor_ids: [`\`monitor_ids\` contains ids that are not on this page: ${unknownIds.join(', ')}.`],
    })
  }
  const chosenIds = new Set(monitorIds)
  return chosenIds.size === 0 || chosenIds.size === monitors.length ? null : [...chosenIds]
}

function countOrRefuse(counter: WindowCounter, name: string, limit: RateLimit): void {
  const { allowed, retryAfterSeconds } = counter.take(name, limit)
  if (!allowed) throw rateLimited('Too many requests to subscribe. Try again in an hour.', retryAfterSeconds)
}
