/**
 * Sends messages to subscribers through the outbox. A few are sent concurrently, each in its own slot. The slots take
 * the next message of each page and kind in turn, so a page with 10,000 subscribers doesn't delay the confirmation of
 * another page.
 */

import type { MessageSender } from '../../channels/message-sender.ts'
import type { Config } from '../../config/config.ts'
import { addMs, type Clock } from '../../lib/clock.ts'
import type { Secret } from '../../lib/secret.ts'
import { DeliveryCancelled, DeliveryError } from '../../outbox/delivery-error.ts'
import {
  type ClaimedQueue,
  type DeliveryAttempt,
  type DeliveryResult,
  getGiveUpCutoff,
  Outbox,
  type OutboxDeps,
  type OutboxSource,
} from '../../outbox/outbox.ts'
import { preferIndexOrderStatement } from '../../outbox/store.ts'
import { SECOND_MS } from '../../shared/time.ts'
import type { Statement } from '../../storage/batch.ts'
import type { Database } from '../../storage/database.ts'
import { findMessageContent } from './content-store.ts'
import {
  cancelMessage,
  claimNextMessage,
  listDueLanes,
  type MessageLane,
  releaseAbandonedMessages,
  releaseMessage,
  type StatusMessage,
  settleMessage,
  toStatusMessage,
} from './outbox-store.ts'

/** This limit is low, because alerts use up to ten connections to the same mail server, and they are more urgent. */
const MAX_CONCURRENT_MESSAGES = 3
/** After this many failures, the mail server probably accepts nothing, so the other messages wait for a moment. */
const MAX_FAILURES_IN_A_ROW = 5
const FAILURE_PAUSE_MS = 10 * SECOND_MS
/** Messages that could not be sent within this time are cancelled, because an outage is old news after two days. */
const GIVE_UP_AFTER_HOURS = 48
const DATABASE_RETRY_DELAY_MS = 30 * SECOND_MS

export interface StatusMessageOutboxDeps extends Omit<OutboxDeps<MessageSlot, StatusMessage>, 'source'> {
  config: Pick<Config, 'url'>
  db: Database
  secret: Secret
  messageSender: Pick<MessageSender, 'sendEmail'>
}

/** Messages have no separate queues: any free slot claims the next message. */
interface MessageSlot {
  number: number
}

export type StatusMessageOutbox = Outbox<MessageSlot, StatusMessage>

export function createStatusMessageOutbox(deps: StatusMessageOutboxDeps): StatusMessageOutbox {
  return new Outbox({ ...deps, source: new StatusMessageSource(deps) })
}

type SourceDeps = Pick<StatusMessageOutboxDeps, 'config' | 'db' | 'messageSender' | 'secret'> & { clock: Clock }
type MessageAttempt = DeliveryAttempt<MessageSlot, StatusMessage>

class StatusMessageSource implements OutboxSource<MessageSlot, StatusMessage> {
  readonly messageName = 'a message to a subscriber'
  readonly giveUpAfterHours = GIVE_UP_AFTER_HOURS
  readonly databaseRetryDelayMs = DATABASE_RETRY_DELAY_MS
  readonly #deps: SourceDeps
  readonly #slots: readonly MessageSlot[] = Array.from({ length: MAX_CONCURRENT_MESSAGES }, (_, number) => ({ number }))
  /** Lanes in the order in which they take their turns. */
  #lanes: MessageLane[] = []
  #failuresInARow = 0
  #pausedUntil = new Date(0)

  constructor(deps: SourceDeps) {
    this.#deps = deps
  }

