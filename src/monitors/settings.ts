/** Parses a monitor's settings from a request that creates or changes the monitor. */
import { isIP } from 'node:net'
import { FieldParser, parseDisplayName } from '../lib/field-parser.ts'
import { createHeaderHints, listStoredHeaders, parseHeaders } from '../lib/http-headers.ts'
import {
  DEFAULT_TIMEOUT_SECONDS,
  defaultIntervals,
  MIN_DOMAIN_INTERVAL_SECONDS,
  type MonitorType,
  monitorDefaults,
} from '../shared/monitors.ts'
import { parseTags } from '../tags/tags.ts'
import { parseExpectedStatus } from './expected-status.ts'
import { defaultHttpSettings, type HttpInput, type HttpSettings } from './http-schema.ts'
import { parseJsonAssertions } from './json-assertions.ts'
import { type TypeOptions, typesWithOptions } from './option-schemas.ts'
import { changeOptions, hasOptions } from './options.ts'
import type { CreateMonitor, UpdateMonitor } from './schema.ts'
import { parseTarget } from './target.ts'

export interface MonitorSettings {
  friendlyName: string
  /** Empty for type heartbeat, whose URL contains a secret token. */
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
  tags: string[]
  /** The id of another monitor. */
  dependsOn: number | null
  http: HttpSettings | null
  /** The settings of the monitor's type, by the name of the type. Empty for a type without options. */
  options: Partial<TypeOptions>
}

const defaultSettings: MonitorSettings = {
  friendlyName: '',
  url: '',
  type: monitorDefaults.type,
  interval: defaultIntervals[monitorDefaults.type],
  timeout: null,
  retries: monitorDefaults.retries,
  retryInterval: monitorDefaults.retry_interval,
  remindEvery: monitorDefaults.remind_every,
  tags: [],
  dependsOn: null,
  http: null,
  options: {},
}

export const TRAFFIC_TYPE_RULE = "can't be traffic: set `watch_traffic` or `watch_spikes` of the website instead"

interface SettingsContext {
  requiresUrl?: boolean
  /** The RDAP server to ask about every domain, if the operator has set one. */
  rdapUrl?: string | undefined
}

export const createSettings = (input: CreateMonitor, rdapUrl?: string | undefined): MonitorSettings =>
  changeSettings(defaultSettings, input, { requiresUrl: true, rdapUrl })

/**
 * Called if the schema rejects a request because of some of its fields. Checks the other fields, so that one response
 * names all problems. The rules for a URL depend on the type, and those for a timeout on the interval. So a URL is
 * checked only if the request has a type, and a timeout only if it has an interval.
 */
export function checkAcceptedFields(
  input: UpdateMonitor,
  { requiresUrl = false, rdapUrl }: SettingsContext = {},
): void {
  const { url, timeout, ...others } = input
  // Don't check `http.max_response_ms`: its limit is the timeout, which may be among the rejected fields.
  const http = input.http && { ...input.http, max_response_ms: null }
  const acceptedFields = {
    ...others,
    ...(http !== undefined && { http }),
    ...(url !== undefined && input.type !== undefined && { url }),
    ...(timeout !== undefined && input.interval !== undefined && { timeout }),
  }
  changeSettings(defaultSettings, acceptedFields, { requiresUrl, rdapUrl })
}

export function resolveTimeoutSeconds({ timeout, interval }: Pick<MonitorSettings, 'timeout' | 'interval'>): number {
  return timeout ?? Math.min(DEFAULT_TIMEOUT_SECONDS, interval)
}

