import { describe, expect, it } from 'vitest'
import { DeliveryError, DeliveryPostponed } from './delivery-error.ts'
import {
  applyRetryAfter,
  getGiveUpCutoff,
  getQueuePauseMs,
  getRetryDelayMs,
  toRetryOrFailedResult,
  toSentResult,
} from './outbox.ts'

const createdAt = new Date('2026-01-05T10:00:00.000Z')
const attempt = { createdAt, attempts: 1, failuresInARow: 1, now: createdAt, giveUpAfterHours: 24 }
const inSeconds = (seconds: number) => new Date(createdAt.getTime() + 1000 * seconds)

describe('the result of an attempt', () => {
  it('stores the response without characters that the database rejects', () => {
    expect(toSentResult('ok\0 \u0007fine', createdAt)).toEqual({
      status: 'sent',
      attemptedAt: createdAt,
      response: 'ok fine',
    })
  })

  it('delays the message by its attempts, and pauses its queue by the failures in a row', () => {
    const error = new DeliveryError('Slack responded with 503', { response: 'busy' })
    expect(toRetryOrFailedResult(error, { ...attempt, attempts: 6, failuresInARow: 2 })).toEqual({
      status: 'retry',
      attemptedAt: createdAt,
      response: 'Slack responded with 503: busy.',
      nextAttemptAt: inSeconds(900),
      queuePausedUntil: inSeconds(15),
    })
  })

  it('delays the message and its queue for as long as the receiver asks', () => {
    const error = new DeliveryError('Slack responded with 429', { retryAfterSeconds: 120 })
    expect(toRetryOrFailedResult(error, attempt)).toMatchObject({
      nextAttemptAt: inSeconds(120),
      queuePausedUntil: inSeconds(120),
    })
  })

  it('is `failed` after a permanent error, and the failure repeats the response', () => {
    const error = new DeliveryError('Slack responded with 404', { permanent: true })
    expect(toRetryOrFailedResult(error, attempt)).toEqual({
      status: 'failed',
      attemptedAt: createdAt,
      response: 'Slack responded with 404.',
      failure: 'Slack responded with 404.',
      queuePausedUntil: inSeconds(5),
    })
  })

  it('is `retry` until the message is too old', () => {
    const error = new DeliveryError('Slack responded with 503')
    const lateAttempt = { ...attempt, attempts: 99 }
    expect(toRetryOrFailedResult(error, { ...lateAttempt, now: inSeconds(86_399.999) }).status).toBe('retry')
    expect(toRetryOrFailedResult(error, { ...lateAttempt, now: inSeconds(86_400) })).toMatchObject({
      status: 'failed',
      failure: 'Gave up after 24 h. Slack responded with 503.',
    })
  })

  it('is `retry` after a postponement, and the next attempt is at its end, whatever the backoff says', () => {
    expect(toRetryOrFailedResult(new DeliveryPostponed('Limit reached.', 50_400), attempt)).toMatchObject({
      status: 'retry',
      response: 'Limit reached.',
      nextAttemptAt: inSeconds(50_400),
      queuePausedUntil: inSeconds(50_400),
    })
  })

  it('is `retry` after an internal error, whose details appear only in the log', () => {
    expect(toRetryOrFailedResult(new TypeError('x is not a function'), attempt)).toMatchObject({
      status: 'retry',
      response: 'Sending failed with an internal error. See the server log.',
      nextAttemptAt: inSeconds(5),
    })
  })
})

const toMs = (seconds: number) => 1000 * seconds

describe('backoff', () => {
  it('grows with every attempt, up to 15 minutes', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 100].map(getRetryDelayMs)).toEqual([5, 15, 45, 120, 300, 900, 900, 900].map(toMs))
  })

  it('pauses a queue for a minute at most, because a new message may get through', () => {
    expect([1, 2, 3, 4, 50].map(getQueuePauseMs)).toEqual([5, 15, 45, 60, 60].map(toMs))
  })

  it('waits as long as the receiver asks, up to an hour', () => {
    expect(applyRetryAfter(5_000)).toBe(5_000)
    expect(applyRetryAfter(5_000, 2)).toBe(5_000)
    expect(applyRetryAfter(5_000, 30)).toBe(30_000)
    expect(applyRetryAfter(5_000, 86_400)).toBe(3_600_000)
  })

  it('ends after the given number of hours', () => {
    expect(getGiveUpCutoff(new Date('2026-01-06T10:00:00.000Z'), 24)).toEqual(new Date('2026-01-05T10:00:00.000Z'))
  })
})
