/** A check that this process has claimed: its target, its schedule and the state of its monitor. */
import type { Secret } from '../lib/secret.ts'
import { toMonitorSettings } from '../monitors/record.ts'
import { type MonitorSettings, resolveTimeoutSeconds } from '../monitors/settings.ts'
import type { CheckClaim, ClaimedCheckRow } from './claim-store.ts'
import type { Target } from './probes/probe.ts'
import type { PriorState } from './verdict.ts'

export interface ClaimedCheck extends CheckClaim {
  dueAt: Date
  friendlyName: string
  target: Target
  intervalMs: number
  retries: number
  retryIntervalMs: number
  priorState: PriorState
}

export function toClaimedCheck(row: ClaimedCheckRow, secret: Secret): ClaimedCheck {
  const settings = toMonitorSettings(row, secret)
  return {
    userId: row.user_id,
    monitorId: row.id,
    claimNumber: row.claim,
    node: row.claimed_by,
    dueAt: row.due_at,
    friendlyName: settings.friendlyName,
    target: toTarget(settings, row.user_id),
    intervalMs: settings.interval * 1000,
    retries: settings.retries,
    retryIntervalMs: settings.retryInterval * 1000,
    priorState: {
      status: row.status,
      waitingSince: row.waiting_since,
      failures: row.failures,
      failingSince: row.failing_since,
      lastCheckedAt: row.last_checked_at,
      lastError: row.last_error,
      tlsExpiresAt: row.tls_expires_at,
      tlsWarnedDays: row.tls_warned_days,
      incidentStartedAt: row.incident_started_at,
    },
  }
}

export function toTarget(settings: MonitorSettings, userId: number): Target {
  const { url, http } = settings
  const timeoutMs = resolveTimeoutSeconds(settings) * 1000
  return http === null ? { type: 'ping', url, userId, timeoutMs, http } : { type: 'http', url, timeoutMs, http }
}
