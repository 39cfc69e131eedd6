/** Settings of a monitor of type traffic. Belfry creates it when the owner of a website turns on a traffic alert. */
import type { FieldParser } from '../lib/field-parser.ts'
import { DEFAULT_TIMEOUT_SECONDS, defaultIntervals, monitorDefaults } from '../shared/monitors.ts'
import type { UpdateMonitor } from './schema.ts'
import type { MonitorSettings } from './settings.ts'

export function createTrafficSettings(domain: string): MonitorSettings {
  return {
    friendlyName: `${domain} traffic`,
    url: `https://${domain}/`,
    type: 'traffic',
    interval: defaultIntervals.traffic,
    timeout: null,
    // The silence watch reports only gaps that are implausible already, so checking again would only delay the alert.
    retries: 0,
    retryInterval: monitorDefaults.retry_interval,
    remindEvery: monitorDefaults.remind_every,
    tags: [],
    dependsOn: null,
    http: null,
    options: {},
  }
}

/** The website decides what its monitor watches. Clients may send back what they read, which changes nothing. */
export function checkTrafficFields(parser: FieldParser, current: MonitorSettings, input: UpdateMonitor): void {
  if (current.type !== 'traffic') {
    if (input.type === 'traffic') {
      parser.addErrors('type', ["can't be traffic: set `watch_traffic` or `watch_spikes` of the website instead"])
    }
    return
  }
  if (input.type !== undefined && input.type !== 'traffic') {
    parser.addErrors('type', ["can't be changed: the monitor belongs to the traffic alerts of a website"])
  }
  const fixedFields = {
    url: current.url,
    interval: current.interval,
    timeout: current.timeout ?? DEFAULT_TIMEOUT_SECONDS,
    retries: current.retries,
    retry_interval: current.retryInterval,
  }
  for (const [name, value] of Object.entries(fixedFields)) {
    const sentValue = input[name as keyof typeof fixedFields]
    if (sentValue !== undefined && sentValue !== null && sentValue !== value)
      parser.addErrors(name, ["can't be changed for type traffic"])
  }
}
