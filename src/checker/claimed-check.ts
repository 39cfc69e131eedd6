/** A check that this process has claimed: its target, its schedule and the state of its monitor. */
import type { Secret } from '../lib/secret.ts'
import { defaultHttpSettings } from '../monitors/http-schema.ts'
import { defaultOptions } from '../monitors/option-schemas.ts'
import { toMonitorSettings } from '../monitors/record.ts'
import { type MonitorSettings, resolveTimeoutSeconds } from '../monitors/settings.ts'
import { defaultIntervals } from '../shared/monitors.ts'
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
  const isPassive = settings.type === 'heartbeat' || settings.type === 'traffic'
  return {
    userId: row.user_id,
    monitorId: row.id,
    claimNumber: row.claim,
    node: row.claimed_by,
    dueAt: row.due_at,
    friendlyName: settings.friendlyName,
    target: toTarget(settings, row.user_id, row.id),
    // The schedule of a heartbeat decides when it is due, and checking again doesn't bring back a missing beat. A traffic monitor is
    // due when the watch for silence says so, and checking again doesn't bring back visitors.
    intervalMs: (isPassive ? defaultIntervals[settings.type] : settings.interval) * 1000,
    retries: isPassive ? 0 : settings.retries,
    retryIntervalMs: settings.retryInterval * 1000,
    priorState: {
      status: row.status,
      waitingSince: row.waiting_since,
      failures: row.failures,
      failingSince: row.failing_since,
      lastCheckedAt: row.last_checked_at,
      expiresAt: row.tls_expires_at,
      warnedDays: row.tls_warned_days,
    },
  }
}

/** `monitorId` is null for a trial check of a monitor that isn't stored. */
export function toTarget(settings: MonitorSettings, userId: number, monitorId: number | null): Target {
  const { type, url, http, options } = settings
  const common = { url, timeoutMs: resolveTimeoutSeconds(settings) * 1000 }
  switch (type) {
    case 'http':
      return { type, ...common, userId, http: http ?? defaultHttpSettings }
    case 'ping':
      return { type, ...common, userId }
    case 'tcp':
      return { type, ...common, tcp: options.tcp ?? defaultOptions.tcp }
    case 'dns':
      return { type, ...common, dns: options.dns ?? defaultOptions.dns }
    case 'tls':
      return { type, ...common, tls: options.tls ?? defaultOptions.tls }
    case 'domain':
      return { type, ...common, userId, domain: options.domain ?? defaultOptions.domain }
    case 'heartbeat':
    case 'traffic':
      return { type, ...common, userId, monitorId }
  }
}
