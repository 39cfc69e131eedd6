/** What happens to a message after an attempt to send it. */
import { addMs } from '../lib/clock.ts'
import { applyRetryAfter, getGiveUpCutoff, getQueuePauseMs, getRetryDelayMs } from './backoff.ts'
import { DeliveryError, DeliveryPostponed } from './delivery-error.ts'

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

export type DeliveryResult = SentResult | RetryResult | FailedResult

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
