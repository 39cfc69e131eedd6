/** Connects alerts to the outbox: decides which channels are served, and turns alerts into messages. */

import { type ChannelMessage, defaultSummaryLimits, type SummaryLimits } from '../channels/common/channel.ts'
import { type ChannelType, getChannelKind } from '../channels/kinds.ts'
import type { MessageSender } from '../channels/message-sender.ts'
import { readChannelSettings } from '../channels/record.ts'
import { withSmsAllowance } from '../channels/sms-allowance.ts'
import type { Config } from '../config/config.ts'
import { findWebsiteOfMonitor } from '../impact/history/website-store.ts'
import type { Secret } from '../lib/secret.ts'
import type { DeliveryResult } from '../outbox/delivery-result.ts'
import { Outbox, type OutboxDeps } from '../outbox/outbox.ts'
import type { ClaimedQueue, DeliveryAttempt, OutboxSource } from '../outbox/source.ts'
import { preferIndexOrderStatement } from '../outbox/store.ts'
import type { Statement } from '../storage/batch.ts'
import type { Database } from '../storage/database.ts'
import { AlertMeasurer, type AlertMeasurerDeps } from './alert-measurer.ts'
import { composeAlertMessage } from './alert-message.ts'
import { decideGrouping, noGrouping } from './announcement.ts'
import { decideAboutDelayedAlerts } from './announcements.ts'
import { chooseQueues } from './choose-queues.ts'
import {
  type AlertDelivery,
  type AlertMessage,
  type AlertQueue,
  claimAlertQueues,
  findReadyQueues,
  groupAndPickNext,
  readQueueFacts,
  releaseAbandonedQueues,
} from './queue-store.ts'
import { GIVE_UP_AFTER_HOURS, releaseAlertQueue, settleAlert } from './settle-store.ts'
import { composeSummary } from './summary-message.ts'

/**
 * The maximum number of ready queues to read per kind of channel, separately for working and failing channels. More are not
 * needed: no kind of channel has a higher `maxConcurrent`.
 */
const MAX_READY_QUEUES = 100
const DATABASE_RETRY_DELAY_MS = 5_000

export interface DeliveryMetrics {
  countDelivery(type: string, result: string): void
}

export interface AlertOutboxDeps extends Omit<OutboxDeps<AlertQueue, AlertDelivery>, 'source'>, AlertMeasurerDeps {
  db: Database
  messageSender: MessageSender
  secret: Secret
  config: Pick<Config, 'smsDailyLimit' | 'timeZone' | 'url'>
  metrics: DeliveryMetrics
}

export type AlertOutbox = Outbox<AlertQueue, AlertDelivery>

export function createAlertOutbox(deps: AlertOutboxDeps): AlertOutbox {
  return new Outbox({ ...deps, source: new AlertSource(deps) })
}

type SourceDeps = Pick<AlertOutboxDeps, 'db' | 'messageSender' | 'secret' | 'config' | 'metrics'> & AlertMeasurerDeps
type AlertAttempt = DeliveryAttempt<AlertQueue, AlertDelivery>

/** Values of the metric label `result`. */
const resultLabels = { sent: 'sent', retry: 'again', failed: 'failed' } as const

class AlertSource implements OutboxSource<AlertQueue, AlertDelivery> {
  readonly messageName = 'an alert'
  readonly giveUpAfterHours = GIVE_UP_AFTER_HOURS
  readonly databaseRetryDelayMs = DATABASE_RETRY_DELAY_MS
  readonly #deps: SourceDeps
  readonly #measurer: AlertMeasurer

  constructor(deps: SourceDeps) {
    this.#deps = deps
    this.#measurer = new AlertMeasurer(deps)
  }

