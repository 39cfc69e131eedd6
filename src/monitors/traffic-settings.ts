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

/** The schema refuses the type, too, but doesn't say what to do instead. Call this before `requireValidBody`: the body may be invalid. */
export function refuseTrafficType(body: { type?: string } | null): void {
  if (body?.type === 'traffic') throw invalid({ type: [formatFieldError('type', TRAFFIC_TYPE_RULE)] })
}
