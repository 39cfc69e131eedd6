import type { Static } from 'typebox'
import {
  inputField,
  itemResponse,
  nullable,
  resourceId,
  stringEnum,
  timestamp,
  timestampOrNull,
} from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_MONITORS_PER_REQUEST } from '../shared/limits.ts'
import {
  creatableMonitorTypes,
  MAX_INTERVAL_SECONDS,
  MAX_MONITOR_NAME_LENGTH,
  MAX_MONITOR_URL_LENGTH,
  MAX_REMINDER_MINUTES,
  MAX_RETRIES,
  MAX_RETRY_INTERVAL_SECONDS,
  MAX_TIMEOUT_SECONDS,
  MIN_INTERVAL_SECONDS,
  MIN_RETRY_INTERVAL_SECONDS,
  MIN_TIMEOUT_SECONDS,
  type MonitorType,
  monitorDefaults,
  monitorStatuses,
  monitorTypes,
} from '../shared/monitors.ts'
import { TagQuery, TagsInput, TagsRecord } from '../tags/schema.ts'
import { createHttpInputSchema, HttpRecord } from './http-schema.ts'
import { createOptionInputSchemas, optionRecordSchemas } from './option-schemas.ts'

const filterableStatuses = ['up', 'down'] as const
export type FilterableStatus = (typeof filterableStatuses)[number]

const descriptions = {
  url: 'http: an http or https URL without credentials. ping: a host, or a URL, of which only the host is used. tcp: `host:port`. dns: a name. tls: `host` or `host:port`. domain: a registrable domain. heartbeat: created by Belfry, so leave it out. traffic: the home page of the website, read-only.',
  interval:
    'Seconds between two checks. The default is 60, for tls 3,600, for domain 86,400. The minimum for domain is 3,600. Heartbeats ignore it.',
  timeout: 'Seconds. If unset, it is 10, or the interval if that is shorter.',
  retries: 'How many retries must fail after a failed check before the monitor is down',
  retry_interval: 'Seconds between retries',
  remind_every: 'Minutes between reminders while the monitor is down; 0 for none',
  depends_on:
    'Id of another monitor. While that one is down, incidents of this monitor are recorded but not announced separately.',
}

const friendlyName = Type.String({ minLength: 1, maxLength: MAX_MONITOR_NAME_LENGTH, examples: ['Shop'] })
const url = Type.String({
  minLength: 1,
  maxLength: MAX_MONITOR_URL_LENGTH,
  description: descriptions.url,
  examples: ['https://example.com/'],
})
const timeout = nullable(
  Type.Integer({
    minimum: MIN_TIMEOUT_SECONDS,
    maximum: MAX_TIMEOUT_SECONDS,
    description: descriptions.timeout,
    examples: [10],
  }),
)

function createSettingsSchema(isNew: boolean) {
  const integer = (minimum: number, maximum: number, description: string) =>
    Type.Integer({ minimum, maximum, description })
  return {
    type: inputField(
      stringEnum<MonitorType>(isNew ? creatableMonitorTypes : monitorTypes),
      isNew,
      monitorDefaults.type,
    ),
    interval: Type.Optional(
      Type.Integer({
        minimum: MIN_INTERVAL_SECONDS,
        maximum: MAX_INTERVAL_SECONDS,
        description: descriptions.interval,
        examples: [60],
      }),
    ),
    is_active: inputField(Type.Boolean(), isNew, monitorDefaults.is_active),
    timeout: Type.Optional(timeout),
    retries: inputField(integer(0, MAX_RETRIES, descriptions.retries), isNew, monitorDefaults.retries),
    retry_interval: inputField(
      integer(MIN_RETRY_INTERVAL_SECONDS, MAX_RETRY_INTERVAL_SECONDS, descriptions.retry_interval),
      isNew,
      monitorDefaults.retry_interval,
    ),
    remind_every: inputField(
      integer(0, MAX_REMINDER_MINUTES, descriptions.remind_every),
      isNew,
      monitorDefaults.remind_every,
    ),
    tags: Type.Optional(TagsInput),
    depends_on: Type.Optional(
      nullable(Type.Integer({ ...resourceId, description: descriptions.depends_on, examples: [2] })),
    ),
    http: Type.Optional(nullable(createHttpInputSchema(isNew))),
    ...createOptionInputSchemas(isNew),
  }
}

