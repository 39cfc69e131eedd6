/** Decides what the result of a check means for its monitor, and what is recorded about it. This module is pure. */
import type { ExpiryWarning } from '../alerts/announcements.ts'
import { describeBeatFailure, type HeartbeatUpdate } from '../heartbeats/evaluate.ts'
import type { BeatResult } from '../heartbeats/store.ts'
import { toBucket } from '../results/histogram.ts'
import type { Diagnosis } from '../shared/impact.ts'
import { HTTP_WARN_DAYS, type MonitorStatus } from '../shared/monitors.ts'
import { DAY_MS } from '../shared/time.ts'
import {
  type CheckFailure,
  emptyResult,
  type ProbeResult,
  type Target,
  toResponseMs,
  type Unchanged,
} from './probes/probe.ts'
import { computeNextDueAt } from './schedule.ts'

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
  /** How many days before the expiry the last warning was due; null if none was sent. */
  warnedDays: number | null
}

export interface CheckSchedule {
  /** When the check is due. A manual check can start earlier. */
  dueAt: Date
  intervalMs: number
  retries: number
  retryIntervalMs: number
}

/** A check's result counts only if the monitor still has this claim number and node when the result is recorded. */
export interface CheckClaim {
  teamId: number
  monitorId: number
  claimNumber: number
  nodeId: number
}

/** A check that this process has claimed: its target, its schedule and the state of its monitor. */
export interface ClaimedCheck extends CheckClaim, CheckSchedule {
  target: Target
  priorState: PriorState
}

export interface ConclusiveRun {
  result: ProbeResult
  startedAt: Date
  endedAt: Date
}

export interface UnchangedRun extends Unchanged {
  startedAt: Date
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

/** Everything that is recorded about a completed check. */
export interface CompletedCheck {
  claimedCheck: ClaimedCheck
  startedAt: Date
  endedAt: Date
  result: ProbeResult
  verdict: Verdict
  nextDueAt: Date
  /** Histogram bucket of the response time; null if the target did not respond. */
  bucket: number | null
  expiresAt: Date | null
  /** How many days before the expiry the last warning was due; null if none was sent. */
  warnedDays: number | null
  /** null if no warning about an expiry is due. */
  expiryWarning: ExpiryWarning | null
  /** Start of the incident that this check opens; null if it opens none. */
  downSince: Date | null
  /** Whether the result becomes part of the monitor's history, the table `checks`. */
  isInHistory: boolean
  /** null unless the monitor is a heartbeat. */
  heartbeat: HeartbeatUpdate | null
  /** The reason why no visits arrive; null for all other results. */
  diagnosis: Diagnosis | null
}

export function completeCheck(
  claimedCheck: ClaimedCheck,
  { startedAt, endedAt, result }: ConclusiveRun,
): CompletedCheck {
  const { teamId, monitorId, priorState, target } = claimedCheck
  const verdict = decideVerdict(priorState, claimedCheck, startedAt, result.failure)
  // A check without a response may have failed before the TLS handshake, so the last known expiry stays valid.
  const expiresAt = result.expiresAt ?? (result.responded ? null : priorState.expiresAt)
  const warningDays = findDueExpiryWarning(priorState, listWarnDays(target), result.expiresAt, endedAt)
  // Silence begins with the last visit, long before it is noticed.
  const silence = result.traffic?.silence ?? null
  const downSince = verdict.event === 'down' ? (silence?.since ?? verdict.failingSince) : null
  const isSameCertificate = expiresAt?.getTime() === priorState.expiresAt?.getTime()
  return {
    claimedCheck,
    startedAt,
    endedAt,
    result,
    verdict,
    nextDueAt:
      (result.heartbeat ?? result.traffic)?.nextDueAt ?? decideNextDueAt(claimedCheck, verdict, startedAt, endedAt),
    bucket: result.responseMs === null ? null : toBucket(result.responseMs),
    expiresAt,
    warnedDays: warningDays ?? (isSameCertificate ? priorState.warnedDays : null),
    expiryWarning:
      warningDays === null || result.expiresAt === null
        ? null
        : { teamId, monitorId, at: endedAt, expiresAt: result.expiresAt, warningDays },
    downSince,
    isInHistory: true,
    heartbeat: result.heartbeat ?? null,
    diagnosis: silence?.diagnosis ?? null,
  }
}

/**
 * The monitor keeps its state. Only the time of this check, the next due time and the beats of a heartbeat are
 * recorded.
 */
export function completeUnchanged(claimedCheck: ClaimedCheck, run: UnchangedRun): CompletedCheck {
  const { status, failures, failingSince, expiresAt, warnedDays } = claimedCheck.priorState
  return {
    claimedCheck,
    startedAt: run.startedAt,
    endedAt: run.startedAt,
    result: emptyResult,
    verdict: {
      status,
      failures,
      failingSince,
      needsConfirmation: false,
      isEarly: false,
      event: null,
      monitoredUntil: null,
      monitoredFrom: null,
    },
    nextDueAt: run.nextDueAt,
    bucket: null,
    expiresAt,
    warnedDays,
    expiryWarning: null,
    downSince: null,
    isInHistory: false,
    heartbeat: run.heartbeat ?? null,
    diagnosis: null,
  }
}

/**
 * Returns the results of the beats that the check has processed, without the decisive beat: its result is the result of the check.
 */
export function toBeatResults({ processedBeats, decisiveBeatId }: HeartbeatUpdate): BeatResult[] {
  return processedBeats
    .filter(({ id, kind }) => kind !== 'start' && id !== decisiveBeatId)
    .map((beat) => {
      const responseMs = toResponseMs(beat.durationMs)
      return {
        receivedAt: beat.receivedAt,
        responseMs,
        bucket: responseMs === null ? null : toBucket(responseMs),
        failure: beat.isFailure ? { cause: 'heartbeat_failed', detail: describeBeatFailure(beat) } : null,
      }
    })
}

function listWarnDays(target: Target): readonly number[] {
  switch (target.type) {
    case 'http':
      return HTTP_WARN_DAYS
    case 'tls':
      return target.tls.warn_days
    case 'domain':
      return target.domain.warn_days
    default:
      return []
  }
}

function decideNextDueAt(claimedCheck: ClaimedCheck, verdict: Verdict, startedAt: Date, endedAt: Date): Date {
  const dueMs = claimedCheck.dueAt.getTime()
  if (!verdict.needsConfirmation) {
    return new Date(
      computeNextDueAt(claimedCheck.monitorId, claimedCheck.intervalMs, { due: dueMs, now: startedAt.getTime() }),
    )
  }
  const retryAt = endedAt.getTime() + claimedCheck.retryIntervalMs
  return new Date(verdict.isEarly ? Math.min(retryAt, Math.max(endedAt.getTime(), dueMs)) : retryAt)
}

/**
 * Whether the check changes more than the row in `monitor_states`: the status, an incident, alerts, or a monitored period. In a
 * monitored period, the monitor was checked without gaps.
 */
export function changesMonitor({ verdict, expiryWarning }: CompletedCheck): boolean {
  return verdict.event !== null || verdict.monitoredFrom !== null || expiryWarning !== null
}
