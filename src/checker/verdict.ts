/** What a finding means for a monitor, given what was known of it. Pure. */
import type { Cause } from '../shared/causes.ts'
import type { MonitorStatus } from '../shared/monitors.ts'

/** What was known when the check began. Nobody else changes it meanwhile, or the result does not count. */
export interface Known {
  status: Exclude<MonitorStatus, 'paused'>
  /** Failed checks in a row, and the first of them. */
  failures: number
  failingSince: Date | null
  lastCheckedAt: Date | null
  /** Since when a check was due: the one before came to nothing, or nobody was there to do it. */
  waitingSince: Date
  lastError: string | null
  tlsExpiresAt: Date | null
  tlsWarnedDays: number | null
  /** Where it is down. */
  incidentStartedAt: Date | null
}

export interface Rules {
  intervalMs: number
  retries: number
  retryIntervalMs: number
}

export interface Failure {
  cause: Cause
  detail: string
}

export interface Verdict {
  status: 'pending' | 'up' | 'down'
  failures: number
  failingSince: Date | null
  /** It has to be confirmed: the next check comes sooner. */
  isUnsure: boolean
  event: 'first_up' | 'down' | 'recovered' | null
  /** The time in which it was watched has a hole: it ended then, and begins again with this check. */
  watchEndedAt: Date | null
  /** It is watched from then on; null where it already is, or is not yet. */
  watchedFrom: Date | null
}

/** A check that comes later than its interval and this after it was due follows a time in which nobody looked. */
const HOLE_MS = 60_000

export function judge(before: Known, rules: Rules, at: Date, failure: Failure | null): Verdict {
  // What failed before a hole says nothing about what is behind it.
  const known = hasHole(before, rules, at) ? { ...before, failures: 0, failingSince: null } : before
  const { status } = known
  if (failure === null) {
    const event = status === 'up' ? null : status === 'down' ? 'recovered' : 'first_up'
    return { status: 'up', failures: 0, failingSince: null, isUnsure: false, event, ...watchOf(known, rules, at, at) }
  }
  // One by hand, sooner than a failure is confirmed: it tells, and counts for nothing more.
  const isEarly = known.failures > 0 && at.getTime() < (known.lastCheckedAt?.getTime() ?? 0) + rules.retryIntervalMs
  const failures = known.failures + (isEarly ? 0 : 1)
  const failingSince = known.failingSince ?? at
  const failing = { failures, failingSince }
  if (status === 'down') {
    return { status, ...failing, isUnsure: false, event: null, ...watchOf(known, rules, at, at) }
  }
  if (failures > rules.retries) {
    return { status: 'down', ...failing, isUnsure: false, event: 'down', ...watchOf(known, rules, at, failingSince) }
  }
  // Before the first verdict nothing is watched.
  const watch = status === 'pending' ? { watchEndedAt: null, watchedFrom: null } : watchOf(known, rules, at, at)
  return { status, ...failing, isUnsure: true, event: null, ...watch }
}

const hasHole = ({ waitingSince }: Known, { intervalMs }: Rules, at: Date) =>
  at.getTime() - waitingSince.getTime() > intervalMs + HOLE_MS

function watchOf(known: Known, rules: Rules, at: Date, first: Date): Pick<Verdict, 'watchEndedAt' | 'watchedFrom'> {
  if (known.status === 'pending') return { watchEndedAt: null, watchedFrom: first }
  if (!hasHole(known, rules, at)) return { watchEndedAt: null, watchedFrom: null }
  return { watchEndedAt: known.waitingSince, watchedFrom: at }
}

const WARN_DAYS = [1, 7, 14]
const DAY_MS = 86_400_000

/** How many days ahead to warn of a certificate now; null where there is nothing to say, or it was said. */
export function certificateWarning(known: Known, expiresAt: Date | null, at: Date): number | null {
  if (expiresAt === null) return null
  const leftMs = expiresAt.getTime() - at.getTime()
  const days = WARN_DAYS.find((ahead) => leftMs <= ahead * DAY_MS)
  if (days === undefined || leftMs <= 0) return null
  const isSame = known.tlsExpiresAt?.getTime() === expiresAt.getTime()
  return isSame && known.tlsWarnedDays !== null && known.tlsWarnedDays <= days ? null : days
}
