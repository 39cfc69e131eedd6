/**
 * Delivers messages that are stored in the database: claims queues with due messages, sends them and stores the results.
 * A message is sent twice only if the process dies between the receiver's response and the commit of the result.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { addMs, type Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { Claimant } from '../nodes/lease.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../shared/time.ts'
import { isDatabaseUnavailable } from '../storage/connection-loss.ts'
import { DeliveryCancelled, DeliveryError, DeliveryPostponed } from './delivery-error.ts'
import type { OngoingFailure } from './ongoing-failures.ts'
import { RetryingWriter } from './retrying-writer.ts'

export interface OutboxMessage {
  /** The id is the same for every attempt, so that the receiver can recognize a repeat. */
  messageId: string
  createdAt: Date
  /** Number of attempts so far. */
  attempts: number
  /** Failed attempts of the message's queue since the last success. */
  failuresInARow: number
}

/** A queue that the node `nodeId` has claimed: no other node sends its messages. */
export interface ClaimedQueue<Queue> {
  queue: Queue
  nodeId: number
}

export interface DeliveryAttempt<Queue, Message> extends ClaimedQueue<Queue> {
  message: Message
}

/** Connects an outbox to its messages. The outbox itself knows neither their tables nor their receivers. */
export interface OutboxSource<Queue extends object, Message extends OutboxMessage> {
  /** For log lines, such as "an alert". */
  readonly messageName: string
  readonly giveUpAfterHours: number
  /** Delay before the retry of a message that could not be prepared because the database was unavailable. */
  readonly databaseRetryDelayMs: number

  /** Releases queues of expired nodes, and queues that this node has claimed but that are not in `runningQueues`. */
  releaseAbandoned(nodeId: number, runningQueues: readonly Queue[]): Promise<void>
  /**
   * Claims queues in which messages are due. `areMoreQueuesReady` says whether limits prevented it from claiming all of them.
   */
  claimQueues(
    nodeId: number,
    runningQueues: readonly Queue[],
  ): Promise<{ queues: Queue[]; areMoreQueuesReady: boolean }>
  /** Returns the next message that is due. If none is due, releases the queue. */
  pickNext(claimedQueue: ClaimedQueue<Queue>): Promise<Message | undefined>
  /**
   * Returns a function that sends the message and resolves with the receiver's response. Both functions may throw the
   * errors of `delivery-error.ts`. Before `DeliveryCancelled` is thrown, the message must be stored as cancelled.
   */
  prepare(attempt: DeliveryAttempt<Queue, Message>): Promise<() => Promise<string>>
  /** Stores the result, then continues like `pickNext`. Repeating the call is harmless. */
  settle(attempt: DeliveryAttempt<Queue, Message>, result: DeliveryResult): Promise<Message | undefined>
  /** Stores the result and releases the queue. Repeating the call is harmless. */
  settleAndRelease(attempt: DeliveryAttempt<Queue, Message>, result: DeliveryResult): Promise<void>
  /** Releases the queue. The message was not attempted and stays due, or becomes due at `notBefore`. */
  release(attempt: DeliveryAttempt<Queue, Message>, notBefore: Date | null): Promise<void>
  /** Called once per result, for metrics. */
  countResult?(message: Message, result: DeliveryResult): void
}

/** Share of the time that polling may take: the longer a poll takes, the longer the pause after it, up to MAX_POLL_PAUSE_MS. */
const MAX_POLL_SHARE = 0.1
const MAX_POLL_PAUSE_MS = 2_000
/**
 * A failure is forgotten after this time plus two retry delays of the source, unless it occurs again. While the
 * database doesn't respond, each attempt takes up to 35 s.
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

  /** The operations of this outbox that keep failing on this node. */
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
   * Sends no further messages, and resolves when the results of the running attempts are stored. Gives up on results
   * that the database doesn't accept within `maxMs`.
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

/** After this many messages or this much time, other queues get a turn. */
const MAX_MESSAGES_PER_TURN = 50
const MAX_TURN_MS = 20_000

interface SendQueueDeps<Queue extends object, Message extends OutboxMessage> {
  source: OutboxSource<Queue, Message>
  writer: RetryingWriter
  clock: Clock
  log: Logger
}