  releaseAbandoned(nodeId: number, runningQueues: readonly AlertQueue[]): Promise<void> {
    return releaseAbandonedQueues(this.#deps.db, nodeId, runningQueues)
  }

  async claimQueues(nodeId: number, runningQueues: readonly AlertQueue[]) {
    const { db, clock } = this.#deps
    const now = clock.now()
    const readyQueues = await findReadyQueues(db, now, MAX_READY_QUEUES)
    const runningChannelIds = new Set(runningQueues.map(({ channelId }) => channelId))
    const chosenQueues = chooseQueues(readyQueues, runningQueues).filter(
      ({ channelId }) => !runningChannelIds.has(channelId),
    )
    const areMoreQueuesReady = chosenQueues.length < readyQueues.length
    if (chosenQueues.length === 0) return { queues: [], areMoreQueuesReady }
    const claimedChannelIds = await claimAlertQueues(db, nodeId, chosenQueues, now)
    return { queues: chosenQueues.filter(({ channelId }) => claimedChannelIds.has(channelId)), areMoreQueuesReady }
  }

  pickNext(claimedQueue: ClaimedQueue<AlertQueue>): Promise<AlertDelivery | undefined> {
    return this.#runAndPickNext(claimedQueue)
  }

  async prepare({ message }: AlertAttempt): Promise<() => Promise<string>> {
    const { db, messageSender, secret, config, clock } = this.#deps
    const [{ channel }] = message.alerts
    const { provider_type: type, user_id: userId } = channel
    const recipient = { type, settings: readChannelSettings(channel, secret) }
    const channelMessage = await this.#compose(message)
    const send = () => messageSender.deliver(recipient, channelMessage)
    if (type !== 'sms') return send
    return () => withSmsAllowance(db, { userId, dailyLimit: config.smsDailyLimit, now: clock.now() }, send)
  }

  /** Messages are composed when they are sent, because BELFRY_URL and time zones may have changed since the alert was stored. */
  async #compose(message: AlertDelivery): Promise<ChannelMessage> {
    const { db, config } = this.#deps
    const { alerts, messageId } = message
    const incidentIds = new Set(alerts.map(({ incident }) => incident?.id))
    const alert = alerts.at(-1) as AlertMessage
    if (incidentIds.size > 1) {
      const limits = findSummaryLimits(alert.channel.provider_type) ?? defaultSummaryLimits
      return composeSummary(message, { baseUrl: config.url }, limits)
    }
    const measuredAlert = await this.#measurer.addMeasurement(alert)
    const website = await findWebsiteOfMonitor(db, alert.channel.user_id, alert.monitor)
    const context = { baseUrl: config.url, timeZone: website?.timeZone ?? config.timeZone }
    return composeAlertMessage({ ...measuredAlert, messageId }, context)
  }

  async settle(attempt: AlertAttempt, result: DeliveryResult): Promise<AlertDelivery | undefined> {
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

  countResult({ alerts: [{ channel }] }: AlertDelivery, { status }: DeliveryResult): void {
    this.#deps.metrics.countDelivery(channel.provider_type, resultLabels[status])
  }

  /** Runs `statements`, decides about the alerts of the queue, and picks the next one. Releases the queue if no alert is due. */
  async #runAndPickNext(
    { queue, nodeId }: ClaimedQueue<AlertQueue>,
    statements: readonly Statement[] = [],
  ): Promise<AlertDelivery | undefined> {
    const { db, clock } = this.#deps
    const now = clock.now()
    const limits = findSummaryLimits(queue.type)
    const claimedQueue = { queue, nodeId, now, isGrouped: limits !== undefined }
    let facts = await readQueueFacts(db, claimedQueue, statements)
    while ((await decideAboutDelayedAlerts(db, facts.delayedAlerts, now)) > 0) {
      facts = await readQueueFacts(db, claimedQueue)
    }
    const grouping =
      limits === undefined || facts.queue === undefined
        ? noGrouping
        : decideGrouping(facts.queue, now, limits.maxMonitors)
    const delivery = await groupAndPickNext(db, queue, { nodeId, now, grouping })
    if (delivery !== undefined) return delivery
    await db.batch(releaseAlertQueue(queue, nodeId))
    return undefined
  }
}

/** Returns undefined if this kind of channel needs one message per alert. */
function findSummaryLimits(type: ChannelType): SummaryLimits | undefined {
  const { summaryLimits = defaultSummaryLimits } = getChannelKind(type)
  return summaryLimits === 'never' ? undefined : summaryLimits
}
