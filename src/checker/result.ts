/** What is written down of a check, and what it changes. */
import { certificateMessage, downMessage, recoveredMessage, type Text } from '../alerts/messages.ts'
import { bucketOf } from '../results/histogram.ts'
import type { Claimed } from './claimed.ts'
import type { Finding } from './probes/probe.ts'
import { nextDue } from './schedule.ts'
import { certificateWarning, judge, type Verdict } from './verdict.ts'

export interface Alert extends Text {
  event: 'down' | 'recovered' | 'certificate'
  /** Which of several; alerts of an incident say themselves which one they are. */
  occurrence: string
}

export interface Result {
  claimed: Claimed
  /** When the check began, and when it was known what it found. */
  begun: Date
  ended: Date
  finding: Finding
  verdict: Verdict
  due: Date
  bucket: number | null
  tlsExpiresAt: Date | null
  tlsWarnedDays: number | null
  alerts: Alert[]
  /** Of the incident that begins. */
  downSince: Date | null
}

export function resultOf(claimed: Claimed, { begun, ended }: { begun: Date; ended: Date }, finding: Finding): Result {
  const { known, intervalMs, monitorId, retryIntervalMs } = claimed
  const { failure, responseMs } = finding
  const verdict = judge(known, claimed, begun, failure)
  // Whoever did not get as far as the certificate knows nothing new of it.
  const tlsExpiresAt = finding.tlsExpiresAt ?? (finding.answered ? null : known.tlsExpiresAt)
  const warned = certificateWarning(known, finding.tlsExpiresAt, ended)
  const isSameCertificate = tlsExpiresAt?.getTime() === known.tlsExpiresAt?.getTime()
  const times = { due: claimed.due.getTime(), now: begun.getTime() }
  // A check by hand does not put off what confirms the one before it.
  const confirmBy = () => {
    const latest = ended.getTime() + retryIntervalMs
    return verdict.failures > known.failures ? latest : Math.min(latest, Math.max(ended.getTime(), times.due))
  }
  return {
    claimed,
    begun,
    ended,
    finding,
    verdict,
    due: new Date(verdict.isUnsure ? confirmBy() : nextDue(monitorId, intervalMs, times)),
    bucket: responseMs === null ? null : bucketOf(responseMs),
    tlsExpiresAt,
    tlsWarnedDays: warned ?? (isSameCertificate ? known.tlsWarnedDays : null),
    alerts: alertsOf(claimed, verdict, ended, finding, warned),
    downSince: verdict.event === 'down' ? verdict.failingSince : null,
  }
}

function alertsOf(claimed: Claimed, verdict: Verdict, now: Date, finding: Finding, warned: number | null): Alert[] {
  const { friendlyName, known } = claimed
  const about = { friendlyName, url: claimed.target.url }
  const alerts: Alert[] = []
  if (verdict.event === 'down' && finding.failure !== null) {
    const { detail } = finding.failure
    const text = downMessage({ ...about, detail, since: verdict.failingSince ?? now })
    alerts.push({ event: 'down', occurrence: '', ...text })
  }
  if (verdict.event === 'recovered') {
    const text = recoveredMessage({
      ...about,
      detail: known.lastError ?? '',
      since: known.incidentStartedAt ?? now,
      now,
    })
    alerts.push({ event: 'recovered', occurrence: '', ...text })
  }
  if (warned !== null && finding.tlsExpiresAt !== null) {
    const expiresAt = finding.tlsExpiresAt
    const text = certificateMessage({ ...about, expiresAt, now })
    alerts.push({ event: 'certificate', occurrence: `${expiresAt.toISOString()} ${warned}`, ...text })
  }
  return alerts
}

/** Whether it changes more than the state of its monitor. */
export function isEventful({ verdict, alerts }: Result): boolean {
  return verdict.event !== null || verdict.watchedFrom !== null || alerts.length > 0
}