/**
 * Sends the messages of one queue in order, until none is due, an attempt fails, or the queue's turn ends. Returns whether more messages
 * may be due. `mayContinue` returns false if the claim was lost or the server stops.
 */
async function sendQueue<Queue extends object, Message extends OutboxMessage>(
  deps: SendQueueDeps<Queue, Message>,
  claimedQueue: ClaimedQueue<Queue>,
  mayContinue: () => boolean,
): Promise<boolean> {
  const { source, writer, clock } = deps
  const write = <T>(operation: () => Promise<T>) =>
    writer.write(`could not store the result of sending ${source.messageName}`, operation)
  const turnEndsAt = performance.now() + MAX_TURN_MS

  let message = await source.pickNext(claimedQueue)
  for (let count = 1; message !== undefined; count++) {
    const attempt = { ...claimedQueue, message }
    const result = await attemptDelivery(deps, attempt, mayContinue)
    if (result === 'interrupted' || result === 'database unavailable') {
      const notBefore = result === 'interrupted' ? null : addMs(clock.now(), source.databaseRetryDelayMs)
      await write(() => source.release(attempt, notBefore))
      return false
    }
    if (result === 'cancelled') {
      message = await write(() => source.pickNext(claimedQueue))
      continue
    }
    source.countResult?.(message, result)
    if (count >= MAX_MESSAGES_PER_TURN || performance.now() > turnEndsAt || !mayContinue()) {
      await write(() => source.settleAndRelease(attempt, result))
      return true
    }
    message = await write(() => source.settle(attempt, result))
  }
  return false
}

/** Only a `DeliveryResult` counts as an attempt. The other return values say why the message was not attempted. */
async function attemptDelivery<Queue extends object, Message extends OutboxMessage>(
  deps: SendQueueDeps<Queue, Message>,
  attempt: DeliveryAttempt<Queue, Message>,
  mayContinue: () => boolean,
): Promise<DeliveryResult | 'interrupted' | 'database unavailable' | 'cancelled'> {
  const { source, writer, clock } = deps
  const problem = `could not prepare ${source.messageName}`
  if (!mayContinue()) return 'interrupted'
  try {
    const send = await source.prepare(attempt)
    writer.failures.recordSuccess(problem)
    // Preparing may take long enough to lose the claim.
    if (!mayContinue()) return 'interrupted'
    return toSentResult(await send(), clock.now())
  } catch (error) {
    if (error instanceof DeliveryCancelled) return 'cancelled'
    if (error instanceof DeliveryError && error.interrupted) return 'interrupted'
    // The database client throws a Problem when the database is unavailable. Other connection errors come from the
    // connection to the receiver.
    if (error instanceof Problem && isDatabaseUnavailable(error)) {
      writer.reportFailure(error, problem)
      return 'database unavailable'
    }
    return handleFailure(deps, attempt.message, error)
  }
}

function handleFailure<Queue extends object, Message extends OutboxMessage>(
  { source, clock, log }: SendQueueDeps<Queue, Message>,
  { messageId, createdAt, attempts, failuresInARow }: Message,
  error: unknown,
): DeliveryResult {
  const { giveUpAfterHours, messageName } = source
  const result = toRetryOrFailedResult(error, {
    createdAt,
    attempts: attempts + 1,
    failuresInARow: failuresInARow + 1,
    now: clock.now(),
    giveUpAfterHours,
  })
  const fields = { messageId, reason: result.response }
  if (result.status === 'failed') log.warn(fields, `gave up sending ${messageName}`)
  if (!(error instanceof DeliveryError || error instanceof DeliveryPostponed)) {
    log.error({ ...fields, err: error }, `sending ${messageName} failed unexpectedly`)
  }
  return result
}

/** What happens to a message after an attempt to send it. */
export type DeliveryResult = SentResult | RetryResult | FailedResult

interface CompletedAttempt {
  attemptedAt: Date
  /** What the receiver responded, or a sentence about why the attempt failed. */
  response: string
}

export interface SentResult extends CompletedAttempt {
  status: 'sent'
}

