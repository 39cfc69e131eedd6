/** Connects weekly reports to the outbox. A few reports are sent concurrently, each in its own slot. */

import type { MessageSender } from '../channels/message-sender.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Secret } from '../lib/secret.ts'
import { DeliveryCancelled, DeliveryError } from '../outbox/delivery-error.ts'
import {
  type ClaimedQueue,
  type DeliveryAttempt,
  type DeliveryResult,
  Outbox,
  type OutboxDeps,
  type OutboxSource,
} from '../outbox/outbox.ts'
import { preferIndexOrderStatement } from '../outbox/store.ts'
import type { Statement } from '../storage/batch.ts'
import {
  cancelReport,
  claimNextReport,
  type ReportMessage,
  releaseAbandonedReports,
  releaseReport,
  settleReport,
  shouldStillSend,
  toReportMessage,
} from './outbox-store.ts'
import type { ReportDeps } from './report.ts'

/** A low limit, because alerts use up to ten connections to the same mail server. */
const MAX_CONCURRENT_REPORTS = 3
/** After this many failures, the mail server probably rejects everything, so the other reports wait for the next poll. */
const MAX_FAILURES_IN_A_ROW = 5
/** A report is still useful two days later, but not when the next one is due. */
const GIVE_UP_AFTER_HOURS = 48
const DATABASE_RETRY_DELAY_MS = 300_000

export interface ReportOutboxDeps extends ReportDeps, Omit<OutboxDeps<ReportSlot, ReportMessage>, 'source'> {
  config: Pick<Config, 'url'>
  secret: Secret
  messageSender: MessageSender
}

/** Reports have no separate queues: any free slot claims the next report. */
interface ReportSlot {
  number: number
}

export type ReportOutbox = Outbox<ReportSlot, ReportMessage>

export function createReportOutbox(deps: ReportOutboxDeps): ReportOutbox {
  return new Outbox({ ...deps, source: new ReportSource(deps) })
}

type SourceDeps = Pick<ReportOutboxDeps, 'config' | 'db' | 'messageSender' | 'secret' | 'statistics'> & { clock: Clock }
type ReportAttempt = DeliveryAttempt<ReportSlot, ReportMessage>

class ReportSource implements OutboxSource<ReportSlot, ReportMessage> {
  readonly messageName = 'a weekly report'
  readonly giveUpAfterHours = GIVE_UP_AFTER_HOURS
  readonly databaseRetryDelayMs = DATABASE_RETRY_DELAY_MS
  readonly #deps: SourceDeps
  readonly #slots: readonly ReportSlot[] = Array.from({ length: MAX_CONCURRENT_REPORTS }, (_, number) => ({ number }))
  #failuresInARow = 0

  constructor(deps: SourceDeps) {
    this.#deps = deps
  }

  async releaseAbandoned(nodeId: number, runningSlots: readonly ReportSlot[]): Promise<void> {
    if (runningSlots.length === 0) await releaseAbandonedReports(this.#deps.db, nodeId)
  }

  async claimQueues(_node: number, runningSlots: readonly ReportSlot[]) {
    if (runningSlots.length === 0) this.#failuresInARow = 0
    const freeSlots = this.#slots.filter((slot) => !runningSlots.includes(slot))
    return { queues: this.#isFailing() ? [] : freeSlots, areMoreQueuesReady: false }
  }

  pickNext(claimedSlot: ClaimedQueue<ReportSlot>): Promise<ReportMessage | undefined> {
    return this.#runAndClaimNext(claimedSlot)
  }

  async prepare({ nodeId, message }: ReportAttempt): Promise<() => Promise<string>> {
    const { db, messageSender } = this.#deps
    // Loaded on first use, because the number formats of reports take 6 MB of memory and many servers send no reports.
    const { composeReportEmail } = await import('./compose-email.ts')
    const email = await composeReportEmail(this.#deps, message)
    // This is checked as late as possible, so that an owner who has just turned the report off does not receive it.
    if (!(await shouldStillSend(db, nodeId, message))) {
      await cancelReport(db, nodeId, message)
      throw new DeliveryCancelled('Weekly reports were turned off.')
    }
    if (this.#isFailing()) throw new DeliveryError('The mail server accepts no reports', { interrupted: true })
    return () => messageSender.sendEmail(email)
  }

  settle(attempt: ReportAttempt, result: DeliveryResult): Promise<ReportMessage | undefined> {
    return this.#runAndClaimNext(attempt, [settleReport(attempt.nodeId, attempt.message, result)])
  }

  async settleAndRelease({ nodeId, message }: ReportAttempt, result: DeliveryResult): Promise<void> {
    await this.#deps.db.batch(settleReport(nodeId, message, result))
  }

  async release({ nodeId, message }: ReportAttempt, notBefore: Date | null): Promise<void> {
    await releaseReport(this.#deps.db, nodeId, message, notBefore)
  }

  countResult(_message: ReportMessage, { status }: DeliveryResult): void {
    this.#failuresInARow = status === 'retry' ? this.#failuresInARow + 1 : 0
  }

  #isFailing(): boolean {
    return this.#failuresInARow >= MAX_FAILURES_IN_A_ROW
  }

  /** Stores a result and claims the next report in one round trip. */
  async #runAndClaimNext(
    { nodeId }: ClaimedQueue<ReportSlot>,
    statements: readonly Statement[] = [],
  ): Promise<ReportMessage | undefined> {
    const { db, clock } = this.#deps
    const claimStatements = this.#isFailing() ? [] : [claimNextReport(nodeId, clock.now())]
    const results = await db.batch(preferIndexOrderStatement, ...statements, ...claimStatements)
    const row = claimStatements.length === 0 ? undefined : results.at(-1)?.rows[0]
    return row && toReportMessage(row)
  }
}