export const CreateMonitor = Type.Object(
  { friendly_name: friendlyName, url: Type.Optional(url), ...createSettingsSchema(true) },
  {
    additionalProperties: false,
    examples: [
      {
        friendly_name: 'Shop',
        url: 'https://example.com/',
        interval: 60,
        http: { headers: { Authorization: 'Bearer abcdef' }, keyword: 'Welcome' },
      },
    ],
  },
)
export type CreateMonitor = Static<typeof CreateMonitor>

export const UpdateMonitor = Type.Object(
  { friendly_name: Type.Optional(friendlyName), url: Type.Optional(url), ...createSettingsSchema(false) },
  { additionalProperties: false, examples: [{ friendly_name: 'Shop', is_active: false }] },
)
export type UpdateMonitor = Static<typeof UpdateMonitor>

const number = (description: string, example: number) => Type.Integer({ description, examples: [example] })

export const MonitorRecord = Type.Object(
  {
    id: Type.Integer({ examples: [3] }),
    friendly_name: Type.String({ examples: ['Shop'] }),
    url: Type.String({
      examples: ['https://example.com/'],
      description:
        'The URL of a heartbeat contains its secret token. Callers without the scope `monitors:write` see only its last four characters, such as `/beat/…x7Qk`',
    }),
    type: stringEnum(monitorTypes, { examples: ['http'] }),
    watched_website_id: nullable(
      Type.Integer({ description: 'Only for type traffic: the website whose visits it watches', examples: [null] }),
    ),
    interval: number(descriptions.interval, 60),
    is_active: Type.Boolean({ examples: [true] }),
    status: stringEnum(monitorStatuses, {
      description: '`pending` until checks have determined whether the monitor is up or down',
      examples: ['up'],
    }),
    timeout: number('Seconds', 10),
    retries: number(descriptions.retries, 2),
    retry_interval: number(descriptions.retry_interval, 5),
    remind_every: number(descriptions.remind_every, 0),
    tags: TagsRecord,
    depends_on: nullable(Type.Integer({ description: descriptions.depends_on, examples: [2] })),
    in_maintenance: Type.Boolean({
      description:
        'Whether a maintenance is in progress. During a maintenance no alerts are sent, and the time does not count towards uptime',
      examples: [false],
    }),
    http: nullable(HttpRecord),
    ...optionRecordSchemas,
    tls_expires_at: timestampOrNull,
    domain_expires_at: timestampOrNull,
    last_checked_at: timestampOrNull,
    last_response_ms: nullable(Type.Integer({ examples: [87] })),
    last_error: nullable(Type.String({ examples: ['Status 503, expected 200–399'] })),
    status_changed_at: timestamp,
    down_since: nullable(
      Type.String({
        ...timestamp,
        description: 'Time of the first failed check of the ongoing incident; null unless the monitor is down',
        examples: [null],
      }),
    ),
    is_sample: Type.Boolean({
      description: "Whether its history is generated sample data. A sample monitor can't be checked or resumed",
      examples: [false],
    }),
    created_at: timestamp,
    updated_at: timestamp,
  },
  { additionalProperties: false },
)
export type MonitorRecord = Static<typeof MonitorRecord>

export const MonitorResponse = itemResponse(MonitorRecord)

export const MonitorQuery = Type.Object({
  status: Type.Optional(stringEnum(filterableStatuses)),
  type: Type.Optional(stringEnum(monitorTypes)),
  search: Type.Optional(Type.String({ description: 'Part of the name or URL; case-insensitive' })),
  tag: Type.Optional(TagQuery),
})

const bulkActions = ['pause', 'resume', 'delete', 'add_tags', 'remove_tags'] as const

const ids = Type.Array(resourceId, { minItems: 1, maxItems: MAX_MONITORS_PER_REQUEST, examples: [[3, 4]] })

export const BulkActionRequest = Type.Object(
  {
    ids,
    action: stringEnum(bulkActions, { examples: ['pause'] }),
    tags: Type.Optional(
      Type.Array(TagsInput.items, { ...TagsInput, description: 'Only for `add_tags` and `remove_tags`', minItems: 1 }),
    ),
  },
  { additionalProperties: false },
)
export type BulkActionRequest = Static<typeof BulkActionRequest>

export const BulkResponse = itemResponse(
  Type.Object(
    {
      action: stringEnum(bulkActions),
      ids: Type.Array(Type.Integer(), { description: 'Monitors that the action was applied to' }),
      not_found: Type.Array(Type.Integer(), { description: 'Ids that are not among your monitors' }),
    },
    { additionalProperties: false },
  ),
)
