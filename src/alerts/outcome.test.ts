import { describe, expect, it } from 'vitest'
import { DeliveryError } from '../providers/provider.ts'
import { NoSmsLeft } from '../providers/sms-allowance.ts'
import { failedOutcome, sentOutcome } from './outcome.ts'

const createdAt = new Date('2026-01-05T10:00:00.000Z')
const tried = { createdAt, attempts: 1, failures: 1, now: createdAt }
const inSeconds = (seconds: number) => new Date(createdAt.getTime() + 1000 * seconds)

describe('after an attempt', () => {
  it('what was said is kept without characters that the database refuses', () => {
    expect(sentOutcome('ok\0 \u0007fine')).toEqual({ result: 'sent', answer: 'ok fine' })
  })

  it('a passing failure pauses the message for its attempts, and the provider for its failures', () => {
    const error = new DeliveryError('Slack answered 503', { said: 'busy' })
    expect(failedOutcome(error, { ...tried, attempts: 6, failures: 2 })).toEqual({
      result: 'again',
      answer: 'Slack answered 503: busy.',
      nextAttemptAt: inSeconds(900),
      restsUntil: inSeconds(15),
    })
  })

  it('both wait for as long as the other side asks', () => {
    const error = new DeliveryError('Slack answered 429', { retryAfterSeconds: 120 })
    expect(failedOutcome(error, tried)).toMatchObject({ nextAttemptAt: inSeconds(120), restsUntil: inSeconds(120) })
  })

  it('an error that nothing helps against ends it and is shown', () => {
    const error = new DeliveryError('Slack answered 404', { permanent: true })
    expect(failedOutcome(error, tried)).toEqual({
      result: 'failed',
      answer: 'Slack answered 404.',
      failure: 'Slack answered 404.',
      restsUntil: inSeconds(5),
    })
  })

  it('a day is the end', () => {
    const error = new DeliveryError('Slack answered 503')
    expect(failedOutcome(error, { ...tried, attempts: 99, now: inSeconds(86_400) })).toMatchObject({
      result: 'failed',
      failure: 'Given up after 24 h. Slack answered 503.',
    })
  })

  it('a spent allowance comes back with the next day', () => {
    expect(failedOutcome(new NoSmsLeft(100, createdAt), tried)).toMatchObject({
      result: 'again',
      answer: 'At most 100 text messages a day (BELFRY_SMS_DAILY).',
      nextAttemptAt: new Date('2026-01-06T00:00:00.000Z'),
      restsUntil: new Date('2026-01-06T00:00:00.000Z'),
    })
  })

  it('a fault of ours is tried again and not told to people', () => {
    expect(failedOutcome(new TypeError('x is not a function'), tried)).toMatchObject({
      result: 'again',
      answer: 'This server failed to send it: its log says why.',
      nextAttemptAt: inSeconds(5),
    })
  })
})
