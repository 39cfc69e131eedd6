/** What a monitor is told to do: read from a request, alone or over what it did before. */
import { readLabel } from '../lib/label.ts'
import { FieldReader } from '../lib/reading.ts'
import type { MonitorType } from '../shared/monitors.ts'
import { readStatuses } from './expected-status.ts'
import { readHeaders } from './http-headers.ts'
import { type HttpInput, type HttpSettings, plainHttp } from './http-schema.ts'
import { type CreateMonitor, defaults, TIMEOUT_SECONDS, type UpdateMonitor } from './schema.ts'
import { readTarget } from './target.ts'

export interface Settings {
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

const nothing: Settings = {
  friendlyName: '',
  url: '',
  type: defaults.type,
  interval: defaults.interval,
  timeout: null,
  retries: defaults.retries,
  retryInterval: defaults.retry_interval,
  remindEvery: defaults.remind_every,
  http: null,
}

export const readSettings = (input: CreateMonitor): Settings => settle(nothing, input)
/** What is not sent stays as it is. */
export const changeSettings = (current: Settings, input: UpdateMonitor): Settings => settle(current, input)

export function timeoutOf({ timeout, interval }: Pick<Settings, 'timeout' | 'interval'>): number {
  return timeout ?? Math.min(TIMEOUT_SECONDS, interval)
}

/** Throws what is wrong with all fields at once. */
function settle(current: Settings, input: UpdateMonitor): Settings {
  const reader = new FieldReader()
  const { type = current.type, interval = current.interval, timeout = current.timeout } = input
  const friendlyName = reader.read('friendly_name', input.friendly_name, readLabel) ?? current.friendlyName
  // What is there already may be older than a rule.
  const sentUrl = type === current.type ? input.url : (input.url ?? current.url)
  const url = reader.read('url', sentUrl, (text) => readTarget(text, type)) ?? current.url
  if (timeout !== null && timeout > interval) reader.refuse('timeout', [`must not be above the interval (${interval})`])
  if (type === 'ping' && input.http) reader.refuse('http', ['is only for monitors of type http'])
  const http = type === 'http' ? settleHttp(reader, current.http, input.http) : null
  reader.finish()
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
function settleHttp(reader: FieldReader, current: HttpSettings | null, input?: HttpInput | null): HttpSettings {
  const before = input === null ? plainHttp : (current ?? plainHttp)
  const sent = input ?? {}
  const headers = reader.read('http.headers', sent.headers ?? (sent.headers === null ? {} : undefined), (headers) =>
    readHeaders(headers, before.headers),
  )
  const status = reader.read('http.expected_status', sent.expected_status, readStatuses)
  const http: HttpSettings = {
    ...before,
    ...sent,
    headers: headers ?? before.headers,
    expected_status: status ?? before.expected_status,
  }
  if (http.keyword !== null && http.keyword_absent !== null) {
    reader.refuse('http.keyword_absent', ['goes without http.keyword: set one of them, and the other to null'])
  }
  if (http.method === 'HEAD' && (http.keyword ?? http.keyword_absent) !== null) {
    reader.refuse('http.method', ['must not be HEAD where a keyword is looked for: such an answer has no text'])
  }
  return http
}
