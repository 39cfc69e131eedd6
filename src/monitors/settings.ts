/** Parses a monitor's settings from a request that creates or changes the monitor. */
import { FieldParser, parseDisplayName } from '../lib/field-parser.ts'
import { DEFAULT_TIMEOUT_SECONDS, type MonitorType, monitorDefaults } from '../shared/monitors.ts'
import { parseExpectedStatus } from './expected-status.ts'
import { parseHeaders } from './http-headers.ts'
import { defaultHttpSettings, type HttpInput, type HttpSettings } from './http-schema.ts'
import type { CreateMonitor, UpdateMonitor } from './schema.ts'
import { parseTarget } from './target.ts'

export interface MonitorSettings {
  friendlyName: string
  url: string
  type: MonitorType
  /** Seconds. */
  interval: number
  /** Seconds. null for the default, which depends on the interval. */
  timeout: number | null
  retries: number
  /** Seconds. */
  retryInterval: number
  /** Minutes. 0 for no reminders. */
  remindEvery: number
  http: HttpSettings | null
}

const defaultSettings: MonitorSettings = {
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

export const createSettings = (input: CreateMonitor): MonitorSettings => changeSettings(defaultSettings, input)

export function resolveTimeoutSeconds({ timeout, interval }: Pick<MonitorSettings, 'timeout' | 'interval'>): number {
  return timeout ?? Math.min(DEFAULT_TIMEOUT_SECONDS, interval)
}

/** Fields that were not sent keep their current values. Throws one error that lists the problems of all fields. */
export function changeSettings(current: MonitorSettings, input: UpdateMonitor): MonitorSettings {
  const parser = new FieldParser()
  const { type = current.type, interval = current.interval, timeout = current.timeout } = input
  const friendlyName = parser.parse('friendly_name', input.friendly_name, parseDisplayName) ?? current.friendlyName
  // A stored URL may violate a newer rule, so it is parsed again only if the type changes.
  const urlToParse = type === current.type ? input.url : (input.url ?? current.url)
  const url = parser.parse('url', urlToParse, (text) => parseTarget(text, type)) ?? current.url
  if (timeout !== null && timeout > interval)
    parser.addErrors('timeout', [`must not be greater than \`interval\` (${interval})`])
  if (type === 'ping' && input.http) parser.addErrors('http', ['is only allowed for type http'])
  const http = type === 'http' ? changeHttpSettings(parser, current.http, input.http) : null
  parser.throwIfInvalid()
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

/** If `input` is null, resets all HTTP settings to their defaults. If a field of it is null, resets that setting. */
function changeHttpSettings(parser: FieldParser, current: HttpSettings | null, input?: HttpInput | null): HttpSettings {
  const baseSettings = input === null ? defaultHttpSettings : (current ?? defaultHttpSettings)
  const sentFields = input ?? {}
  const headers = parser.parse(
    'http.headers',
    sentFields.headers ?? (sentFields.headers === null ? {} : undefined),
    (headers) => parseHeaders(headers, baseSettings.headers),
  )
  const expectedStatus = parser.parse('http.expected_status', sentFields.expected_status, parseExpectedStatus)
  const http: HttpSettings = {
    ...baseSettings,
    ...sentFields,
    headers: headers ?? baseSettings.headers,
    expected_status: expectedStatus ?? baseSettings.expected_status,
  }
  if (http.keyword !== null && http.keyword_absent !== null) {
    parser.addErrors('http.keyword_absent', ["can't be combined with `http.keyword`: set one of them to null"])
  }
  if (http.method === 'HEAD' && (http.keyword ?? http.keyword_absent) !== null) {
    parser.addErrors('http.method', ['must not be HEAD if a keyword is set: a response to HEAD has no body'])
  }
  return http
}
