/** A monitor as it stands in the form, and what is sent of it. */
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import {
  DEFAULT_TIMEOUT_SECONDS,
  httpDefaults,
  type MonitorType,
  monitorDefaults,
} from '../../../src/shared/monitors.ts'
import { addScheme, suggestMonitorName } from '../../lib/address.ts'

export type Http = NonNullable<MonitorRecord['http']>
export type Look = 'none' | 'present' | 'absent'

export interface HeaderRow {
  key: number
  name: string
  value: string
  /** Of a value that the server keeps: its end. It stays unless another one is typed. */
  keptEnd?: string
}

export interface Values {
  type: MonitorType
  url: string
  /** null: nobody typed one, so it follows the address. */
  friendly_name: string | null
  interval: string
  is_active: boolean
  /** Empty: follows the interval. */
  timeout: string
  retries: string
  retry_interval: string
  remind_every: string
  method: Http['method']
  headers: readonly HeaderRow[]
  body: string
  expected_status: string
  look: Look
  keyword: string
  follow_redirects: boolean
  verify_tls: boolean
}

export function newValues(url: string): Values {
  return {
    type: monitorDefaults.type,
    url,
    friendly_name: null,
    interval: `${monitorDefaults.interval}`,
    is_active: monitorDefaults.is_active,
    timeout: '',
    retries: `${monitorDefaults.retries}`,
    retry_interval: `${monitorDefaults.retry_interval}`,
    remind_every: `${monitorDefaults.remind_every}`,
    method: httpDefaults.method,
    headers: [],
    body: '',
    expected_status: httpDefaults.expected_status,
    look: 'none',
    keyword: '',
    follow_redirects: httpDefaults.follow_redirects,
    verify_tls: httpDefaults.verify_tls,
  }
}

export function valuesOf(monitor: MonitorRecord): Values {
  const { http } = monitor
  const plain = newValues(monitor.url)
  const isUsual = monitor.timeout === Math.min(DEFAULT_TIMEOUT_SECONDS, monitor.interval)
  return {
    ...plain,
    type: monitor.type,
    friendly_name: monitor.friendly_name,
    interval: `${monitor.interval}`,
    is_active: monitor.is_active,
    timeout: isUsual ? '' : `${monitor.timeout}`,
    retries: `${monitor.retries}`,
    retry_interval: `${monitor.retry_interval}`,
    remind_every: `${monitor.remind_every}`,
    ...(http && {
      method: http.method,
      headers: Object.entries(http.headers).map(([name, keptEnd], key) => ({ key, name, value: '', keptEnd })),
      body: http.body ?? '',
      expected_status: http.expected_status,
      look: http.keyword !== null ? 'present' : http.keyword_absent !== null ? 'absent' : 'none',
      keyword: http.keyword ?? http.keyword_absent ?? '',
      follow_redirects: http.follow_redirects,
      verify_tls: http.verify_tls,
    }),
  }
}

export const nameOf = ({ friendly_name: name, url }: Values) => name ?? suggestMonitorName(url)

/** What is no number is sent as it is: the server says what is wrong with it. */
const wholeOf = (text: string) => (/^\d+$/.test(text.trim()) ? Number(text) : text)

function httpOf(values: Values) {
  const { look, keyword } = values
  const rows = values.headers.filter(({ name, value }) => name.trim() !== '' || value !== '')
  return {
    method: values.method,
    headers: Object.fromEntries(
      rows.map(({ name, value, keptEnd }) => [name.trim(), value === '' ? (keptEnd ?? '') : value]),
    ),
    body: values.body === '' ? null : values.body,
    expected_status: values.expected_status.trim() || httpDefaults.expected_status,
    keyword: look === 'present' ? keyword : null,
    keyword_absent: look === 'absent' ? keyword : null,
    follow_redirects: values.follow_redirects,
    verify_tls: values.verify_tls,
  }
}

export function inputOf(values: Values) {
  const { type } = values
  return {
    friendly_name: nameOf(values),
    url: type === 'http' ? addScheme(values.url) : values.url.trim(),
    type,
    interval: wholeOf(values.interval),
    is_active: values.is_active,
    timeout: values.timeout.trim() === '' ? null : wholeOf(values.timeout),
    retries: wholeOf(values.retries),
    retry_interval: wholeOf(values.retry_interval),
    remind_every: wholeOf(values.remind_every),
    ...(type === 'http' && { http: httpOf(values) }),
  }
}
export type Input = ReturnType<typeof inputOf>

function differences<T extends object>(before: T, after: T): Partial<T> {
  const isSame = (name: keyof T) => JSON.stringify(before[name]) === JSON.stringify(after[name])
  return Object.fromEntries(Object.entries(after).filter(([name]) => !isSame(name as keyof T))) as Partial<T>
}

/** Only what is different: the rest may have been changed by somebody else meanwhile. */
export function changesOf(before: Input, after: Input): Partial<Input> {
  const { http: httpBefore, ...restBefore } = before
  const { http, ...rest } = after
  const changes: Partial<Input> = differences(restBefore, rest)
  // What is shown as usual may have been set to the usual by hand, and would not follow a shorter interval.
  if ('interval' in changes && rest.timeout === null) changes.timeout = null
  if (http === undefined) return changes
  const httpChanges = httpBefore === undefined ? http : differences(httpBefore, http)
  // What is not sent of http stays as it is.
  return Object.keys(httpChanges).length === 0 ? changes : { ...changes, http: httpChanges as typeof http }
}

/** As an object each name would be there once, and one of two values be lost in silence. */
export function findRepeatedHeader({ headers }: Values): string | undefined {
  const names = headers.map(({ name }) => name.trim()).filter(Boolean)
  const lower = names.map((name) => name.toLowerCase())
  return names.find((_, place) => lower.indexOf(lower[place] ?? '') !== place)
}
