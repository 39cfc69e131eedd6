/** Connects alerts to the outbox: decides which providers are served, and turns alerts into messages. */
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Secret } from '../lib/secret.ts'
import { parseMonitorHost } from '../monitors/target.ts'
import type { DeliveryResult } from '../outbox/delivery-result.ts'
import { Outbox, type OutboxDeps } from '../outbox/outbox.ts'
import type { ClaimedQueue, DeliveryAttempt, OutboxSource } from '../outbox/source.ts'
import { preferIndexOrderStatement } from '../outbox/store.ts'
import type { MessageSender } from '../providers/message-sender.ts'
import { readProviderSettings } from '../providers/record.ts'
import { withSmsAllowance } from '../providers/sms-allowance.ts'
import type { Statement } from '../storage/batch.ts'
import type { Database } from '../storage/database.ts'
import { composeAlertMessage } from './alert-message.ts'
import { chooseQueues } from './choose-queues.ts'
import { type AlertQueue, claimAlertQueues, findReadyQueues, releaseAbandonedQueues } from './outbox-store.ts'
import { type AlertMessage, findSiteTimeZone, pickNextAlert, toAlertMessage } from './pick-store.ts'
import { GIVE_UP_AFTER_HOURS, releaseAlertQueue, settleAlert } from './settle-store.ts'

/**
 * The maximum number of ready queues to read per kind of provider, separately for working and failing providers. More are not
 * needed: no kind of provider has a higher `maxConcurrent`.
 */
const MAX_READY_QUEUES = 100
const DATABASE_RETRY_DELAY_MS = 5_000

export interface DeliveryMetrics {
  countDelivery(type: string, result: string): void
}

export interface AlertOutboxDeps extends Omit<OutboxDeps<AlertQueue, AlertMessage>, 'source'> {
  db: Database
  messageSender: MessageSender
  secret: Secret
  config: Pick<Config, 'smsDailyLimit' | 'timeZone' | 'url'>
  metrics: DeliveryMetrics
}

export type AlertOutbox = Outbox<AlertQueue, AlertMessage>

export function createAlertOutbox(deps: AlertOutboxDeps): AlertOutbox {
  return new Outbox({ ...deps, source: new AlertSource(deps) })
}

type SourceDeps = Pick<AlertOutboxDeps, 'db' | 'messageSender' | 'secret' | 'config' | 'metrics'> & { clock: Clock }
type AlertAttempt = DeliveryAttempt<AlertQueue, AlertMessage>

/** Values of the metric label `result`. */
const resultLabels = { sent: 'sent', retry: 'again', failed: 'failed' } as const

class AlertSource implements OutboxSource<AlertQueue, AlertMessage> {
  readonly messageName = 'an alert'
  readonly giveUpAfterHours = GIVE_UP_AFTER_HOURS
  readonly databaseRetryDelayMs = DATABASE_RETRY_DELAY_MS
  readonly #deps: SourceDeps

  constructor(deps: SourceDeps) {
    this.#deps = deps
  }

  releaseAbandoned(nodeId: number, runningQueues: readonly AlertQueue[]): Promise<void> {
    return releaseAbandonedQueues(this.#deps.db, nodeId, runningQueues)
  }

  async claimQueues(nodeId: number, runningQueues: readonly AlertQueue[]) {
    const { db, clock } = this.#deps
    const now = clock.now()
    const readyQueues = await findReadyQueues(db, now, MAX_READY_QUEUES)
    const runningProviderIds = new Set(runningQueues.map(({ providerId }) => providerId))
    const chosenQueues = chooseQueues(readyQueues, runningQueues).filter(
      ({ providerId }) => !runningProviderIds.has(providerId),
    )
    const areMoreQueuesReady = chosenQueues.length < readyQueues.length
    if (chosenQueues.length === 0) return { queues: [], areMoreQueuesReady }
    const claimedProviderIds = await claimAlertQueues(db, nodeId, chosenQueues, now)
    return { queues: chosenQueues.filter(({ providerId }) => claimedProviderIds.has(providerId)), areMoreQueuesReady }
  }

  pickNext(claimedQueue: ClaimedQueue<AlertQueue>): Promise<AlertMessage | undefined> {
    return this.#runAndPickNext(claimedQueue)
  }

  async prepare({ message }: AlertAttempt): Promise<() => Promise<string>> {
    const { db, messageSender, secret, config, clock } = this.#deps
    const { provider_type: type, user_id: userId } = message.provider
    const recipient = { type, settings: readProviderSettings(message.provider, secret) }
    const timeZone = await findSiteTimeZone(db, userId, listDomains(message.monitor))
    // Composed now, because BELFRY_URL and time zones may have changed since the alert was stored.
    const providerMessage = composeAlertMessage(message, {
      baseUrl: config.url,
      timeZone: timeZone ?? config.timeZone,
    })
    const send = () => messageSender.deliver(recipient, providerMessage)
    if (type !== 'sms') return send
    return () => withSmsAllowance(db, { userId, dailyLimit: config.smsDailyLimit, now: clock.now() }, send)
  }

  async settle(attempt: AlertAttempt, result: DeliveryResult): Promise<AlertMessage | undefined> {
    const statements = settleAlert(attempt, result)
    if (result.status === 'sent') return this.#runAndPickNext(attempt, statements)
    // For a failed attempt, the statements also release the queue, so this node can't pick its next alert.
    await this.#deps.db.batch(preferIndexOrderStatement, ...statements)
    return undefined
  }

  async settleAndRelease(attempt: AlertAttempt, result: DeliveryResult): Promise<void> {
    const { queue, nodeId } = attempt
    const statements = settleAlert(attempt, result)
    await this.#deps.db.batch(preferIndexOrderStatement, ...statements, releaseAlertQueue(queue, nodeId))
  }

  async release({ queue, nodeId }: AlertAttempt, notBefore: Date | null): Promise<void> {
    await this.#deps.db.batch(releaseAlertQueue(queue, nodeId, notBefore))
  }

  countResult({ provider }: AlertMessage, { status }: DeliveryResult): void {
    this.#deps.metrics.countDelivery(provider.provider_type, resultLabels[status])
  }

  /** Runs `statements` and picks the next alert in one round trip. Releases the queue if no alert is due. */
  async #runAndPickNext(
    { queue, nodeId }: ClaimedQueue<AlertQueue>,
    statements: readonly Statement[] = [],
  ): Promise<AlertMessage | undefined> {
    const { db, clock } = this.#deps
    const results = await db.batch(preferIndexOrderStatement, ...statements, pickNextAlert(queue, nodeId, clock.now()))
    const row = results.at(-1)?.rows[0]
    if (row !== undefined) return toAlertMessage(row as Parameters<typeof toAlertMessage>[0])
    await db.batch(releaseAlertQueue(queue, nodeId))
    return undefined
  }
}

/** The host of a monitor and its parent domains. A website with one of these domains is the monitor's website. */
function listDomains(monitor: AlertMessage['monitor']): string[] {
  const labels = parseMonitorHost(monitor)?.split('.') ?? []
  return labels.map((_, index) => labels.slice(index).join('.'))
}
