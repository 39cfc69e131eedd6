/** Connects alerts to the outbox: decides which channels are served, and turns alerts into messages. */

import type { Logger } from 'pino'
import { type ChannelMessage, defaultSummaryLimits, type SummaryLimits } from '../channels/common/channel.ts'
import { type ChannelType, getChannelKind } from '../channels/kinds.ts'
import type { MessageSender } from '../channels/message-sender.ts'
import { readChannelSettings } from '../channels/record.ts'
import { withSmsAllowance } from '../channels/sms-allowance.ts'
import type { Config } from '../config/config.ts'
import { findWebsiteOfMonitor } from '../impact/history/website-store.ts'
import { type MeasureDeps, measureIfOutdated } from '../impact/measure.ts'
import { findMeasurement, type IncidentKey, type StoredMeasurement } from '../impact/measure-store.ts'
import { waitAtMost } from '../lib/clock.ts'
import type { Secret } from '../lib/secret.ts'
import {
  type ClaimedQueue,
  type DeliveryAttempt,
  type DeliveryResult,
  Outbox,
  type OutboxDeps,
  type OutboxSource,
} from '../outbox/outbox.ts'
import { preferIndexOrderStatement } from '../outbox/store.ts'
import { MINUTE_MS, SECOND_MS } from '../shared/time.ts'
import type { Statement } from '../storage/batch.ts'
import type { Database } from '../storage/database.ts'
import { decideGrouping, noGrouping } from './announcement.ts'
import { decideAboutDelayedAlerts } from './announcements.ts'
import { composeAlertMessage, composeSummary } from './message.ts'
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
    const { provider_type: type, user_id: teamId } = channel
    const recipient = { type, settings: readChannelSettings(channel, secret) }
    const channelMessage = await this.#compose(message)
    const send = () => messageSender.deliver(recipient, channelMessage)
    if (type !== 'sms') return send
    return () => withSmsAllowance(db, { teamId, dailyLimit: config.smsDailyLimit, now: clock.now() }, send)
  }

  /** Messages are composed when they are sent, because the public URL and time zones may have changed since the alert was stored. */
  async #compose(message: AlertDelivery): Promise<ChannelMessage> {
    const { db, config, secret } = this.#deps
    const { alerts, messageId } = message
    const incidentIds = new Set(alerts.map(({ incident }) => incident?.id))
    const alert = alerts.at(-1) as AlertMessage
    if (incidentIds.size > 1) {
      const limits = findSummaryLimits(alert.channel.provider_type) ?? defaultSummaryLimits
      return composeSummary(message, { baseUrl: config.url, secret }, limits)
    }
    const measuredAlert = await this.#measurer.addMeasurement(alert)
    const website = await findWebsiteOfMonitor(db, alert.channel.user_id, alert.monitor)
    const context = { baseUrl: config.url, secret, timeZone: website?.timeZone ?? config.timeZone }
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

type CountedQueue = Pick<AlertQueue, 'teamId' | 'type' | 'isFailing'>

/** The share of the slots that is reserved for users who use none yet, one slot each. */
const RESERVED_SHARE = 0.2
/**
 * A user can use at most this many slots for each slot that stays free, not counting the reserved slots. So a user who
 * is alone can use three quarters of the slots, and two users can use three sevenths each. A user whose webhooks all
 * hang always leaves slots for others.
 */
const MAX_USER_RATIO = 3

/** Counts the slots that running queues use, of all users together and of each user. */
class Slots {
  readonly #size: number
  #used = 0
  readonly #usedByTeam = new Map<number, number>()

  constructor(size: number) {
    this.#size = size
  }

  use(teamId: number): void {
    this.#used++
    this.#usedByTeam.set(teamId, this.#usedBy(teamId) + 1)
  }

  canUse(teamId: number): boolean {
    const usedByTeam = this.#usedBy(teamId)
    if (usedByTeam === 0) return this.#used < this.#size
    const freeAfterwards = this.#size * (1 - RESERVED_SHARE) - this.#used - 1
    return usedByTeam + 1 <= MAX_USER_RATIO * freeAfterwards
  }

  #usedBy(teamId: number): number {
    return this.#usedByTeam.get(teamId) ?? 0
  }
}

