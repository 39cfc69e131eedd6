import { describe, expect, it } from 'vitest'
import { DEFAULT_WARN_DAYS } from '../shared/monitors.ts'
import type { CheckFailure } from './probes/probe.ts'
import {
  type ClaimedCheck,
  type CompletedCheck,
  completeCheck,
  decideVerdict,
  findDueExpiryWarning,
  type PriorState,
} from './verdict.ts'

const now = new Date('2026-01-05T10:00:00Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const schedule = { dueAt: now, intervalMs: 60_000, retries: 2, retryIntervalMs: 5_000 }
const failure: CheckFailure = { cause: 'connect', detail: 'Connection refused' }

const upState: PriorState = {
  status: 'up',
  waitingSince: now,
  failures: 0,
  failingSince: null,
  lastCheckedAt: null,
  expiresAt: null,
  warnedDays: null,
}

const noChange = { event: null, monitoredUntil: null, monitoredFrom: null }

describe('a successful check', () => {
  it('leaves the monitor up and clears unconfirmed failures', () => {
    expect(decideVerdict({ ...upState, failures: 2, failingSince: later(-5) }, schedule, now, null)).toEqual({
      status: 'up',
      failures: 0,
      failingSince: null,
      needsConfirmation: false,
      isEarly: false,
      ...noChange,
    })
  })

  it('brings a pending monitor up and starts its first monitored period', () => {
    expect(decideVerdict({ ...upState, status: 'pending' }, schedule, now, null)).toMatchObject({
      status: 'up',
      event: 'first_up',
      monitoredFrom: now,
    })
  })

  it('brings a monitor up without confirmation', () => {
    const downState: PriorState = { ...upState, status: 'down', failures: 9, failingSince: later(-600) }
    expect(decideVerdict(downState, schedule, now, null)).toMatchObject({
      status: 'up',
      event: 'recovered',
      failures: 0,
    })
  })
})

describe('a failed check', () => {
  it('takes the monitor down after the configured retries', () => {
    const firstVerdict = decideVerdict(upState, schedule, now, failure)
    expect(firstVerdict).toEqual({
      status: 'up',
      failures: 1,
      failingSince: now,
      needsConfirmation: true,
      isEarly: false,
      ...noChange,
    })
    const secondVerdict = decideVerdict({ ...upState, ...firstVerdict, status: 'up' }, schedule, later(5), failure)
    expect(secondVerdict).toMatchObject({
      status: 'up',
      failures: 2,
      failingSince: now,
      needsConfirmation: true,
      event: null,
    })
    const thirdVerdict = decideVerdict({ ...upState, ...secondVerdict, status: 'up' }, schedule, later(10), failure)
    expect(thirdVerdict).toMatchObject({
      status: 'down',
      failures: 3,
      failingSince: now,
      needsConfirmation: false,
      event: 'down',
    })
  })

  it('does not count as a retry if it is a manual check before the retry is due', () => {
    const failingState: PriorState = { ...upState, failures: 2, failingSince: later(-5), lastCheckedAt: later(-1) }
    expect(decideVerdict(failingState, { ...schedule, dueAt: later(4) }, now, failure)).toMatchObject({
      status: 'up',
      failures: 2,
      needsConfirmation: true,
      isEarly: true,
      event: null,
    })
  })

  it('counts as a retry if the retry is due, even shortly after a manual check', () => {
    const failingState: PriorState = { ...upState, failures: 2, failingSince: later(-5), lastCheckedAt: later(-1) }
    expect(decideVerdict(failingState, schedule, now, failure)).toMatchObject({ status: 'down', isEarly: false })
  })

  it('takes the monitor down immediately if it has no retries', () => {
    expect(decideVerdict(upState, { ...schedule, retries: 0 }, now, failure)).toMatchObject({
      status: 'down',
      event: 'down',
    })
  })

  it('only increments the number of failures if the monitor is already down', () => {
    const downState: PriorState = { ...upState, status: 'down', failures: 3, failingSince: later(-60) }
    expect(decideVerdict(downState, schedule, now, failure)).toMatchObject({
      status: 'down',
      failures: 4,
      needsConfirmation: false,
      ...noChange,
    })
  })

  it('leaves a new monitor pending until retries confirm it, and then starts the monitored period at the first failure', () => {
    const pendingState: PriorState = { ...upState, status: 'pending' }
    expect(decideVerdict(pendingState, schedule, now, failure)).toMatchObject({
      status: 'pending',
      needsConfirmation: true,
      ...noChange,
    })
    const failingState: PriorState = { ...pendingState, failures: 2, failingSince: later(-10) }
    expect(decideVerdict(failingState, schedule, now, failure)).toMatchObject({
      status: 'down',
      event: 'down',
      monitoredFrom: later(-10),
    })
  })
})

describe('a gap without checks', () => {
  it('is not monitored: the monitored period ends when the check was due, and a new one starts', () => {
    expect(decideVerdict({ ...upState, waitingSince: later(-3_600) }, schedule, now, null)).toMatchObject({
      status: 'up',
      event: null,
      monitoredUntil: later(-3_600),
      monitoredFrom: now,
    })
  })

  it('clears the failures from before the gap', () => {
    const failingState: PriorState = {
      ...upState,
      waitingSince: later(-3_600),
      failures: 2,
      failingSince: later(-3_605),
    }
    expect(decideVerdict(failingState, schedule, now, failure)).toMatchObject({
      status: 'up',
      failures: 1,
      failingSince: now,
      needsConfirmation: true,
    })
    const pendingState: PriorState = { ...failingState, status: 'pending' }
    expect(decideVerdict(pendingState, schedule, now, failure)).toMatchObject({
      status: 'pending',
      failures: 1,
      ...noChange,
    })
  })

  it('does not exist if the check was only slightly late', () => {
    expect(decideVerdict({ ...upState, waitingSince: later(-100) }, schedule, now, null)).toMatchObject(noChange)
  })
})

describe('the expiry warning', () => {
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
    expect(findDueExpiryWarning(upState, [14, 7, 1], inDays(daysLeft), now)).toBe(expected)
  })

  it('is sent only once for each number of days', () => {
    const warnedState: PriorState = { ...upState, expiresAt: inDays(7), warnedDays: 7 }
    expect(findDueExpiryWarning(warnedState, [14, 7, 1], inDays(7), now)).toBeNull()
    expect(findDueExpiryWarning({ ...warnedState, warnedDays: 14 }, [14, 7, 1], inDays(7), now)).toBe(7)
  })

  it.each([
    [31, null],
    [30.01, null],
    [30, 30],
    [15, 30],
    [14, 14],
    [7.5, 14],
    [7, 7],
    [1, 1],
  ])('with %s days left and the default thresholds of types tls and domain is the %s-day warning', (daysLeft, days) => {
    expect(findDueExpiryWarning(upState, DEFAULT_WARN_DAYS, inDays(daysLeft), now)).toBe(days)
  })

  it('is never sent without thresholds, and not again after the thresholds changed', () => {
    expect(findDueExpiryWarning(upState, [], inDays(1), now)).toBeNull()
    const warnedState: PriorState = { ...upState, expiresAt: inDays(25), warnedDays: 30 }
    expect(findDueExpiryWarning(warnedState, [20, 60], inDays(25), now)).toBeNull()
    expect(findDueExpiryWarning(warnedState, [26], inDays(25), now)).toBe(26)
  })

  it('starts over with a new certificate', () => {
    expect(findDueExpiryWarning({ ...upState, expiresAt: inDays(5), warnedDays: 7 }, [14, 7, 1], inDays(6), now)).toBe(
      7,
    )
  })

  it('is not sent if there is no certificate', () => {
    expect(findDueExpiryWarning(upState, [14, 7, 1], null, now)).toBeNull()
  })
})

