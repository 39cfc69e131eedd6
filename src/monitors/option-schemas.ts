/** The settings that only one type of monitor has, in a field named after the type. `http-schema.ts` has those of type http. */
import type { Static, TSchema } from 'typebox'
import { inputField, nullable, stringEnum } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import {
  DEFAULT_GRACE_SECONDS,
  DEFAULT_WARN_DAYS,
  dnsMatches,
  dnsRecordTypes,
  MAX_CRON_LENGTH,
  MAX_EXPECTED_RECORD_LENGTH,
  MAX_EXPECTED_RECORDS,
  MAX_GRACE_SECONDS,
  MAX_PERIOD_SECONDS,
  MAX_TCP_TEXT_LENGTH,
  MAX_WARN_DAY,
  MAX_WARN_DAYS,
  MIN_PERIOD_SECONDS,
} from '../shared/monitors.ts'

const nullableText = (maxLength: number, description: string, example: string) =>
  nullable(Type.String({ minLength: 1, maxLength, description, examples: [example] }))

const tcp = {
  send: nullableText(MAX_TCP_TEXT_LENGTH, 'Text to send after connecting', 'PING\r\n'),
  expect: nullableText(MAX_TCP_TEXT_LENGTH, 'Text that the server must send', '+PONG'),
}

const dns = {
  record: stringEnum(dnsRecordTypes, { description: 'Type of the records', examples: ['A'] }),
  resolver: nullableText(
    300,
    'DNS server to ask, as `address` or `address:port`. null: the DNS servers of the Belfry server',
    '9.9.9.9',
  ),
  expected: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: Type.String({ minLength: 1, maxLength: MAX_EXPECTED_RECORD_LENGTH }),
    minItems: 1,
    maxItems: MAX_EXPECTED_RECORDS,
    description: 'Expected records. null: any record is accepted',
    examples: [['203.0.113.7']],
  }),
  match: stringEnum(dnsMatches, {
    description:
      '`any`: at least one expected record must exist. `all`: all of them. `exact`: all of them and no others',
    examples: ['any'],
  }),
}

const warnDays = Type.Array(Type.Integer({ minimum: 1, maximum: MAX_WARN_DAY }), {
  maxItems: MAX_WARN_DAYS,
  description: 'An alert is sent at each of these numbers of days before the expiry',
  examples: [[...DEFAULT_WARN_DAYS]],
})

const tls = {
  warn_days: warnDays,
  server_name: nullableText(
    253,
    'Name to send (SNI) and to verify the certificate for. null: the host of `url`',
    'shop.example.com',
  ),
}

const domain = { warn_days: warnDays }

const heartbeat = {
  period: nullable(
    Type.Integer({
      minimum: MIN_PERIOD_SECONDS,
      maximum: MAX_PERIOD_SECONDS,
      description: 'Seconds between two beats. Set either this or `cron`',
      examples: [3_600],
    }),
  ),
  cron: nullableText(MAX_CRON_LENGTH, 'Cron expression of the times at which beats are expected', '30 2 * * *'),
  time_zone: nullableText(100, 'IANA time zone of `cron`. null: the time zone of the server', 'Europe/Berlin'),
  grace: Type.Integer({
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
    description: 'Seconds that a beat can be late before an incident opens',
    examples: [DEFAULT_GRACE_SECONDS],
  }),
}

const recordSchemas = {
  tcp: Type.Object(tcp, { additionalProperties: false }),
  dns: Type.Object(dns, { additionalProperties: false }),
  tls: Type.Object(tls, { additionalProperties: false }),
  domain: Type.Object(domain, { additionalProperties: false }),
  heartbeat: Type.Object(heartbeat, { additionalProperties: false }),
}

export type TcpOptions = Static<typeof recordSchemas.tcp>
export type DnsOptions = Static<typeof recordSchemas.dns>
export type TlsOptions = Static<typeof recordSchemas.tls>
export type DomainOptions = Static<typeof recordSchemas.domain>
export type HeartbeatOptions = Static<typeof recordSchemas.heartbeat>

export interface TypeOptions {
  tcp: TcpOptions
  dns: DnsOptions
  tls: TlsOptions
  domain: DomainOptions
  heartbeat: HeartbeatOptions
}

export const typesWithOptions = ['tcp', 'dns', 'tls', 'domain', 'heartbeat'] as const
export type TypeWithOptions = (typeof typesWithOptions)[number]

export const defaultOptions: TypeOptions = {
  tcp: { send: null, expect: null },
  dns: { record: 'A', resolver: null, expected: null, match: 'any' },
  tls: { warn_days: [...DEFAULT_WARN_DAYS], server_name: null },
  domain: { warn_days: [...DEFAULT_WARN_DAYS] },
  heartbeat: { period: null, cron: null, time_zone: null, grace: DEFAULT_GRACE_SECONDS },
}

const describeType = (type: TypeWithOptions) => `Only for type ${type}`

/** Every field is optional: a field that is not sent keeps its value, or gets its default in a new monitor. */
function toInputSchema<T extends Record<string, TSchema>>(type: TypeWithOptions, fields: T, isNew: boolean) {
  const defaults = defaultOptions[type] as unknown as Record<string, unknown>
  const inputs = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      defaults[name] === null ? Type.Optional(schema) : inputField(schema, isNew, defaults[name]),
    ]),
  ) as { [Name in keyof T]: ReturnType<typeof Type.Optional<T[Name]>> }
  const schema = Type.Object(inputs, { additionalProperties: false, description: describeType(type) })
  return Type.Optional(nullable(schema))
}

export const createOptionInputSchemas = (isNew: boolean) => ({
  tcp: toInputSchema('tcp', tcp, isNew),
  dns: toInputSchema('dns', dns, isNew),
  tls: toInputSchema('tls', tls, isNew),
  domain: toInputSchema('domain', domain, isNew),
  heartbeat: toInputSchema('heartbeat', heartbeat, isNew),
})

export const optionRecordSchemas = {
  tcp: nullable(recordSchemas.tcp),
  dns: nullable(recordSchemas.dns),
  tls: nullable(recordSchemas.tls),
  domain: nullable(recordSchemas.domain),
  heartbeat: nullable(recordSchemas.heartbeat),
}
