import { describe, expect, it } from 'vitest'
import type { CheckFailure } from './probes/probe.ts'
import { decideVerdict, findDueCertificateWarning, type PriorState } from './verdict.ts'

const at = new Date('2026-01-05T10:00:00Z')
const later = (seconds: number) => new Date(at.getTime() + seconds * 1000)
const schedule = { dueAt: at, intervalMs: 60_000, retries: 2, retryIntervalMs: 5_000 }
const refused: CheckFailure = { cause: 'connect', detail: 'Connection refused' }

const up: PriorState = {
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

const noChange = { event: null, watchEndedAt: null, watchedFrom: null }

describe('a successful check', () => {
  it('leaves the monitor up and clears unconfirmed failures', () => {
    expect(decideVerdict({ ...up, failures: 2, failingSince: later(-5) }, schedule, at, null)).toEqual({
      status: 'up',
      failures: 0,
      failingSince: null,
      needsConfirmation: false,
      isEarly: false,
      ...noChange,
    })
  })

  it('brings a pending monitor up and starts its first watch', () => {
    expect(decideVerdict({ ...up, status: 'pending' }, schedule, at, null)).toMatchObject({
      status: 'up',
      event: 'first_up',
      watchedFrom: at,
    })
  })

  it('brings a monitor up without confirmation', () => {
    const down: PriorState = { ...up, status: 'down', failures: 9, failingSince: later(-600) }
    expect(decideVerdict(down, schedule, at, null)).toMatchObject({ status: 'up', event: 'recovered', failures: 0 })
  })
})

describe('a failed check', () => {
  it('takes the monitor down after the configured retries', () => {
    const firstVerdict = decideVerdict(up, schedule, at, refused)
    expect(firstVerdict).toEqual({
      status: 'up',
      failures: 1,
      failingSince: at,
      needsConfirmation: true,
      isEarly: false,
      ...noChange,
    })
    const secondVerdict = decideVerdict({ ...up, ...firstVerdict, status: 'up' }, schedule, later(5), refused)
    expect(secondVerdict).toMatchObject({
      status: 'up',
      failures: 2,
      failingSince: at,
      needsConfirmation: true,
      event: null,
    })
    const thirdVerdict = decideVerdict({ ...up, ...secondVerdict, status: 'up' }, schedule, later(10), refused)
    expect(thirdVerdict).toMatchObject({
      status: 'down',
      failures: 3,
      failingSince: at,
      needsConfirmation: false,
      event: 'down',
    })
  })

  it('confirms nothing if it is a manual check before the retry is due', () => {
    const failing: PriorState = { ...up, failures: 2, failingSince: later(-5), lastCheckedAt: later(-1) }
    expect(decideVerdict(failing, { ...schedule, dueAt: later(4) }, at, refused)).toMatchObject({
      status: 'up',
      failures: 2,
      needsConfirmation: true,
      isEarly: true,
      event: null,
    })
  })

  it('counts if the retry is due, even shortly after a manual check', () => {
    const failing: PriorState = { ...up, failures: 2, failingSince: later(-5), lastCheckedAt: later(-1) }
    expect(decideVerdict(failing, schedule, at, refused)).toMatchObject({ status: 'down', isEarly: false })
  })

  it('takes the monitor down immediately without retries', () => {
    expect(decideVerdict(up, { ...schedule, retries: 0 }, at, refused)).toMatchObject({ status: 'down', event: 'down' })
  })

  it('only increments the number of failures if the monitor is already down', () => {
    const down: PriorState = { ...up, status: 'down', failures: 3, failingSince: later(-60) }
    expect(decideVerdict(down, schedule, at, refused)).toMatchObject({
      status: 'down',
      failures: 4,
      needsConfirmation: false,
      ...noChange,
    })
  })

  it('leaves a new monitor pending until retries confirm it, and then starts the watch at the first failure', () => {
    const pending: PriorState = { ...up, status: 'pending' }
    expect(decideVerdict(pending, schedule, at, refused)).toMatchObject({
      status: 'pending',
      needsConfirmation: true,
      ...noChange,
    })
    const failing: PriorState = { ...pending, failures: 2, failingSince: later(-10) }
    expect(decideVerdict(failing, schedule, at, refused)).toMatchObject({
      status: 'down',
      event: 'down',
      watchedFrom: later(-10),
    })
  })
})

describe('a gap without checks', () => {
  it('is not watched: the watch ends when the check was due, and a new one starts', () => {
    expect(decideVerdict({ ...up, waitingSince: later(-3_600) }, schedule, at, null)).toMatchObject({
      status: 'up',
      event: null,
      watchEndedAt: later(-3_600),
      watchedFrom: at,
    })
  })

  it('clears the failures before it', () => {
    const failing: PriorState = { ...up, waitingSince: later(-3_600), failures: 2, failingSince: later(-3_605) }
    expect(decideVerdict(failing, schedule, at, refused)).toMatchObject({
      status: 'up',
      failures: 1,
      failingSince: at,
      needsConfirmation: true,
    })
    const pending: PriorState = { ...failing, status: 'pending' }
    expect(decideVerdict(pending, schedule, at, refused)).toMatchObject({ status: 'pending', failures: 1, ...noChange })
  })

  it('does not exist if the check was only slightly late', () => {
    expect(decideVerdict({ ...up, waitingSince: later(-100) }, schedule, at, null)).toMatchObject(noChange)
  })
})

describe('the certificate warning', () => {
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
  ])('with %s days left is the %s-day warning', (daysLeft, expected) => {
    expect(findDueCertificateWarning(up, inDays(daysLeft), at)).toBe(expected)
  })

  it('is sent only once for each number of days', () => {
    const warned: PriorState = { ...up, tlsExpiresAt: inDays(7), tlsWarnedDays: 7 }
    expect(findDueCertificateWarning(warned, inDays(7), at)).toBeNull()
    expect(findDueCertificateWarning({ ...warned, tlsWarnedDays: 14 }, inDays(7), at)).toBe(7)
  })

  it('starts over with a new certificate', () => {
    expect(findDueCertificateWarning({ ...up, tlsExpiresAt: inDays(5), tlsWarnedDays: 7 }, inDays(6), at)).toBe(7)
  })

  it('is not sent if there is no certificate', () => {
    expect(findDueCertificateWarning(up, null, at)).toBeNull()
  })
})
