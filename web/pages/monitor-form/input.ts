/** Turns the values of the form into API requests that create or change a monitor. */
import { defaultIntervals, httpDefaults, type MonitorType } from '../../../src/shared/monitors.ts'
import { addScheme } from '../../lib/address.ts'
import { toHeadersInput } from '../../lib/header-rows.ts'
import { isProbed } from '../../lib/monitor-types.ts'
import { toJsonAssertions } from './json-rows.ts'
import { parseInteger, type TypeOptionInputs, toTypeOptionInput } from './type-options.ts'
import { getMonitorName, type MonitorFormValues } from './values.ts'

/** Sent instead of a name that the form couldn't derive from the URL, so that the server's error is about the URL alone. */
const NAME_WITHOUT_URL = 'Monitor'

function toHttpInput(values: MonitorFormValues) {
  const { textRule, keyword } = values
  return {
    method: values.method,
    headers: toHeadersInput(values.headers),
    body: values.body === '' ? null : values.body,
    expected_status: values.expected_status.trim() || httpDefaults.expected_status,
    keyword: textRule === 'present' ? keyword : null,
    keyword_absent: textRule === 'absent' ? keyword : null,
    json: toJsonAssertions(values.json),
    max_response_ms: values.max_response_ms.trim() === '' ? null : parseInteger(values.max_response_ms),
    follow_redirects: values.follow_redirects,
    verify_tls: values.verify_tls,
  }
}

function toCheckInput(values: MonitorFormValues) {
  return {
    url: values.type === 'http' ? addScheme(values.url) : values.url.trim(),
    interval: parseInteger(values.interval),
    timeout: values.timeout.trim() === '' ? null : parseInteger(values.timeout),
    retries: parseInteger(values.retries),
    retry_interval: parseInteger(values.retry_interval),
  }
}

type NestedInput = { http: ReturnType<typeof toHttpInput> } & TypeOptionInputs

export interface MonitorInput extends Partial<ReturnType<typeof toCheckInput>>, Partial<NestedInput> {
  friendly_name: string
  type: MonitorType
  is_active: boolean
  tags: readonly string[]
  remind_every: number | string
  depends_on: number | null
}

function toNestedInput(values: MonitorFormValues): Partial<NestedInput> {
  const { type } = values
  if (type === 'http') return { http: toHttpInput(values) }
  return type === 'ping' || type === 'traffic' ? {} : { [type]: toTypeOptionInput[type](values) }
}

/**
 * Leaves out the URL, interval, timeout and retries of heartbeats and traffic monitors, for which users can't set them.
 */
export function toMonitorInput(values: MonitorFormValues): MonitorInput {
  const { type } = values
  return {
    friendly_name: getMonitorName(values) || (values.friendly_name ?? (type === 'heartbeat' ? '' : NAME_WITHOUT_URL)),
    type,
    is_active: values.is_active,
    tags: values.tags,
    remind_every: parseInteger(values.remind_every),
    depends_on: Number(values.depends_on) || null,
    ...(isProbed(type) && toCheckInput(values)),
    ...toNestedInput(values),
  }
}

function pickChangedProperties<T extends object>(before: T, after: T): Partial<T> {
  const isSame = (name: keyof T) => JSON.stringify(before[name]) === JSON.stringify(after[name])
  return Object.fromEntries(Object.entries(after).filter(([name]) => !isSame(name as keyof T))) as Partial<T>
}

const nestedFields = ['http', 'tcp', 'dns', 'tls', 'domain', 'heartbeat'] as const

/** Returns only the changed fields, because an API client may have changed other fields in the meantime. */
export function diffMonitor(before: MonitorInput, after: MonitorInput): Partial<MonitorInput> {
  const changes = pickChangedProperties(before, after)
  // Send the interval together with a new type. Otherwise the server would set the default interval of that type.
  if ('type' in changes && after.interval !== undefined && after.interval !== defaultIntervals[after.type]) {
    changes.interval = after.interval
  }
  // The form shows a timeout as empty if it equals the default, even if the server has stored it as a fixed number. Send
  // null when the interval changes, so that the server computes the default for the new interval.
  if ('interval' in changes && after.timeout === null) changes.timeout = null
  // Send only the changed settings of a type, because the server keeps the settings that it doesn't receive.
  for (const field of nestedFields) {
    if (changes[field] === undefined || before[field] === undefined) continue
    Object.assign(changes, { [field]: pickChangedProperties(before[field], changes[field]) })
  }
  return changes
}

/**
 * Whether the server asks for saved header values again, because the check would send them to another origin or no longer
 * verify the certificate.
 */
export function mustReenterHeaders(before: MonitorInput | undefined, after: MonitorInput): boolean {
  if (before?.http === undefined || after.http === undefined) return false
  const origin = URL.parse(after.url ?? '')?.origin
  const hasNewOrigin = origin !== undefined && origin !== URL.parse(before.url ?? '')?.origin
  return hasNewOrigin || (before.http.verify_tls && !after.http.verify_tls)
}