/**
 * Chooses which channels are served next, so that slow ones delay neither other channels nor other users. Each kind of channel limits
 * how many of its queues run concurrently. Failing channels get at most half of that limit.
 */
export function chooseQueues(readyQueues: readonly AlertQueue[], runningQueues: readonly CountedQueue[]): AlertQueue[] {
  const slotsByType = new Map<ChannelType, { all: Slots; failing: Slots }>()
  const findSlots = ({ type, isFailing }: CountedQueue): Slots[] => {
    const { maxConcurrent } = getChannelKind(type)
    const slots = slotsByType.get(type) ?? { all: new Slots(maxConcurrent), failing: new Slots(maxConcurrent / 2) }
    slotsByType.set(type, slots)
    return isFailing ? [slots.all, slots.failing] : [slots.all]
  }
  for (const queue of runningQueues) for (const slots of findSlots(queue)) slots.use(queue.teamId)
  return readyQueues.filter((queue) => {
    const slots = findSlots(queue)
    if (!slots.every((group) => group.canUse(queue.teamId))) return false
    for (const group of slots) group.use(queue.teamId)
    return true
  })
}

/** How long an alert waits for the measurement: an alert without the impact is better than a late one. */
const MEASURE_DEADLINE_MS = 2 * SECOND_MS
/** After a slow measurement, alerts are sent unmeasured for this time: in a long queue, the delays would add up. */
const SLOW_PAUSE_MS = MINUTE_MS
/**
 * While this many measurements run, further alerts contain the last measurement, so that in a storm no alert waits for
 * many others.
 */
const MAX_CONCURRENT_MEASUREMENTS = 8

interface AlertMeasurerDeps extends MeasureDeps {
  log: Logger
}

type Measurement = StoredMeasurement | 'unknown'

/** Measures what an incident costs, just before an alert about it is sent. */
class AlertMeasurer {
  readonly #deps: AlertMeasurerDeps
  /** Alerts about one incident are sent through several channels at the same time, but the incident is measured once. */
  readonly #running = new Map<string, Promise<Measurement>>()
  #runningRenewals = 0
  /** A time of `performance.now()`. */
  #pausedUntil = 0

  constructor(deps: AlertMeasurerDeps) {
    this.#deps = deps
  }

  /** Adds a current measurement to the alert. Returns the alert unchanged if measuring is slow or fails. */
  async addMeasurement(alert: AlertMessage): Promise<AlertMessage> {
    const { incident, monitor, channel } = alert
    if (incident === null || performance.now() < this.#pausedUntil) return alert
    const key = { teamId: channel.user_id, monitorId: monitor.id, incidentId: incident.id }
    const measurement = await waitAtMost(MEASURE_DEADLINE_MS, this.#measureOnce(key))
    if (measurement === 'unknown') return alert
    if (measurement !== undefined) return { ...alert, incident: { ...incident, ...measurement } }
    if (performance.now() >= this.#pausedUntil) {
      this.#deps.log.warn('measuring the impact of incidents is slow, so alerts are sent without it for a minute')
    }
    this.#pausedUntil = performance.now() + SLOW_PAUSE_MS
    return alert
  }

  #measureOnce(key: IncidentKey): Promise<Measurement> {
    const name = `${key.teamId} ${key.monitorId} ${key.incidentId}`
    const running = this.#running.get(name) ?? this.#measure(key).finally(() => this.#running.delete(name))
    this.#running.set(name, running)
    return running
  }

  async #measure(key: IncidentKey): Promise<Measurement> {
    try {
      if (this.#runningRenewals < MAX_CONCURRENT_MEASUREMENTS) await this.#renewMeasurement(key)
      return (await findMeasurement(this.#deps.db, key)) ?? 'unknown'
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the impact of an incident could not be read for an alert')
      return 'unknown'
    }
  }

  /**
   * Measures the incident again if the last measurement is outdated. Logs an error instead of throwing it, so that the
   * alert can still contain the last measurement.
   */
  async #renewMeasurement(key: IncidentKey): Promise<void> {
    this.#runningRenewals++
    await measureIfOutdated(this.#deps, key)
      .catch((error) =>
        this.#deps.log.warn({ err: error }, 'the impact of an incident could not be measured for an alert'),
      )
      .finally(() => {
        this.#runningRenewals--
      })
  }
}
