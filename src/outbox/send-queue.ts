/** Sends the messages of one queue in order, until none is due, an attempt fails, or the queue's turn ends. */
import type { Logger } from 'pino'
import { addMs, type Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { isDatabaseUnavailable } from '../storage/connection-loss.ts'
import { DeliveryCancelled, DeliveryError, DeliveryPostponed } from './delivery-error.ts'
import { type DeliveryResult, toRetryOrFailedResult, toSentResult } from './delivery-result.ts'
import type { RetryingWriter } from './retrying-writer.ts'
import type { ClaimedQueue, DeliveryAttempt, OutboxMessage, OutboxSource } from './source.ts'

/** After this many messages or this much time, other queues get a turn. */
const MAX_MESSAGES_PER_TURN = 50
const MAX_TURN_MS = 20_000

export interface SendQueueDeps<Queue extends object, Message extends OutboxMessage> {
  source: OutboxSource<Queue, Message>
  writer: RetryingWriter
  clock: Clock
  log: Logger
}

/** Returns whether more messages may be due. `mayContinue` returns false if the claim was lost or the server stops. */
export async function sendQueue<Queue extends object, Message extends OutboxMessage>(
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
