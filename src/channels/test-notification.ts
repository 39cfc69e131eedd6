/** Sends a test notification, so that mistakes in the settings are found before the first alert. */
import { randomUUID } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem, rateLimited } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import type { WindowCounter } from '../lib/window-counter.ts'
import { DailyLimitReached } from '../outbox/daily-allowance.ts'
import { DeliveryError } from '../outbox/delivery-error.ts'
import { createBlockUrl, withTestEmailAllowance } from '../recipients/recipients.ts'
import type { Database } from '../storage/database.ts'
import type { Tenant } from '../storage/tenant.ts'
import type { ChannelMessage, ChannelSettings } from './common/channel.ts'
import { markers } from './common/markers.ts'
import { type ChannelType, getChannelKind } from './kinds.ts'
import type { MessageSender } from './message-sender.ts'
import { readChannelSettings } from './record.ts'
import { withSmsAllowance } from './sms-allowance.ts'
import { type ChannelRow, clearChannelFailure } from './store.ts'

const WINDOW_SECONDS = 60
const MAX_TESTS_PER_CHANNEL = 5
const MAX_TESTS_PER_USER = 20

export interface TestNotificationDeps {
  clock: Clock
  config: Config
  counter: WindowCounter
  db: Database
  messageSender: MessageSender
  secret: Secret
}

/** What is tested: a channel as it is saved, or settings that are not saved yet. */
export interface TestedChannel {
  /** null for settings that belong to no saved channel. */
  id: number | null
  teamId: number
  type: ChannelType
  name: string | null
  settings: ChannelSettings
}

function enforceRateLimits(counter: WindowCounter, { id, teamId }: TestedChannel): void {
  const limits = [
    ...(id === null
      ? []
      : [{ name: `test:provider:${id}`, count: MAX_TESTS_PER_CHANNEL, scope: 'for this notification channel' }]),
    { name: `test:user:${teamId}`, count: MAX_TESTS_PER_USER, scope: 'for all your notification channels' },
  ]
  const results = limits.map(({ name, count, scope }) => ({
    name,
    count,
    scope,
    ...counter.take(name, { count, windowSeconds: WINDOW_SECONDS }),
  }))
  const exceededLimit = results.find(({ allowed }) => !allowed)
  if (exceededLimit === undefined) return
  // If one limit rejects a request, the request does not count towards the other limit.
  for (const { name, allowed } of results) if (allowed) counter.refund(name)
  const { count, scope, retryAfterSeconds } = exceededLimit
  throw rateLimited(
    `Limit of ${count} test notifications per minute ${scope} reached. Try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  )
}

function createTestMessage(
  { type, name, settings }: TestedChannel,
  { config: { url }, secret }: Pick<TestNotificationDeps, 'config' | 'secret'>,
): ChannelMessage {
  const { label, testEmoji } = getChannelKind(type)
  const server = url === undefined ? 'Belfry' : `Belfry at ${url}`
  const channel = name === null ? label : `${label} (${name})`
  return {
    id: randomUUID(),
    kind: 'test',
    title: [markers.test.word, testEmoji].filter(Boolean).join(' '),
    text: `This is a test from ${server}, sent through ${channel}. No action needed.`,
    ...(type === 'email' && url && { blockUrl: createBlockUrl(secret, url, settings['recipient_email'] as string) }),
  }
}

/** Resolves with a sentence about the receiver's response. */
export async function sendTestNotification(
  tenant: Tenant,
  tested: TestedChannel,
  deps: TestNotificationDeps,
): Promise<string> {
  enforceRateLimits(deps.counter, tested)
  const { type } = tested
  try {
    const response = await sendWithinAllowance(tenant, tested, deps)
    return `${getChannelKind(type).receiver} accepted the message: ${response}`
  } catch (error) {
    if (error instanceof DeliveryError) throw new Problem('provider_delivery_failed', error.sentence)
    if (error instanceof DailyLimitReached) throw rateLimited(error.message, error.retryAfterSeconds)
    throw error
  }
}

function sendWithinAllowance(tenant: Tenant, tested: TestedChannel, deps: TestNotificationDeps): Promise<string> {
  const { clock, config, db, messageSender, secret } = deps
  const { type, teamId, settings } = tested
  const now = clock.now()
  const send = () => messageSender.deliver({ type, settings }, createTestMessage(tested, deps))
  if (type === 'sms') return withSmsAllowance(tenant, { teamId, dailyLimit: config.smsDailyLimit, now }, send)
  // Without a mail server, nothing is sent, so nothing counts towards the allowance.
  if (type !== 'email' || config.mail === undefined) return send()
  return withTestEmailAllowance(db, { secret, address: settings['recipient_email'] as string, now }, send)
}

/** A success shows that the channel works again. */
export async function testSavedChannel(tenant: Tenant, row: ChannelRow, deps: TestNotificationDeps): Promise<string> {
  const { id, user_id: teamId, provider_type: type, name } = row
  const settings = readChannelSettings(row, deps.secret)
  const sentence = await sendTestNotification(tenant, { id, teamId, type, name, settings }, deps)
  await clearChannelFailure(tenant, id, deps.clock.now())
  return sentence
}
