/** The values of the form, and their conversion from a monitor. `input.ts` converts them to API requests. */
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import {
  DEFAULT_TIMEOUT_SECONDS,
  defaultIntervals,
  type HttpMethod,
  httpDefaults,
  type MonitorType,
  monitorDefaults,
} from '../../../src/shared/monitors.ts'
import { suggestMonitorName } from '../../lib/address.ts'
import { type HeaderRow, toHeaderRows } from '../../lib/header-rows.ts'
import { type JsonRow, toJsonRows } from './json-rows.ts'
import { defaultTypeOptions, type TypeOptionValues, toTypeOptionValues } from './type-options.ts'

export type TextRule = 'none' | 'present' | 'absent'

export interface MonitorFormValues extends TypeOptionValues {
  type: MonitorType
  url: string
  /** The URLs that the user has typed for other types, so that changing the type back loses nothing. */
  otherUrls: Partial<Record<MonitorType, string>>
  /** Null until the user types a name. Until then, the form derives the name from the URL. */
  friendly_name: string | null
  interval: string
  is_active: boolean
  tags: readonly string[]
  /** Empty for the default, which depends on the interval. */
  timeout: string
  retries: string
  retry_interval: string
  remind_every: string
  /** The id of another monitor, or empty. */
  depends_on: string
  method: HttpMethod
  headers: readonly HeaderRow[]
  body: string
  expected_status: string
  textRule: TextRule
  keyword: string
  json: readonly JsonRow[]
  max_response_ms: string
  follow_redirects: boolean
  verify_tls: boolean
}

export function createMonitorFormValues(url: string, type: MonitorType = monitorDefaults.type): MonitorFormValues {
  return {
    type,
    url,
    otherUrls: {},
    friendly_name: null,
    interval: `${defaultIntervals[type]}`,
    is_active: monitorDefaults.is_active,
    tags: [],
    timeout: '',
    retries: `${monitorDefaults.retries}`,
    retry_interval: `${monitorDefaults.retry_interval}`,
    remind_every: `${monitorDefaults.remind_every}`,
    depends_on: '',
    method: httpDefaults.method,
    headers: [],
    body: '',
    expected_status: httpDefaults.expected_status,
    textRule: 'none',
    keyword: '',
    json: [],
    max_response_ms: '',
    follow_redirects: httpDefaults.follow_redirects,
    verify_tls: httpDefaults.verify_tls,
    ...defaultTypeOptions,
  }
}

export function toMonitorFormValues(monitor: MonitorRecord): MonitorFormValues {
  const { http } = monitor
  const hasDefaultTimeout = monitor.timeout === Math.min(DEFAULT_TIMEOUT_SECONDS, monitor.interval)
  return {
    // The URL of a heartbeat can't be changed, so another type must not start with it.
    ...createMonitorFormValues(monitor.type === 'heartbeat' ? '' : monitor.url, monitor.type),
    friendly_name: monitor.friendly_name,
    interval: `${monitor.interval}`,
    is_active: monitor.is_active,
    tags: monitor.tags,
    timeout: hasDefaultTimeout ? '' : `${monitor.timeout}`,
    retries: `${monitor.retries}`,
    retry_interval: `${monitor.retry_interval}`,
    remind_every: `${monitor.remind_every}`,
    depends_on: `${monitor.depends_on ?? ''}`,
    ...(http && {
      method: http.method,
      headers: toHeaderRows(http.headers),
      body: http.body ?? '',
      expected_status: http.expected_status,
      textRule: http.keyword !== null ? 'present' : http.keyword_absent !== null ? 'absent' : 'none',
      keyword: http.keyword ?? http.keyword_absent ?? '',
      json: toJsonRows(http.json),
      max_response_ms: `${http.max_response_ms ?? ''}`,
      follow_redirects: http.follow_redirects,
      verify_tls: http.verify_tls,
    }),
    ...toTypeOptionValues(monitor),
  }
}

/** Appended to the host in the suggested name, so that several monitors of one host have different names. */
const nameSuffixes: Partial<Record<MonitorType, string>> = { dns: 'DNS', tls: 'certificate', domain: 'domain' }

export function getMonitorName({ friendly_name: name, url, type }: MonitorFormValues): string {
  if (name !== null) return name
  const host = type === 'heartbeat' ? '' : suggestMonitorName(url)
  return host === '' ? '' : [host, nameSuffixes[type]].filter(Boolean).join(' ')
}

/** How long a test of the settings can take. Invalid text counts as the default, because the server rejects it before the test. */
export const getTimeoutSeconds = ({ timeout, interval }: MonitorFormValues) =>
  Number(timeout) || Math.min(DEFAULT_TIMEOUT_SECONDS, Number(interval) || DEFAULT_TIMEOUT_SECONDS)
