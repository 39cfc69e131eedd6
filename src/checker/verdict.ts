/** Decides what the result of a check means for its monitor. This module is pure. */
import type { MonitorStatus } from '../shared/monitors.ts'
import { DAY_MS } from '../shared/time.ts'
import type { CheckFailure } from './probes/probe.ts'

/**
 * The monitor's state when the check was claimed. If the state changes during the check, the result is discarded.
 */
export interface PriorState {
  status: Exclude<MonitorStatus, 'paused'>
  /** Consecutive failed checks. */
  failures: number
  /** Time of the first of these failed checks. */
  failingSince: Date | null
  lastCheckedAt: Date | null
  /**
   * The due time of the first check that has no recorded result yet. It may be long ago if no node was running, or if all
   * checks since then were inconclusive.
   */
  waitingSince: Date
  expiresAt: Date | null
  /** The last warning sent about this certificate, in days before expiry; null if none was sent. */
  warnedDays: number | null
}

export interface CheckSchedule {
  /** When the check is due. A manual check can start before. */
  dueAt: Date
  intervalMs: number
  retries: number
  retryIntervalMs: number
}

export interface Verdict {
  status: 'pending' | 'up' | 'down'
  failures: number
  failingSince: Date | null
  /** Whether a retry must confirm the failure. The next check is then due after the retry interval. */
  needsConfirmation: boolean
  /** Whether this is a failed manual check before a scheduled retry. It does not count, and the retry keeps its time. */
  isEarly: boolean
  event: 'first_up' | 'down' | 'recovered' | null
  /**
   * A monitored period is one in which Belfry checked the monitor without gaps; uptime covers only these. If this check
   * follows a gap, this is the time when the period before the gap ended.
   */
  monitoredUntil: Date | null
  /** Start of a new monitored period. null if the current one continues, or if the monitor stays pending. */
  monitoredFrom: Date | null
}

/** A check follows a gap if it starts more than one interval plus this tolerance after `waitingSince`. */
const GAP_TOLERANCE_MS = 60_000

export function decideVerdict(
  priorState: PriorState,
  schedule: CheckSchedule,
  checkedAt: Date,
  failure: CheckFailure | null,
): Verdict {
  // Failures before a gap say nothing about the time after it.
  const state = hasGap(priorState, schedule, checkedAt)
    ? { ...priorState, failures: 0, failingSince: null }
    : priorState
  const { status } = state
  if (failure === null) {
    const event = status === 'up' ? null : status === 'down' ? 'recovered' : 'first_up'
    const period = decideMonitoredPeriod(state, schedule, checkedAt, checkedAt)
    return { status: 'up', failures: 0, failingSince: null, needsConfirmation: false, isEarly: false, event, ...period }
  }
  const isEarly = state.failures > 0 && startsBeforeRetry(state, schedule, checkedAt)
  const failures = state.failures + (isEarly ? 0 : 1)
  const failingSince = state.failingSince ?? checkedAt
  const failureState = { failures, failingSince, isEarly }
  if (status === 'down') {
    const period = decideMonitoredPeriod(state, schedule, checkedAt, checkedAt)
    return { status, ...failureState, needsConfirmation: false, event: null, ...period }
  }
  if (failures > schedule.retries) {
    const period = decideMonitoredPeriod(state, schedule, checkedAt, failingSince)
    return { status: 'down', ...failureState, needsConfirmation: false, event: 'down', ...period }
  }
  // A retry is still to come, so a pending monitor stays pending. Its first monitored period starts only when it goes up or down.
  const period =
    status === 'pending'
      ? { monitoredUntil: null, monitoredFrom: null }
      : decideMonitoredPeriod(state, schedule, checkedAt, checkedAt)
  return { status, ...failureState, needsConfirmation: true, event: null, ...period }
}

/**
 * Whether the check starts less than a retry interval after the last check, and also before `dueAt`. The second condition is
 * for a scheduled retry soon after a manual check. The manual check has changed `lastCheckedAt`, but the retry is not early.
 */
function startsBeforeRetry({ lastCheckedAt }: PriorState, schedule: CheckSchedule, checkedAt: Date): boolean {
  const earliestRetryAt = (lastCheckedAt?.getTime() ?? 0) + schedule.retryIntervalMs
  return checkedAt.getTime() < Math.min(earliestRetryAt, schedule.dueAt.getTime())
}

const hasGap = ({ waitingSince }: PriorState, { intervalMs }: CheckSchedule, checkedAt: Date) =>
  checkedAt.getTime() - waitingSince.getTime() > intervalMs + GAP_TOLERANCE_MS

/**
 * Starts the first monitored period of a pending monitor at `firstMonitoredFrom`. After a gap, ends the current one and starts a
 * new one.
 */
function decideMonitoredPeriod(
  state: PriorState,
  schedule: CheckSchedule,
  checkedAt: Date,
  firstMonitoredFrom: Date,
): Pick<Verdict, 'monitoredUntil' | 'monitoredFrom'> {
  if (state.status === 'pending') return { monitoredUntil: null, monitoredFrom: firstMonitoredFrom }
  if (!hasGap(state, schedule, checkedAt)) return { monitoredUntil: null, monitoredFrom: null }
  return { monitoredUntil: state.waitingSince, monitoredFrom: checkedAt }
}

/**
 * Finds the warning to send now about the expiry of a certificate or, for type domain, of a registration. A warning is identified
 * by its number of days before the expiry, which is one of `warnDays`. Returns null if none is due or the due one has been sent.
 */
export function findDueExpiryWarning(
  priorState: PriorState,
  warnDays: readonly number[],
  expiresAt: Date | null,
  now: Date,
): number | null {
  if (expiresAt === null) return null
  const remainingMs = expiresAt.getTime() - now.getTime()
  const reachedDays = warnDays.filter((days) => remainingMs <= days * DAY_MS)
  if (reachedDays.length === 0 || remainingMs <= 0) return null
  const days = Math.min(...reachedDays)
  const isSameExpiry = priorState.expiresAt?.getTime() === expiresAt.getTime()
  const wasWarningSent = isSameExpiry && priorState.warnedDays !== null && priorState.warnedDays <= days
  return wasWarningSent ? null : days
}