export interface RetryResult extends CompletedAttempt {
  status: 'retry'
  nextAttemptAt: Date
  queuePausedUntil: Date
}

export interface FailedResult extends CompletedAttempt {
  status: 'failed'
  /** Why the delivery failed: the service's response or the network error, plus a note if Belfry stopped retrying. */
  failure: string
  queuePausedUntil: Date
}

export interface FailedAttempt {
  createdAt: Date
  /** Attempts to send the message, including this one. */
  attempts: number
  /** Failed attempts in the message's queue since the queue's last success, including this attempt. */
  failuresInARow: number
  now: Date
  giveUpAfterHours: number
}

export function toSentResult(response: string, now: Date): SentResult {
  return { status: 'sent', attemptedAt: now, response: toStorableLine(response) }
}

export function toRetryOrFailedResult(error: unknown, attempt: FailedAttempt): RetryResult | FailedResult {
  const { createdAt, now, giveUpAfterHours } = attempt
  const { sentence, isPermanent, pauseMs, delayMs } = interpretError(error, attempt)
  const response = toStorableLine(sentence)
  const attemptFields = { attemptedAt: now, response, queuePausedUntil: addMs(now, pauseMs) }
  if (isPermanent) return { status: 'failed', ...attemptFields, failure: response }
  if (createdAt <= getGiveUpCutoff(now, giveUpAfterHours)) {
    return { status: 'failed', ...attemptFields, failure: formatGaveUpSentence(giveUpAfterHours, response) }
  }
  return { status: 'retry', ...attemptFields, nextAttemptAt: addMs(now, delayMs) }
}

export const formatGaveUpSentence = (hours: number, response: string) => `Gave up after ${hours} h. ${response}`

function interpretError(error: unknown, { attempts, failuresInARow }: FailedAttempt) {
  if (error instanceof DeliveryPostponed) {
    const waitMs = error.retryAfterSeconds * 1000
    return { sentence: error.message, isPermanent: false, delayMs: waitMs, pauseMs: waitMs }
  }
  const [delayMs, pauseMs] = [getRetryDelayMs(attempts), getQueuePauseMs(failuresInARow)]
  if (!(error instanceof DeliveryError)) {
    return {
      sentence: 'Sending failed with an internal error. See the server log.',
      isPermanent: false,
      delayMs,
      pauseMs,
    }
  }
  const { sentence, permanent, retryAfterSeconds } = error
  return {
    sentence,
    isPermanent: permanent,
    delayMs: applyRetryAfter(delayMs, retryAfterSeconds),
    pauseMs: applyRetryAfter(pauseMs, retryAfterSeconds),
  }
}

/** PostgreSQL rejects NUL characters. A response that cannot be stored would make us send the message again. */
const toStorableLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ')

const retryDelaysMs = [5 * SECOND_MS, 15 * SECOND_MS, 45 * SECOND_MS, 2 * MINUTE_MS, 5 * MINUTE_MS]
const MAX_RETRY_DELAY_MS = 15 * MINUTE_MS
/**
 * The longest pause of a queue is shorter than the longest delay of a single message, because another message of the
 * queue may succeed.
 */
const MAX_QUEUE_PAUSE_MS = MINUTE_MS
/** A receiver can delay the next attempt by at most this long. */
const MAX_RETRY_AFTER_MS = HOUR_MS

export function getRetryDelayMs(attempts: number): number {
  return retryDelaysMs[attempts - 1] ?? MAX_RETRY_DELAY_MS
}

/** After a failure the whole queue pauses, so that its other messages do not fail one by one. */
export function getQueuePauseMs(failuresInARow: number): number {
  return Math.min(getRetryDelayMs(failuresInARow), MAX_QUEUE_PAUSE_MS)
}

/** Extends the delay to what the receiver asked for. */
export function applyRetryAfter(delayMs: number, retryAfterSeconds = 0): number {
  return Math.max(delayMs, Math.min(retryAfterSeconds * SECOND_MS, MAX_RETRY_AFTER_MS))
}

/** Messages created at or before the returned time are given up. */
export function getGiveUpCutoff(now: Date, giveUpAfterHours: number): Date {
  return addMs(now, -giveUpAfterHours * HOUR_MS)
}