const firstFailedAt = new Date('2026-01-05T10:00:00Z')
const afterFailure = (seconds: number) => new Date(firstFailedAt.getTime() + seconds * 1000)

const stateAfterOneFailure: PriorState = {
  status: 'up',
  waitingSince: firstFailedAt,
  failures: 1,
  failingSince: firstFailedAt,
  lastCheckedAt: firstFailedAt,
  expiresAt: null,
  warnedDays: null,
}

/** A check that is due 5 s after the first failure. */
const claimedRetry: ClaimedCheck = {
  teamId: 1,
  monitorId: 1,
  claimNumber: 1,
  nodeId: 1,
  dueAt: afterFailure(5),
  target: { type: 'ping', url: 'shop.example.com', teamId: 1, timeoutMs: 1_000 },
  intervalMs: 60_000,
  retries: 1,
  retryIntervalMs: 5_000,
  priorState: stateAfterOneFailure,
}

/** Completes a check whose connection is refused after 20 ms. */
function fail(check: ClaimedCheck, startedAt: Date): CompletedCheck {
  const endedAt = new Date(startedAt.getTime() + 20)
  const failure = { cause: 'connect', detail: 'Connection refused' } as const
  const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }
  const noResponse = { responded: false, responseMs: null, timings, httpStatus: null, packetLoss: null }
  const result = { failure, note: null, ...noResponse, address: null, expiresAt: null }
  return completeCheck(check, { startedAt, endedAt, result })
}

/** The claim of the check that follows a completed one. */
function claimNext({ claimedCheck, startedAt, nextDueAt, verdict }: CompletedCheck): ClaimedCheck {
  const { status, failures, failingSince } = verdict
  const priorState = { ...claimedCheck.priorState, status, failures, failingSince, lastCheckedAt: startedAt }
  return { ...claimedCheck, dueAt: nextDueAt, priorState: { ...priorState, waitingSince: nextDueAt } }
}

describe('a failed manual check before a retry', () => {
  it('leaves the retry at its time, and the retry opens the incident', () => {
    const manualCheck = fail(claimedRetry, afterFailure(4))
    expect(manualCheck.verdict).toMatchObject({ status: 'up', failures: 1, isEarly: true })
    expect(manualCheck.nextDueAt).toEqual(afterFailure(5))
    expect(fail(claimNext(manualCheck), afterFailure(5)).verdict).toMatchObject({ status: 'down', event: 'down' })
  })
})

describe('the first failed check after a gap', () => {
  it('is confirmed by a retry after the retry interval', () => {
    const checkAfterGap = fail(
      { ...claimedRetry, priorState: { ...stateAfterOneFailure, waitingSince: afterFailure(-3_600) } },
      afterFailure(5),
    )
    expect(checkAfterGap.verdict).toMatchObject({ status: 'up', failures: 1, needsConfirmation: true })
    expect(checkAfterGap.nextDueAt).toEqual(afterFailure(10.02))
    expect(fail(claimNext(checkAfterGap), afterFailure(10.1)).verdict).toMatchObject({ status: 'down', event: 'down' })
  })
})
