import { describe, expect, it } from 'vitest'
import { certificateWarning, type Failure, judge, type Known } from './verdict.ts'

const at = new Date('2026-01-05T10:00:00Z')
const later = (seconds: number) => new Date(at.getTime() + seconds * 1000)
const rules = { intervalMs: 60_000, retries: 2, retryIntervalMs: 5_000 }
const refused: Failure = { cause: 'connect', detail: 'connection refused' }

const up: Known = {
  status: 'up',
  waitingSince: at,
  failures: 0,
  failingSince: null,
  lastCheckedAt: null,
  lastError: null,
  tlsExpiresAt: null,
  tlsWarnedDays: null,
  incidentStartedAt: null,
}

const nothingNew = { event: null, watchEndedAt: null, watchedFrom: null }

describe('a check that is fine', () => {
  it('changes nothing where the monitor is up, and forgets failures that were not confirmed', () => {
    expect(judge({ ...up, failures: 2, failingSince: later(-5) }, rules, at, null)).toEqual({
      status: 'up',
      failures: 0,
      failingSince: null,
      isUnsure: false,
      ...nothingNew,
    })
  })

  it('is the first verdict where there was none, and the beginning of the watch', () => {
    expect(judge({ ...up, status: 'pending' }, rules, at, null)).toMatchObject({
      status: 'up',
      event: 'first_up',
      watchedFrom: at,
    })
  })

  it('brings the monitor up by itself', () => {
    const known: Known = { ...up, status: 'down', failures: 9, failingSince: later(-600) }
    expect(judge(known, rules, at, null)).toMatchObject({ status: 'up', event: 'recovered', failures: 0 })
  })
})

describe('a check that fails', () => {
  it('is confirmed by so many further ones before the monitor is down', () => {
    const first = judge(up, rules, at, refused)
    expect(first).toEqual({ status: 'up', failures: 1, failingSince: at, isUnsure: true, ...nothingNew })
    const second = judge({ ...up, ...first, status: 'up' }, rules, later(5), refused)
    expect(second).toMatchObject({ status: 'up', failures: 2, failingSince: at, isUnsure: true, event: null })
    const third = judge({ ...up, ...second, status: 'up' }, rules, later(10), refused)
    expect(third).toMatchObject({ status: 'down', failures: 3, failingSince: at, isUnsure: false, event: 'down' })
  })

  it('by hand, sooner than it would be confirmed, does not confirm it', () => {
    const known: Known = { ...up, failures: 2, failingSince: later(-5), lastCheckedAt: later(-1) }
    expect(judge(known, rules, at, refused)).toMatchObject({ status: 'up', failures: 2, isUnsure: true, event: null })
    expect(judge({ ...known, lastCheckedAt: later(-5) }, rules, at, refused)).toMatchObject({ status: 'down' })
  })

  it('is enough by itself where no retries are wanted', () => {
    expect(judge(up, { ...rules, retries: 0 }, at, refused)).toMatchObject({ status: 'down', event: 'down' })
  })

  it('changes nothing more where the monitor is down already', () => {
    const known: Known = { ...up, status: 'down', failures: 3, failingSince: later(-60) }
    expect(judge(known, rules, at, refused)).toMatchObject({
      status: 'down',
      failures: 4,
      isUnsure: false,
      ...nothingNew,
    })
  })

  it('leaves a new monitor pending until it is confirmed; then it was watched from the first failure on', () => {
    const pending: Known = { ...up, status: 'pending' }
    expect(judge(pending, rules, at, refused)).toMatchObject({ status: 'pending', isUnsure: true, ...nothingNew })
    const last: Known = { ...pending, failures: 2, failingSince: later(-10) }
    expect(judge(last, rules, at, refused)).toMatchObject({ status: 'down', event: 'down', watchedFrom: later(-10) })
  })
})

describe('a time in which nobody looked', () => {
  it('is not watched: the watch ended when the check was due, and begins again', () => {
    expect(judge({ ...up, waitingSince: later(-3_600) }, rules, at, null)).toMatchObject({
      status: 'up',
      event: null,
      watchEndedAt: later(-3_600),
      watchedFrom: at,
    })
  })

  it('outdates what failed before it', () => {
    const known: Known = { ...up, waitingSince: later(-3_600), failures: 2, failingSince: later(-3_605) }
    expect(judge(known, rules, at, refused)).toMatchObject({
      status: 'up',
      failures: 1,
      failingSince: at,
      isUnsure: true,
    })
    const pending: Known = { ...known, status: 'pending' }
    expect(judge(pending, rules, at, refused)).toMatchObject({ status: 'pending', failures: 1, ...nothingNew })
  })

  it('is no hole where the check was only a little late', () => {
    expect(judge({ ...up, waitingSince: later(-100) }, rules, at, null)).toMatchObject(nothingNew)
  })
})

describe('the warning of a certificate', () => {
  const inDays = (days: number) => later(days * 86_400)

  it.each([
    [15, null],
    [14, 14],
    [10, 14],
    [7, 7],
    [3, 7],
    [1, 1],
    [0.2, 1],
    [-1, null],
  ])('with %s days left is that of %s days', (left, expected) => {
    expect(certificateWarning(up, inDays(left), at)).toBe(expected)
  })

  it('comes once each', () => {
    const warned: Known = { ...up, tlsExpiresAt: inDays(7), tlsWarnedDays: 7 }
    expect(certificateWarning(warned, inDays(7), at)).toBeNull()
    expect(certificateWarning({ ...warned, tlsWarnedDays: 14 }, inDays(7), at)).toBe(7)
  })

  it('begins anew with another certificate', () => {
    expect(certificateWarning({ ...up, tlsExpiresAt: inDays(5), tlsWarnedDays: 7 }, inDays(6), at)).toBe(7)
  })

  it('is not there where there is no certificate', () => {
    expect(certificateWarning(up, null, at)).toBeNull()
  })
})
