/**
 * Delivers messages that are stored in the database: claims queues with due messages, sends them and stores the results.
 * A message is sent twice only if the process dies between the receiver's response and the commit of the result.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { Claimant } from '../nodes/lease.ts'
import type { OngoingFailure } from './ongoing-failures.ts'
import { RetryingWriter } from './retrying-writer.ts'
import { sendQueue } from './send-queue.ts'
import type { ClaimedQueue, OutboxMessage, OutboxSource } from './source.ts'

/** Share of the time that polling may take: the longer a poll takes, the longer the pause after it, up to MAX_POLL_PAUSE_MS. */
const MAX_POLL_SHARE = 0.1
const MAX_POLL_PAUSE_MS = 2_000
/**
 * Failures are forgotten after this time plus two retry delays of the source. An attempt takes up to 35 s while the
 * database doesn't respond.
 */
const FORGET_FAILURES_AFTER_MS = 60_000

export interface OutboxDeps<Queue extends object, Message extends OutboxMessage> {
  source: OutboxSource<Queue, Message>
  claimant: Claimant
  clock: Clock
  log: Logger
  /** Called when `poll` should run again without delay, because more messages are due. */
  onReady(): void
}

export class Outbox<Queue extends object, Message extends OutboxMessage> {
  readonly #deps: OutboxDeps<Queue, Message>
  readonly #writer: RetryingWriter
  readonly #runningQueues = new Map<Queue, Promise<void>>()
  #claimInProgress: Promise<void> = Promise.resolve()
  #areMoreQueuesReady = false
  #isStopping = false

  constructor(deps: OutboxDeps<Queue, Message>) {
    this.#deps = deps
    this.#writer = new RetryingWriter(deps)
  }

  /** What this node keeps trying to do for the outbox, without success. */
  get failures(): OngoingFailure[] {
    return this.#writer.failures.list()
  }

  /** Begins to send due messages. Returns after a pause, so that a job can call it repeatedly without a busy loop. */
  async poll(signal: AbortSignal): Promise<void> {
    const startedAt = performance.now()
    await this.#claim()
    const pauseMs = Math.min((performance.now() - startedAt) / MAX_POLL_SHARE, MAX_POLL_PAUSE_MS)
    await delay(pauseMs, undefined, { signal }).catch(() => {})
  }

  /** Sends due messages and waits for the results. */
  async runOnce(): Promise<void> {
    await this.#claim()
    await this.#waitForRunningQueues()
  }

  /**
   * Starts sending no more messages, and resolves when the results of those in progress are stored. Gives up on results that the
   * database doesn't accept within `maxMs`.
   */
  async stop(maxMs: number): Promise<void> {
    this.#isStopping = true
    this.#writer.setDeadline(maxMs)
    await this.#claimInProgress
    await this.#waitForRunningQueues()
  }

  async #waitForRunningQueues(): Promise<void> {
    await Promise.all(this.#runningQueues.values())
  }

  #claim(): Promise<void> {
    const problem = `could not look for ${this.#deps.source.messageName} to send`
    this.#claimInProgress = this.#claimQueues(problem).catch((error) => this.#writer.reportFailure(error, problem))
    return this.#claimInProgress
  }

  async #claimQueues(problem: string): Promise<void> {
    const { source, claimant } = this.#deps
    const { failures } = this.#writer
    if (this.#isStopping) return
    if (!claimant.isValid()) {
      failures.recordFailure(problem, 'this node could not store its heartbeat')
      return
    }
    const nodeId = claimant.id
    const runningQueues = [...this.#runningQueues.keys()]
    if (claimant.isStable() && this.#writer.isStable()) await source.releaseAbandoned(nodeId, runningQueues)
    const { queues, areMoreQueuesReady } = await source.claimQueues(nodeId, runningQueues)
    failures.recordSuccess(problem)
    failures.forgetAfter(FORGET_FAILURES_AFTER_MS + 2 * source.databaseRetryDelayMs)
    this.#areMoreQueuesReady = areMoreQueuesReady
    for (const queue of queues) this.#runningQueues.set(queue, this.#sendQueue({ queue, nodeId }))
  }

  /** Never rejects. */
  async #sendQueue(claimedQueue: ClaimedQueue<Queue>): Promise<void> {
    const { source, claimant, clock, log, onReady } = this.#deps
    const mayContinue = () => !this.#isStopping && claimant.hasId(claimedQueue.nodeId) && claimant.isValid()
    const problem = `could not send ${source.messageName}`
    let hasMore = false
    try {
      hasMore = await sendQueue({ source, writer: this.#writer, clock, log }, claimedQueue, mayContinue)
      this.#writer.failures.recordSuccess(problem)
    } catch (error) {
      this.#writer.reportFailure(error, problem)
    }
    this.#runningQueues.delete(claimedQueue.queue)
    if (hasMore || this.#areMoreQueuesReady) onReady()
  }
}
