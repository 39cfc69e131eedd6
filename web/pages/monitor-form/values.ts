/** Converts a monitor to form values, and form values to API requests. */
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import {
  DEFAULT_TIMEOUT_SECONDS,
  defaultIntervals,
  type HttpMethod,
  httpDefaults,
  type MonitorType,
  monitorDefaults,
} from '../../../src/shared/monitors.ts'
import { addScheme, suggestMonitorName } from '../../lib/address.ts'

export type TextRule = 'none' | 'present' | 'absent'

export interface HeaderRow {
  key: number
  name: string
  value: string
  /** The last characters of the saved value. The server keeps the saved value unless the user types another one. */
  savedLastCharacters?: string
}

export interface MonitorFormValues {
  type: MonitorType
  url: string
  /** Null until the user types a name. Until then, the form derives the name from the URL. */
  friendly_name: string | null
  interval: string
  is_active: boolean
  /** Empty for the default, which depends on the interval. */
  timeout: string
  retries: string
  retry_interval: string
  remind_every: string
  method: HttpMethod
  headers: readonly HeaderRow[]
  body: string
  expected_status: string
  textRule: TextRule
  keyword: string
  follow_redirects: boolean
  verify_tls: boolean
}

export function createMonitorFormValues(url: string): MonitorFormValues {
  return {
    type: monitorDefaults.type,
    url,
    friendly_name: null,
    interval: `${defaultIntervals[monitorDefaults.type]}`,
    is_active: monitorDefaults.is_active,
    timeout: '',
    retries: `${monitorDefaults.retries}`,
    retry_interval: `${monitorDefaults.retry_interval}`,
    remind_every: `${monitorDefaults.remind_every}`,
    method: httpDefaults.method,
    headers: [],
    body: '',
    expected_status: httpDefaults.expected_status,
    textRule: 'none',
    keyword: '',
    follow_redirects: httpDefaults.follow_redirects,
    verify_tls: httpDefaults.verify_tls,
  }
}

export function toMonitorFormValues(monitor: MonitorRecord): MonitorFormValues {
  const { http } = monitor
  const hasDefaultTimeout = monitor.timeout === Math.min(DEFAULT_TIMEOUT_SECONDS, monitor.interval)
  return {
    ...createMonitorFormValues(monitor.url),
    type: monitor.type,
    friendly_name: monitor.friendly_name,
    interval: `${monitor.interval}`,
    is_active: monitor.is_active,
    timeout: hasDefaultTimeout ? '' : `${monitor.timeout}`,
    retries: `${monitor.retries}`,
    retry_interval: `${monitor.retry_interval}`,
    remind_every: `${monitor.remind_every}`,
    ...(http && {
      method: http.method,
      headers: Object.entries(http.headers).map(([name, savedLastCharacters], key) => ({
        key,
        name,
        value: '',
        savedLastCharacters,
      })),
      body: http.body ?? '',
      expected_status: http.expected_status,
      textRule: http.keyword !== null ? 'present' : http.keyword_absent !== null ? 'absent' : 'none',
      keyword: http.keyword ?? http.keyword_absent ?? '',
      follow_redirects: http.follow_redirects,
      verify_tls: http.verify_tls,
    }),
  }
}

export const getMonitorName = ({ friendly_name: name, url }: MonitorFormValues) => name ?? suggestMonitorName(url)

/** Sent instead of a name that the form couldn't derive from the URL, so that the server's error is about the URL alone. */
const NAME_WITHOUT_URL = 'Monitor'

/** How long a test of the settings can take. Invalid text counts as the default, because the server rejects it before the test. */
export const getTimeoutSeconds = ({ timeout, interval }: MonitorFormValues) =>
  Number(timeout) || Math.min(DEFAULT_TIMEOUT_SECONDS, Number(interval) || DEFAULT_TIMEOUT_SECONDS)

/** Text that is not an integer stays unchanged, so that the server's validation message explains the error. */
const parseInteger = (text: string) => (/^\d+$/.test(text.trim()) ? Number(text) : text)

function toHttpInput(values: MonitorFormValues) {
  const { textRule, keyword } = values
  const rows = values.headers.filter(({ name, value }) => name.trim() !== '' || value !== '')
  return {
    method: values.method,
    headers: Object.fromEntries(
      rows.map(({ name, value, savedLastCharacters }) => [
        name.trim(),
        value === '' ? (savedLastCharacters ?? '') : value,
      ]),
    ),
    body: values.body === '' ? null : values.body,
    expected_status: values.expected_status.trim() || httpDefaults.expected_status,
    keyword: textRule === 'present' ? keyword : null,
    keyword_absent: textRule === 'absent' ? keyword : null,
    follow_redirects: values.follow_redirects,
    verify_tls: values.verify_tls,
  }
}

export function toMonitorInput(values: MonitorFormValues) {
  const { type } = values
  return {
    friendly_name: getMonitorName(values) || (values.friendly_name ?? NAME_WITHOUT_URL),
    url: type === 'http' ? addScheme(values.url) : values.url.trim(),
    type,
    interval: parseInteger(values.interval),
    is_active: values.is_active,
    timeout: values.timeout.trim() === '' ? null : parseInteger(values.timeout),
    retries: parseInteger(values.retries),
    retry_interval: parseInteger(values.retry_interval),
    remind_every: parseInteger(values.remind_every),
    ...(type === 'http' && { http: toHttpInput(values) }),
  }
}
export type MonitorInput = ReturnType<typeof toMonitorInput>

function pickChangedProperties<T extends object>(before: T, after: T): Partial<T> {
  const isSame = (name: keyof T) => JSON.stringify(before[name]) === JSON.stringify(after[name])
  return Object.fromEntries(Object.entries(after).filter(([name]) => !isSame(name as keyof T))) as Partial<T>
}

/** Returns only the changed fields, because an API client may have changed others in the meantime. */
export function diffMonitor(before: MonitorInput, after: MonitorInput): Partial<MonitorInput> {
  const { http: httpBefore, ...restBefore } = before
  const { http, ...rest } = after
  const changes: Partial<MonitorInput> = pickChangedProperties(restBefore, rest)
  // The form shows a timeout as empty if it equals the default, even if the server has stored it as a fixed number. Send
  // null when the interval changes, so that the server computes the default for the new interval.
  if ('interval' in changes && rest.timeout === null) changes.timeout = null
  if (http === undefined) return changes
  // The server keeps HTTP settings that aren't sent.
  const httpChanges = httpBefore === undefined ? http : pickChangedProperties(httpBefore, http)
  return Object.keys(httpChanges).length === 0 ? changes : { ...changes, http: httpChanges as typeof http }
}

/**
 * Whether the server asks for saved header values again, because the check would send them to another origin or no longer
 * verify the certificate.
 */
export function mustReenterHeaders(before: MonitorInput | undefined, after: MonitorInput): boolean {
  if (before?.http === undefined || after.http === undefined) return false
  const origin = URL.parse(after.url)?.origin
  const hasNewOrigin = origin !== undefined && origin !== URL.parse(before.url)?.origin
  return hasNewOrigin || (before.http.verify_tls && !after.http.verify_tls)
}

/** Headers are sent as an object, which would silently drop the first of two headers with the same name. */
export function findRepeatedHeader({ headers }: MonitorFormValues): string | undefined {
  const names = headers.map(({ name }) => name.trim()).filter(Boolean)
  const lowerNames = names.map((name) => name.toLowerCase())
  return names.find((_, index) => lowerNames.indexOf(lowerNames[index] ?? '') !== index)
}