  async releaseAbandoned(nodeId: number, runningSlots: readonly MessageSlot[]): Promise<void> {
    await releaseAbandonedMessages(this.#deps.db, nodeId, runningSlots.length === 0)
  }

  async claimQueues(_node: number, runningSlots: readonly MessageSlot[]) {
    if (this.#isPaused()) return { queues: [], areMoreQueuesReady: false }
    const lanes = await listDueLanes(this.#deps.db, this.#deps.clock.now())
    this.#addLanes(lanes)
    const freeSlots = this.#slots.filter((slot) => !runningSlots.includes(slot))
    return { queues: lanes.length === 0 ? [] : freeSlots, areMoreQueuesReady: false }
  }

  pickNext(claimedSlot: ClaimedQueue<MessageSlot>): Promise<StatusMessage | undefined> {
    return this.#runAndClaimNext(claimedSlot)
  }

  async prepare({ nodeId, message }: MessageAttempt): Promise<() => Promise<string>> {
    const { config, clock, db, messageSender, secret } = this.#deps
    const now = clock.now()
    const isTooOld = message.createdAt <= getGiveUpCutoff(now, GIVE_UP_AFTER_HOURS)
    // The content is read as late as possible, so that nobody who has just left gets the message.
    const content = isTooOld ? undefined : await findMessageContent(db, message, now)
    if (content === undefined || config.url === undefined) {
      const reason = isTooOld
        ? `Not sent within ${GIVE_UP_AFTER_HOURS} h.`
        : 'The subscriber left, the page is private, or the post or maintenance was deleted or is over.'
      await cancelMessage(db, nodeId, message, reason)
      throw new DeliveryCancelled(reason)
    }
    if (this.#isPaused()) throw new DeliveryError('The mail server accepts no messages', { interrupted: true })
    // Loaded on first use, because Markdown takes memory and many servers have no subscribers.
    const { composeStatusEmail } = await import('./compose-email.ts')
    const email = composeStatusEmail({ secret, baseUrl: config.url }, message, content)
    return () =>
      messageSender.sendEmail(email).catch((error) => {
        message.isRejected = error instanceof DeliveryError && error.permanent
        throw error
      })
  }

  settle(attempt: MessageAttempt, result: DeliveryResult): Promise<StatusMessage | undefined> {
    return this.#runAndClaimNext(attempt, settleMessage(attempt.nodeId, attempt.message, result))
  }

  async settleAndRelease({ nodeId, message }: MessageAttempt, result: DeliveryResult): Promise<void> {
    await this.#deps.db.batch(settleMessage(nodeId, message, result))
  }

  async release({ nodeId, message }: MessageAttempt, notBefore: Date | null): Promise<void> {
    await releaseMessage(this.#deps.db, nodeId, message, notBefore)
  }

  countResult(_message: StatusMessage, { status }: DeliveryResult): void {
    this.#failuresInARow = status === 'retry' ? this.#failuresInARow + 1 : 0
    if (this.#failuresInARow < MAX_FAILURES_IN_A_ROW) return
    this.#failuresInARow = 0
    this.#pausedUntil = addMs(this.#deps.clock.now(), FAILURE_PAUSE_MS)
  }

  #isPaused(): boolean {
    return this.#deps.clock.now() < this.#pausedUntil
  }

  /** New lanes take their first turn after those that already wait. */
  #addLanes(lanes: readonly MessageLane[]): void {
    const isSame = (a: MessageLane, b: MessageLane) => a.pageId === b.pageId && a.kind === b.kind
    this.#lanes.push(...lanes.filter((lane) => !this.#lanes.some((waitingLane) => isSame(waitingLane, lane))))
  }

  /**
   * Runs the statements that store a result, and claims the next message. This takes one round trip if the first lane
   * has a message.
   */
  async #runAndClaimNext(
    { nodeId }: ClaimedQueue<MessageSlot>,
    ...statements: Statement[]
  ): Promise<StatusMessage | undefined> {
    const { db, clock } = this.#deps
    let pendingStatements = statements
    for (;;) {
      const lane = this.#isPaused() ? undefined : this.#lanes.shift()
      if (lane === undefined) {
        if (pendingStatements.length > 0) await db.batch(...pendingStatements)
        return undefined
      }
      this.#lanes.push(lane)
      const claim = claimNextMessage(nodeId, lane, clock.now())
      const results = await db.batch(preferIndexOrderStatement, ...pendingStatements, claim)
      pendingStatements = []
      const row = results.at(-1)?.rows[0]
      if (row !== undefined) return toStatusMessage(lane, row)
      this.#lanes = this.#lanes.filter((other) => other !== lane)
    }
  }
}