/** Fields that were not sent keep their current values. Throws one error that lists the problems of all fields. */
export function changeSettings(
  current: MonitorSettings,
  input: UpdateMonitor,
  { requiresUrl = current.url === '' && current.type === 'heartbeat', rdapUrl }: SettingsContext = {},
): MonitorSettings {
  const parser = new FieldParser()
  const { type = current.type, timeout = current.timeout } = input
  const { interval = type === current.type ? current.interval : defaultIntervals[type] } = input
  checkTrafficFields(parser, current, input)
  const friendlyName = parser.parse('friendly_name', input.friendly_name, parseDisplayName) ?? current.friendlyName
  if (type === 'heartbeat' && input.url !== undefined) {
    parser.addErrors('url', ['is created by Belfry for type heartbeat: leave it out'])
  }
  if (type !== 'heartbeat' && type !== 'traffic' && requiresUrl && input.url === undefined)
    parser.addErrors('url', ['is required'])
  const url =
    type === 'heartbeat'
      ? ''
      : type === 'traffic'
        ? current.url
        : changeUrl(parser, current, { type, input: input.url, rdapUrl })
  if (type === 'domain' && interval < MIN_DOMAIN_INTERVAL_SECONDS) {
    parser.addErrors('interval', [`must be at least ${MIN_DOMAIN_INTERVAL_SECONDS} for type domain`])
  }
  if (timeout !== null && timeout > interval)
    parser.addErrors('timeout', [`must not be greater than \`interval\` (${interval})`])
  for (const other of ['http', ...typesWithOptions] as const) {
    if (other !== type && input[other]) parser.addErrors(other, [`is only allowed for type ${other}`])
  }
  const tags = parser.parse('tags', input.tags, parseTags) ?? current.tags
  const options = hasOptions(type) ? { [type]: changeOptions(parser, type, current.options[type] ?? null, input) } : {}
  if (type === 'dns' && isIP(url) !== 0 && (options as Partial<TypeOptions>).dns?.record !== 'PTR') {
    parser.addErrors('url', ['must be a name such as example.com. An IP address needs `dns.record` PTR'])
  }
  const http = type === 'http' ? changeHttpSettings(parser, current.http, input.http) : null
  if (http !== null) requireFullHeaders(parser, current, { url, http }, input.http)
  const timeoutMs = resolveTimeoutSeconds({ timeout, interval }) * 1000
  if (http !== null && (http.max_response_ms ?? 0) > timeoutMs) {
    parser.addErrors('http.max_response_ms', [`must not be greater than \`timeout\` (${timeoutMs} ms)`])
  }
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
    tags,
    dependsOn: input.depends_on === undefined ? current.dependsOn : input.depends_on,
    http,
    options,
  }
}

/** The website decides what its monitor watches. Clients may send back what they read, which changes nothing. */
function checkTrafficFields(parser: FieldParser, current: MonitorSettings, input: UpdateMonitor): void {
  if (current.type !== 'traffic') {
    if (input.type === 'traffic') parser.addErrors('type', [TRAFFIC_TYPE_RULE])
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

interface UrlChange {
  type: Exclude<MonitorType, 'heartbeat' | 'traffic'>
  /** undefined if it was not sent. */
  input: string | undefined
  rdapUrl: string | undefined
}

function changeUrl(parser: FieldParser, current: MonitorSettings, { type, input, rdapUrl }: UrlChange): string {
  // A stored URL may violate a newer rule, so it is parsed again only if the type changes.
  const urlToParse = type === current.type || current.url === '' ? input : (input ?? current.url)
  return parser.parse('url', urlToParse, (text) => parseTarget(text, type, rdapUrl)) ?? current.url
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
    json: sentFields.json === undefined ? baseSettings.json : parseJsonAssertions(parser, sentFields.json),
  }
  if (http.keyword !== null && http.keyword_absent !== null) {
    parser.addErrors('http.keyword_absent', ["can't be combined with `http.keyword`: set one of them to null"])
  }
  if (http.method === 'HEAD' && (http.keyword ?? http.keyword_absent) !== null) {
    parser.addErrors('http.method', ['must not be HEAD if a keyword is set: a response to HEAD has no body'])
  }
  if (http.method === 'HEAD' && http.json.length > 0) {
    parser.addErrors('http.method', ['must not be HEAD if JSON is tested: a response to HEAD has no body'])
  }
  return http
}

interface HttpDestination {
  url: string
  http: HttpSettings
}

/**
 * A client that doesn't know the stored header values must not be able to send them to a server of its choice. So the request
 * must contain them in full if the check would send them to another origin, or would no longer verify the server.
 */
function requireFullHeaders(
  parser: FieldParser,
  current: MonitorSettings,
  next: HttpDestination,
  input?: HttpInput | null,
): void {
  if (current.http === null || input === null) return
  // If the client sent no headers, all values are stored ones.
  const sentHeaders = input?.headers ?? createHeaderHints(next.http.headers)
  const storedNames = listStoredHeaders(sentHeaders, current.http.headers)
  const reason = describeNewDestination({ url: current.url, http: current.http }, next)
  if (reason === undefined || storedNames.length === 0) return
  parser.addErrors('http.headers', [`must contain the full value of ${storedNames.join(', ')}: ${reason}`])
}

function describeNewDestination(current: HttpDestination, next: HttpDestination): string | undefined {
  const origin = URL.parse(current.url)?.origin
  if (URL.parse(next.url)?.origin !== origin) return `stored values are sent only to ${origin ?? 'the same origin'}`
  if (current.http.verify_tls && !next.http.verify_tls) {
    return 'stored values are not sent to a server whose certificate is not verified'
  }
  return undefined
}
