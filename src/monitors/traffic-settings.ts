/** Settings of a monitor of type traffic. Belfry creates it when the owner of a website turns on a traffic alert. */
import { domainToUnicode } from 'node:url'
import type { FieldParser } from '../lib/field-parser.ts'
import { formatFieldError, invalid } from '../lib/problem.ts'
import {
  DEFAULT_TIMEOUT_SECONDS,
  defaultIntervals,
  MAX_MONITOR_NAME_LENGTH,
  monitorDefaults,
} from '../shared/monitors.ts'
import type { UpdateMonitor } from './schema.ts'
import type { MonitorSettings } from './settings.ts'

export function createTrafficSettings(domain: string): MonitorSettings {
  return {
    friendlyName: domainToUnicode(domain).slice(0, MAX_MONITOR_NAME_LENGTH),
    url: `https://${domain}/`,
    type: 'traffic',
    interval: defaultIntervals.traffic,
    timeout: null,
    // The silence watch reports only gaps that are already implausible, so checking again would only delay the alert.
    retries: 0,
    retryInterval: monitorDefaults.retry_interval,
    remindEvery: monitorDefaults.remind_every,
    tags: [],
    dependsOn: null,
    http: null,
    options: {},
  }
}

const trafficTypeRule = "can't be traffic: set `watch_traffic` or `watch_spikes` of the website instead"

/** The schema refuses the type, too, but doesn't say what to do instead. Call this before `requireValidBody`: the body may be invalid. */
export function refuseTrafficType(body: { type?: string } | null): void {
  if (body?.type === 'traffic') throw invalid({ type: [formatFieldError('type', trafficTypeRule)] })
}

/** The website decides what its monitor watches. Clients may send back what they read, which changes nothing. */
export function checkTrafficFields(parser: FieldParser, current: MonitorSettings, input: UpdateMonitor): void {
  if (current.type !== 'traffic') {
    if (input.type === 'traffic') parser.addErrors('type', [trafficTypeRule])
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
