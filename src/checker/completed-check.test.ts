import { describe, expect, it } from 'vitest'
import type { ClaimedCheck } from './claimed-check.ts'
import { type CompletedCheck, completeCheck } from './completed-check.ts'
import type { PriorState } from './verdict.ts'

const firstFailedAt = new Date('2026-01-05T10:00:00Z')
const later = (seconds: number) => new Date(firstFailedAt.getTime() + seconds * 1000)

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
  userId: 1,
  monitorId: 1,
  claimNumber: 1,
  node: 1,
  dueAt: later(5),
  friendlyName: 'Shop',
  target: { type: 'ping', url: 'shop.example.com', userId: 1, timeoutMs: 1_000 },
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
    const manualCheck = fail(claimedRetry, later(4))
    expect(manualCheck.verdict).toMatchObject({ status: 'up', failures: 1, isEarly: true })
    expect(manualCheck.nextDueAt).toEqual(later(5))
    expect(fail(claimNext(manualCheck), later(5)).verdict).toMatchObject({ status: 'down', event: 'down' })
  })
})

describe('the first failed check after a gap', () => {
  it('is confirmed by a retry after the retry interval', () => {
    const checkAfterGap = fail(
      { ...claimedRetry, priorState: { ...stateAfterOneFailure, waitingSince: later(-3_600) } },
      later(5),
    )
    expect(checkAfterGap.verdict).toMatchObject({ status: 'up', failures: 1, needsConfirmation: true })
    expect(checkAfterGap.nextDueAt).toEqual(later(10.02))
    expect(fail(claimNext(checkAfterGap), later(10.1)).verdict).toMatchObject({ status: 'down', event: 'down' })
  })
})
