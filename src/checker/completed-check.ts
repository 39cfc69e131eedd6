/** Everything that is recorded about a completed check: its result, the verdict, the next due time and a warning that is due. */
import type { ExpiryWarning } from '../alerts/announcements.ts'
import { describeBeatFailure, type HeartbeatUpdate } from '../heartbeats/evaluate.ts'
import type { LoggedBeat } from '../heartbeats/store.ts'
import { toBucket } from '../results/histogram.ts'
import type { Diagnosis } from '../shared/impact.ts'
import { HTTP_WARN_DAYS } from '../shared/monitors.ts'
import type { ConclusiveRun, UnchangedRun } from './check-runner.ts'
import type { ClaimedCheck } from './claimed-check.ts'
import { emptyResult, type ProbeResult, type Target, toResponseMs } from './probes/probe.ts'
import { computeNextDueAt } from './schedule.ts'
import { decideVerdict, findDueExpiryWarning, type Verdict } from './verdict.ts'

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
  /** The last warning sent about this expiry, in days before it; null if none was sent. */
  warnedDays: number | null
  /** null if no warning about an expiry is due. */
  expiryWarning: ExpiryWarning | null
  /** Start of the incident that this check opens; null if it opens none. */
  downSince: Date | null
  /** Whether the result is part of the monitor's history. */
  isLogged: boolean
  /** null unless the monitor is a heartbeat. */
  heartbeat: HeartbeatUpdate | null
  /** Why no visits arrive; null unless that is the failure. */
  diagnosis: Diagnosis | null
}

export function completeCheck(
  claimedCheck: ClaimedCheck,
  { startedAt, endedAt, result }: ConclusiveRun,
): CompletedCheck {
  const { userId, monitorId, priorState, target } = claimedCheck
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
        : { userId, monitorId, at: endedAt, expiresAt: result.expiresAt, warningDays },
    downSince,
    isLogged: true,
    heartbeat: result.heartbeat ?? null,
    diagnosis: silence?.diagnosis ?? null,
  }
}

/** The monitor keeps its state. Only the beats of its heartbeat and the next due time are recorded. */
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
    isLogged: false,
    heartbeat: run.heartbeat ?? null,
    diagnosis: null,
  }
}

/**
 * Returns the results of the beats that the check has processed, without the decisive beat: the recorder logs that one as the
 * result of the check.
 */
export function toLoggedBeats({ processedBeats, decisiveBeatId }: HeartbeatUpdate): LoggedBeat[] {
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
  const due = claimedCheck.dueAt.getTime()
  if (!verdict.needsConfirmation) {
    return new Date(
      computeNextDueAt(claimedCheck.monitorId, claimedCheck.intervalMs, { due, now: startedAt.getTime() }),
    )
  }
  const retryAt = endedAt.getTime() + claimedCheck.retryIntervalMs
  return new Date(verdict.isEarly ? Math.min(retryAt, Math.max(endedAt.getTime(), due)) : retryAt)
}

/**
 * Whether the check changes more than the row in `monitor_states`: the status, an incident, alerts, or a monitored period. That is a
 * period in which the monitor was checked without gaps.
 */
export function changesMonitor({ verdict, expiryWarning }: CompletedCheck): boolean {
  return verdict.event !== null || verdict.monitoredFrom !== null || expiryWarning !== null
}
