/** Everything that is recorded about a completed check: its result, the verdict, the next due time and the alerts. */
import { type AlertText, formatCertificateAlert, formatDownAlert, formatRecoveryAlert } from '../alerts/messages.ts'
import { toBucket } from '../results/histogram.ts'
import type { ConclusiveRun } from './check-runner.ts'
import type { ClaimedCheck } from './claimed-check.ts'
import type { ProbeResult } from './probes/probe.ts'
import { computeNextDueAt } from './schedule.ts'
import { decideVerdict, findDueCertificateWarning, type Verdict } from './verdict.ts'

export interface CheckAlert extends AlertText {
  event: 'down' | 'recovered' | 'certificate'
  /**
   * Identifies a certificate warning among those of the same monitor. Empty for alerts about an incident, because the
   * incident's id identifies them.
   */
  occurrence: string
}

export interface CompletedCheck {
  claimed: ClaimedCheck
  startedAt: Date
  endedAt: Date
  result: ProbeResult
  verdict: Verdict
  nextDueAt: Date
  /** Histogram bucket of the response time; null if the target did not respond. */
  bucket: number | null
  tlsExpiresAt: Date | null
  tlsWarnedDays: number | null
  alerts: CheckAlert[]
  /** Start of the incident that this check opens; null if it opens none. */
  downSince: Date | null
}

export function completeCheck(claimed: ClaimedCheck, { startedAt, endedAt, result }: ConclusiveRun): CompletedCheck {
  const { prior } = claimed
  const verdict = decideVerdict(prior, claimed, startedAt, result.failure)
  // A check without a response may have failed before the TLS handshake, so the last known expiry stays valid.
  const tlsExpiresAt = result.tlsExpiresAt ?? (result.responded ? null : prior.tlsExpiresAt)
  const warningDays = findDueCertificateWarning(prior, result.tlsExpiresAt, endedAt)
  const isSameCertificate = tlsExpiresAt?.getTime() === prior.tlsExpiresAt?.getTime()
  return {
    claimed,
    startedAt,
    endedAt,
    result,
    verdict,
    nextDueAt: scheduleNext(claimed, verdict, startedAt, endedAt),
    bucket: result.responseMs === null ? null : toBucket(result.responseMs),
    tlsExpiresAt,
    tlsWarnedDays: warningDays ?? (isSameCertificate ? prior.tlsWarnedDays : null),
    alerts: createAlerts(claimed, verdict, endedAt, result, warningDays),
    downSince: verdict.event === 'down' ? verdict.failingSince : null,
  }
}

function scheduleNext(claimed: ClaimedCheck, verdict: Verdict, startedAt: Date, endedAt: Date): Date {
  const due = claimed.dueAt.getTime()
  if (!verdict.needsConfirmation) {
    return new Date(computeNextDueAt(claimed.monitorId, claimed.intervalMs, { due, now: startedAt.getTime() }))
  }
  const retryAt = endedAt.getTime() + claimed.retryIntervalMs
  const isConfirming = verdict.failures > claimed.prior.failures
  // A manual check does not postpone the retry that was due before it.
  return new Date(isConfirming ? retryAt : Math.min(retryAt, Math.max(endedAt.getTime(), due)))
}

function createAlerts(
  { friendlyName, prior, target }: ClaimedCheck,
  verdict: Verdict,
  now: Date,
  { failure, tlsExpiresAt }: ProbeResult,
  warningDays: number | null,
): CheckAlert[] {
  const monitor = { friendlyName, url: target.url }
  const alerts: CheckAlert[] = []
  if (verdict.event === 'down' && failure !== null) {
    const text = formatDownAlert({ ...monitor, detail: failure.detail, since: verdict.failingSince ?? now })
    alerts.push({ event: 'down', occurrence: '', ...text })
  }
  if (verdict.event === 'recovered') {
    const since = prior.incidentStartedAt ?? now
    const text = formatRecoveryAlert({ ...monitor, detail: prior.lastError ?? '', since, now })
    alerts.push({ event: 'recovered', occurrence: '', ...text })
  }
  if (warningDays !== null && tlsExpiresAt !== null) {
    const text = formatCertificateAlert({ ...monitor, expiresAt: tlsExpiresAt, now })
    alerts.push({ event: 'certificate', occurrence: `${tlsExpiresAt.toISOString()} ${warningDays}`, ...text })
  }
  return alerts
}

/** Whether the check changes more than the row in `monitor_states`: the status, an incident, a watch or alerts. */
export function changesMonitor({ verdict, alerts }: CompletedCheck): boolean {
  return verdict.event !== null || verdict.watchedFrom !== null || alerts.length > 0
}
