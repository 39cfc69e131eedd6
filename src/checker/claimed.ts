/** A monitor that this process has taken for one check: what to do, and what was known. */
import type { Secret } from '../lib/secret.ts'
import { settingsOf } from '../monitors/record.ts'
import { type Settings, timeoutOf } from '../monitors/settings.ts'
import type { ClaimedRow, Holding } from './claim-store.ts'
import type { Target } from './probes/probe.ts'
import type { Known } from './verdict.ts'

export interface Claimed extends Holding {
  due: Date
  friendlyName: string
  target: Target
  intervalMs: number
  retries: number
  retryIntervalMs: number
  known: Known
}

export function claimedOf(row: ClaimedRow, secret: Secret): Claimed {
  const settings = settingsOf(row, secret)
  return {
    userId: row.user_id,
    monitorId: row.id,
    claim: row.claim,
    node: row.claimed_by,
    due: row.due_at,
    friendlyName: settings.friendlyName,
    target: targetOf(settings),
    intervalMs: settings.interval * 1000,
    retries: settings.retries,
    retryIntervalMs: settings.retryInterval * 1000,
    known: {
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

export function targetOf(settings: Settings): Target {
  const { url, http } = settings
  const timeoutMs = timeoutOf(settings) * 1000
  return http === null ? { type: 'ping', url, timeoutMs, http } : { type: 'http', url, timeoutMs, http }
}
