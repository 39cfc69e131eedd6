/** Sends a test through a provider, so that nobody learns in an emergency that it was set up wrongly. */
import { randomUUID } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem, tooMany } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import type { WindowCounter } from '../lib/window-counter.ts'
import type { Tenant } from '../storage/tenant.ts'
import type { Courier } from './courier.ts'
import { kindOf } from './kinds.ts'
import { DeliveryError, type Message } from './provider.ts'
import { settingsOf } from './record.ts'
import { NoSmsLeft, withSmsAllowance } from './sms-allowance.ts'
import { forgetFailure, type ProviderRow } from './store.ts'

const WINDOW_SECONDS = 60
const PER_PROVIDER = 5
const PER_USER = 20

interface Means {
  clock: Clock
  config: Config
  counter: WindowCounter
  courier: Courier
  secret: Secret
}

function requireTurn(counter: WindowCounter, { id, user_id }: ProviderRow): void {
  const limits = [
    { name: `test:provider:${id}`, count: PER_PROVIDER, of: 'this provider' },
    { name: `test:user:${user_id}`, count: PER_USER, of: 'all your providers' },
  ]
  const taken = limits.map(({ name, count, of }) => ({
    name,
    count,
    of,
    ...counter.take(name, { count, windowSeconds: WINDOW_SECONDS }),
  }))
  const refused = taken.find(({ allowed }) => !allowed)
  if (refused === undefined) return
  // What is refused by one limit does not count for the other.
  for (const { name, allowed } of taken) if (allowed) counter.refund(name)
  const { count, of, retryAfterSeconds } = refused
  throw tooMany(
    `At most ${count} test notifications a minute for ${of}. Try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  )
}

function testMessage({ provider_type, name }: ProviderRow, { url }: Pick<Config, 'url'>): Message {
  const { label, testMark } = kindOf(provider_type)
  const from = url === undefined ? 'Belfry' : `Belfry at ${url}`
  return {
    id: randomUUID(),
    title: ['Test notification', testMark].filter(Boolean).join(' '),
    text: `${from} reaches you through ${label}${name === null ? '' : ` (${name})`}. There is nothing to do.`,
  }
}

/** Resolves with a sentence about what the other side said. */
export async function sendTest(tenant: Tenant, row: ProviderRow, means: Means): Promise<string> {
  const { clock, config, counter, courier, secret } = means
  requireTurn(counter, row)
  const { provider_type: type, user_id: userId } = row
  const send = () => courier.deliver({ type, settings: settingsOf(row, secret) }, testMessage(row, config))
  const allowance = { userId, daily: config.smsDaily, now: clock.now() }
  try {
    const answer = type === 'sms' ? await withSmsAllowance(tenant, allowance, send) : await send()
    await forgetFailure(tenant, row.id, clock.now())
    return `${kindOf(type).label} took the message: ${answer}`
  } catch (error) {
    if (error instanceof DeliveryError) throw new Problem('provider_delivery_failed', error.sentence)
    if (error instanceof NoSmsLeft) throw tooMany(error.message, error.retryAfterSeconds)
    throw error
  }
}
