/** Decides what the result of a check means for its monitor. This module is pure. */
import { CERTIFICATE_WARNING_DAYS, type MonitorStatus } from '../shared/monitors.ts'
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
   * Since when a check has been due. This may be long ago if no node was running or earlier checks were inconclusive.
   */
  waitingSince: Date
  lastError: string | null
  tlsExpiresAt: Date | null
  tlsWarnedDays: number | null
  /** null unless the monitor is down. */
  incidentStartedAt: Date | null
}

export interface RetryRules {
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
  event: 'first_up' | 'down' | 'recovered' | null
  /**
   * A watch is a period in which Belfry checked the monitor without gaps; uptime covers only watches. If this check
   * follows a gap, this is the time when the watch before the gap ended.
   */
  watchEndedAt: Date | null
  /** Start of a new watch. null if the current watch continues, or if the monitor stays pending. */
  watchedFrom: Date | null
}

/** A check follows a gap if it starts later than its due time plus one interval plus this tolerance. */
const GAP_TOLERANCE_MS = 60_000

export function decideVerdict(prior: PriorState, rules: RetryRules, at: Date, failure: CheckFailure | null): Verdict {
  // Failures before a gap say nothing about the time after it.
  const state = hasGap(prior, rules, at) ? { ...prior, failures: 0, failingSince: null } : prior
  const { status } = state
  if (failure === null) {
    const event = status === 'up' ? null : status === 'down' ? 'recovered' : 'first_up'
    const watch = decideWatch(state, rules, at, at)
    return { status: 'up', failures: 0, failingSince: null, needsConfirmation: false, event, ...watch }
  }
  // A manual check before the retry is due reports its failure to the user, but does not count as a retry.
  const isEarly = state.failures > 0 && at.getTime() < (state.lastCheckedAt?.getTime() ?? 0) + rules.retryIntervalMs
  const failures = state.failures + (isEarly ? 0 : 1)
  const failingSince = state.failingSince ?? at
  const failing = { failures, failingSince }
  if (status === 'down') {
    return { status, ...failing, needsConfirmation: false, event: null, ...decideWatch(state, rules, at, at) }
  }
  if (failures > rules.retries) {
    const watch = decideWatch(state, rules, at, failingSince)
    return { status: 'down', ...failing, needsConfirmation: false, event: 'down', ...watch }
  }
  // The first watch starts when the monitor goes up or down for the first time.
  const watch = status === 'pending' ? { watchEndedAt: null, watchedFrom: null } : decideWatch(state, rules, at, at)
  return { status, ...failing, needsConfirmation: true, event: null, ...watch }
}

const hasGap = ({ waitingSince }: PriorState, { intervalMs }: RetryRules, at: Date) =>
  at.getTime() - waitingSince.getTime() > intervalMs + GAP_TOLERANCE_MS

/** A watch is a period in which the monitor is checked. The first watch of a pending monitor starts at `firstWatchedFrom`, once a result makes it up or down. */
function decideWatch(
  state: PriorState,
  rules: RetryRules,
  at: Date,
  firstWatchedFrom: Date,
): Pick<Verdict, 'watchEndedAt' | 'watchedFrom'> {
  if (state.status === 'pending') return { watchEndedAt: null, watchedFrom: firstWatchedFrom }
  if (!hasGap(state, rules, at)) return { watchEndedAt: null, watchedFrom: null }
  return { watchEndedAt: state.waitingSince, watchedFrom: at }
}

const WARNING_DAYS_BEFORE_EXPIRY = [1, 7, CERTIFICATE_WARNING_DAYS]

/** Returns the warning to send now, in days before expiry, or null if none is due or it has already been sent. */
export function findDueCertificateWarning(prior: PriorState, expiresAt: Date | null, at: Date): number | null {
  if (expiresAt === null) return null
  const remainingMs = expiresAt.getTime() - at.getTime()
  const days = WARNING_DAYS_BEFORE_EXPIRY.find((warning) => remainingMs <= warning * DAY_MS)
  if (days === undefined || remainingMs <= 0) return null
  const isSameCertificate = prior.tlsExpiresAt?.getTime() === expiresAt.getTime()
  const hasBeenSent = isSameCertificate && prior.tlsWarnedDays !== null && prior.tlsWarnedDays <= days
  return hasBeenSent ? null : days
}
