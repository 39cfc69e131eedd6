/** What a monitor is told to do: read from a request, alone or over what it did before. */
import { FieldParser, parseDisplayName } from '../lib/field-parser.ts'
import { DEFAULT_TIMEOUT_SECONDS, type MonitorType, monitorDefaults } from '../shared/monitors.ts'
import { readExpectedStatus } from './expected-status.ts'
import { readHeaders } from './http-headers.ts'
import { type HttpInput, type HttpSettings, plainHttp } from './http-schema.ts'
import type { CreateMonitor, UpdateMonitor } from './schema.ts'
import { readTarget } from './target.ts'

export interface MonitorSettings {
  friendlyName: string
  url: string
  type: MonitorType
  interval: number
  /** null: follows the interval. */
  timeout: number | null
  retries: number
  retryInterval: number
  remindEvery: number
  http: HttpSettings | null
}

const nothing: MonitorSettings = {
  friendlyName: '',
  url: '',
  type: monitorDefaults.type,
  interval: monitorDefaults.interval,
  timeout: null,
  retries: monitorDefaults.retries,
  retryInterval: monitorDefaults.retry_interval,
  remindEvery: monitorDefaults.remind_every,
  http: null,
}

export const readSettings = (input: CreateMonitor): MonitorSettings => settle(nothing, input)
/** What is not sent stays as it is. */
export const changeSettings = (current: MonitorSettings, input: UpdateMonitor): MonitorSettings =>
  settle(current, input)

export function effectiveTimeout({ timeout, interval }: Pick<MonitorSettings, 'timeout' | 'interval'>): number {
  return timeout ?? Math.min(DEFAULT_TIMEOUT_SECONDS, interval)
}

/** Throws what is wrong with all fields at once. */
function settle(current: MonitorSettings, input: UpdateMonitor): MonitorSettings {
  const reader = new FieldParser()
  const { type = current.type, interval = current.interval, timeout = current.timeout } = input
  const friendlyName = reader.parse('friendly_name', input.friendly_name, parseDisplayName) ?? current.friendlyName
  // What is there already may be older than a rule.
  const sentUrl = type === current.type ? input.url : (input.url ?? current.url)
  const url = reader.parse('url', sentUrl, (text) => readTarget(text, type)) ?? current.url
  if (timeout !== null && timeout > interval)
    reader.addErrors('timeout', [`must not be above the interval (${interval})`])
  if (type === 'ping' && input.http) reader.addErrors('http', ['is only for monitors of type http'])
  const http = type === 'http' ? settleHttp(reader, current.http, input.http) : null
  reader.throwIfInvalid()
  return {
    friendlyName,
    url,
    type,
    interval,
    timeout,
    retries: input.retries ?? current.retries,
    retryInterval: input.retry_interval ?? current.retryInterval,
    remindEvery: input.remind_every ?? current.remindEvery,
    http,
  }
}

/** null puts a field, or all of them, back to what it is by default. */
function settleHttp(reader: FieldParser, current: HttpSettings | null, input?: HttpInput | null): HttpSettings {
  const before = input === null ? plainHttp : (current ?? plainHttp)
  const sent = input ?? {}
  const headers = reader.parse('http.headers', sent.headers ?? (sent.headers === null ? {} : undefined), (headers) =>
    readHeaders(headers, before.headers),
  )
  const status = reader.parse('http.expected_status', sent.expected_status, readExpectedStatus)
  const http: HttpSettings = {
    ...before,
    ...sent,
    headers: headers ?? before.headers,
    expected_status: status ?? before.expected_status,
  }
  if (http.keyword !== null && http.keyword_absent !== null) {
    reader.addErrors('http.keyword_absent', ['goes without http.keyword: set one of them, and the other to null'])
  }
  if (http.method === 'HEAD' && (http.keyword ?? http.keyword_absent) !== null) {
    reader.addErrors('http.method', ['must not be HEAD where a keyword is looked for: such an answer has no text'])
  }
  return http
}
