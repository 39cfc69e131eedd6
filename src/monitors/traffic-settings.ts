/** Settings of a monitor of type traffic. Belfry creates it when the owner of a website turns on a traffic alert. */
import { domainToUnicode } from 'node:url'
import { formatFieldError, invalid } from '../lib/problem.ts'
import { defaultIntervals, MAX_MONITOR_NAME_LENGTH, monitorDefaults } from '../shared/monitors.ts'
import { type MonitorSettings, TRAFFIC_TYPE_RULE } from './settings.ts'

export function createTrafficSettings(domain: string): MonitorSettings {
  return {
    friendlyName: domainToUnicode(domain).slice(0, MAX_MONITOR_NAME_LENGTH),
    url: `https://${domain}/`,
    type: 'traffic',
    interval: defaultIntervals.traffic,
    timeout: null,
    // An incident opens only when the gap without visits is already implausibly long, so retries would only delay the
    // alert.
    retries: 0,
    retryInterval: monitorDefaults.retry_interval,
    remindEvery: monitorDefaults.remind_every,
    tags: [],
    dependsOn: null,
    http: null,
    options: {},
  }
}

/**
 * Rejects the type traffic, and says what to do instead. The schema rejects this type, too, but its error doesn't say
 * that. So call this before `requireValidBody`, with the body as it was sent.
 */
export function refuseTrafficType(body: { type?: string } | null): void {
  if (body?.type === 'traffic') throw invalid({ type: [formatFieldError('type', TRAFFIC_TYPE_RULE)] })
}
