/** The settings that only one type of monitor has, as the form holds them, and their conversion from and to the API. */
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import {
  DEFAULT_GRACE_SECONDS,
  DEFAULT_WARN_DAYS,
  type DnsRecordType,
  type dnsMatches,
} from '../../../src/shared/monitors.ts'
import { browserTimeZone } from '../../lib/format.ts'

/**
 * The names are those of the API's fields, so that changing a value removes the errors that the API returned for it.
 */
export interface TypeOptionValues {
  /** With escaped control characters. */
  send: string
  expect: string
  record: DnsRecordType
  resolver: string
  /** One record per line. */
  expected: string
  match: (typeof dnsMatches)[number]
  /** Numbers separated by commas. The types tls and domain share this value. */
  warn_days: string
  server_name: string
  schedule: 'period' | 'cron'
  period: string
  cron: string
  /** Empty for the time zone of the server. */
  time_zone: string
  grace: string
}

export const DEFAULT_PERIOD = '3600'

export const defaultTypeOptions: TypeOptionValues = {
  send: '',
  expect: '',
  record: 'A',
  resolver: '',
  expected: '',
  match: 'any',
  warn_days: DEFAULT_WARN_DAYS.join(', '),
  server_name: '',
  schedule: 'period',
  period: DEFAULT_PERIOD,
  cron: '',
  time_zone: browserTimeZone,
  grace: `${DEFAULT_GRACE_SECONDS}`,
}

export function toTypeOptionValues({ tcp, dns, tls, domain, heartbeat }: MonitorRecord): Partial<TypeOptionValues> {
  return {
    ...(tcp && { send: escapeControls(tcp.send ?? ''), expect: escapeControls(tcp.expect ?? '') }),
    ...(dns && {
      record: dns.record,
      resolver: dns.resolver ?? '',
      expected: dns.expected?.join('\n') ?? '',
      match: dns.match,
    }),
    ...(tls && { warn_days: tls.warn_days.join(', '), server_name: tls.server_name ?? '' }),
    ...(domain && { warn_days: domain.warn_days.join(', ') }),
    ...(heartbeat && {
      schedule: heartbeat.cron === null ? 'period' : 'cron',
      period: `${heartbeat.period ?? DEFAULT_PERIOD}`,
      cron: heartbeat.cron ?? '',
      time_zone: heartbeat.cron === null ? browserTimeZone : (heartbeat.time_zone ?? ''),
      grace: `${heartbeat.grace}`,
    }),
  }
}

/** Text that is not an integer stays unchanged, so that the server's validation message explains the error. */
export const parseInteger = (text: string) => (/^\d+$/.test(text.trim()) ? Number(text) : text)

const orNull = (text: string) => (text === '' ? null : text)
const splitList = (text: string, separator: RegExp) =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean)
const parseDays = (text: string) => splitList(text, /[,;\s]+/).map(parseInteger)

type TypeWithOptions = 'tcp' | 'dns' | 'tls' | 'domain' | 'heartbeat'

/** Invalid values are sent as the user typed them, so a field can have a type that the API doesn't accept. */
type Lenient<T> = { [Name in keyof T]: T[Name] | string | (number | string)[] }
export type TypeOptionInputs = { [Type in TypeWithOptions]: Lenient<NonNullable<MonitorRecord[Type]>> }

export const toTypeOptionInput: { [Type in TypeWithOptions]: (values: TypeOptionValues) => TypeOptionInputs[Type] } = {
  tcp: ({ send, expect }) => ({ send: orNull(unescapeControls(send)), expect: orNull(unescapeControls(expect)) }),
  dns({ record, resolver, expected, match }) {
    const records = splitList(expected, /\n/)
    return { record, resolver: orNull(resolver.trim()), expected: records.length === 0 ? null : records, match }
  },
  tls: ({ warn_days, server_name }) => ({ warn_days: parseDays(warn_days), server_name: orNull(server_name.trim()) }),
  domain: ({ warn_days }) => ({ warn_days: parseDays(warn_days) }),
  heartbeat({ schedule, period, cron, time_zone, grace }) {
    const isCron = schedule === 'cron'
    return {
      period: isCron ? null : parseInteger(period),
      cron: isCron ? cron.trim() : null,
      time_zone: isCron ? orNull(time_zone) : null,
      grace: parseInteger(grace),
    }
  },
}

/** Control characters in a text field, written as in most programming languages: \r, \n, \t, and \\ for a backslash. */
const escapes: readonly (readonly [character: string, text: string])[] = [
  ['\r', '\\r'],
  ['\n', '\\n'],
  ['\t', '\\t'],
  ['\\', '\\\\'],
]

const escapeControls = (text: string) =>
  text.replace(/[\r\n\t\\]/g, (character) => escapes.find(([each]) => each === character)?.[1] ?? character)

/** Leaves unknown sequences unchanged. */
const unescapeControls = (text: string) =>
  text.replace(/\\[rnt\\]/g, (sequence) => escapes.find(([, each]) => each === sequence)?.[0] ?? sequence)
