/** Parses the settings that only one type of monitor has. */
import { isIP } from 'node:net'
import { parseCron } from '../lib/cron.ts'
import type { FieldParser, ParseResult } from '../lib/field-parser.ts'
import { isHostname, parseHostPort } from '../lib/network-address.ts'
import { parseZoneName } from '../lib/time-zone.ts'
import type { DnsRecordType, MonitorType } from '../shared/monitors.ts'
import { dnsRecordFormats } from './dns-records.ts'
import { defaultOptions, type TypeOptions, type TypeWithOptions, typesWithOptions } from './option-schemas.ts'
import type { UpdateMonitor } from './schema.ts'

type OptionParsers = {
  [Type in TypeWithOptions]: (parser: FieldParser, options: TypeOptions[Type]) => TypeOptions[Type]
}

export const hasOptions = (type: MonitorType): type is TypeWithOptions =>
  (typesWithOptions as readonly string[]).includes(type)

/** Returns the current options, or the defaults of a new monitor, changed by the fields that were sent. null resets all options. */
export function changeOptions<Type extends TypeWithOptions>(
  parser: FieldParser,
  type: Type,
  current: TypeOptions[Type] | null,
  input: UpdateMonitor,
): TypeOptions[Type] {
  const sentOptions = input[type] as Partial<TypeOptions[Type]> | null | undefined
  const baseOptions = sentOptions === null || current === null ? defaultOptions[type] : current
  const options = { ...baseOptions, ...clearReplacedSchedule(type, sentOptions), ...sentOptions }
  // A stored option may violate a newer rule, so options are parsed only if they were sent, or belong to a new monitor.
  return sentOptions === undefined && current !== null ? options : optionParsers[type](parser, options)
}

/** A heartbeat has a period or a cron expression. Sending one of them replaces the other. */
function clearReplacedSchedule(type: TypeWithOptions, sentOptions: object | null | undefined): object {
  if (type !== 'heartbeat') return {}
  const { period, cron } = (sentOptions ?? {}) as Partial<TypeOptions['heartbeat']>
  if (typeof period === 'number') return { cron: null, time_zone: null }
  return typeof cron === 'string' ? { period: null } : {}
}

const optionParsers: OptionParsers = {
  tcp: (_parser, options) => options,
  dns(parser, options) {
    const resolver = parser.parse('dns.resolver', options.resolver ?? undefined, parseResolver)
    const expected = parser.parse('dns.expected', options.expected ?? undefined, (records) =>
      parseExpectedRecords(options.record, records),
    )
    return { ...options, resolver: resolver ?? null, expected: expected ?? null }
  },
  tls(parser, options) {
    const serverName = parser.parse('tls.server_name', options.server_name ?? undefined, parseServerName)
    return { warn_days: sortWarnDays(options.warn_days), server_name: serverName ?? null }
  },
  domain: (_parser, options) => ({ warn_days: sortWarnDays(options.warn_days) }),
  heartbeat(parser, options) {
    const { period, cron, time_zone: timeZone } = options
    if (period === null && cron === null) parser.addErrors('heartbeat', ['must contain `period` or `cron`'])
    if (period !== null && cron !== null) {
      parser.addErrors('heartbeat', ["can't contain both `period` and `cron`: set one of them to null"])
    }
    if (timeZone !== null && cron === null) {
      parser.addErrors('heartbeat.time_zone', ['is only allowed together with `heartbeat.cron`'])
    }
    const zone = parser.parse('heartbeat.time_zone', timeZone ?? undefined, parseZoneName)
    return {
      ...options,
      cron: parser.parse('heartbeat.cron', cron ?? undefined, parseCron) ?? null,
      time_zone: zone ?? null,
    }
  },
}

/** Returns each number of days once, the largest first. */
const sortWarnDays = (days: readonly number[]) => [...new Set(days)].sort((a, b) => b - a)

function parseResolver(text: string): ParseResult<string> {
  const { host, port } = parseHostPort(text.trim()) ?? {}
  const isValid = host !== undefined && isIP(host) !== 0 && (port === undefined || (port >= 1 && port <= 65_535))
  return isValid ? { value: text.trim() } : { errors: ['must be an IP address such as 9.9.9.9 or 9.9.9.9:53'] }
}

/** Returns the records in the spelling that the check compares with, each once. */
function parseExpectedRecords(type: DnsRecordType, records: readonly string[]): ParseResult<string[]> {
  const { normalize, example } = dnsRecordFormats[type]
  const normalizedRecords = records.map((record) => normalize(record.trim()))
  const invalidIndex = normalizedRecords.indexOf(undefined)
  if (invalidIndex === -1) return { value: [...new Set(normalizedRecords as string[])] }
  return { errors: [`must contain ${type} records such as ${example}: item ${invalidIndex + 1} is not one`] }
}

function parseServerName(text: string): ParseResult<string> {
  const name = URL.parse(`http://${text.trim()}`)?.hostname
  const isValid = name !== undefined && isIP(name) === 0 && isHostname(name) && !/[:/?#@\\\s]/.test(text.trim())
  return isValid ? { value: name } : { errors: ['must be a host name such as shop.example.com'] }
}
