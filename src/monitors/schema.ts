import { type Static, Type } from 'typebox'
import {
  inputField,
  itemResponse,
  nullable,
  resourceId,
  stringEnum,
  timestamp,
  timestampOrNull,
} from '../lib/schemas.ts'
import { MAX_BATCH_SIZE } from '../shared/limits.ts'
import {
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
  monitorDefaults,
  monitorStatuses,
  monitorTypes,
} from '../shared/monitors.ts'
import { HttpRecord, httpInput } from './http-schema.ts'

const listedStatuses = ['up', 'down'] as const
export type ListedStatus = (typeof listedStatuses)[number]

const text = {
  url: 'http: an http or https address without credentials. ping: a host, an address, or a URL whose host is taken.',
  interval: 'Seconds between two checks',
  timeout: 'Seconds. Unset it is 10, or the interval where that is shorter',
  retries: 'So many further checks have to fail before the monitor is down',
  retry_interval: 'Seconds between those',
  remind_every: 'Minutes between reminders while it is down; 0 for none',
}

const friendlyName = Type.String({ minLength: 1, maxLength: MAX_MONITOR_NAME_LENGTH, examples: ['Shop'] })
const url = Type.String({
  minLength: 1,
  maxLength: MAX_MONITOR_URL_LENGTH,
  description: text.url,
  examples: ['https://example.com/'],
})
const timeout = nullable(
  Type.Integer({
    minimum: MIN_TIMEOUT_SECONDS,
    maximum: MAX_TIMEOUT_SECONDS,
    description: text.timeout,
    examples: [10],
  }),
)

function settings(isNew: boolean) {
  const whole = (minimum: number, maximum: number, description: string) =>
    Type.Integer({ minimum, maximum, description })
  return {
    type: inputField(stringEnum(monitorTypes), isNew, monitorDefaults.type),
    interval: inputField(
      whole(MIN_INTERVAL_SECONDS, MAX_INTERVAL_SECONDS, text.interval),
      isNew,
      monitorDefaults.interval,
    ),
    is_active: inputField(Type.Boolean(), isNew, monitorDefaults.is_active),
    timeout: Type.Optional(timeout),
    retries: inputField(whole(0, MAX_RETRIES, text.retries), isNew, monitorDefaults.retries),
    retry_interval: inputField(
      whole(MIN_RETRY_INTERVAL_SECONDS, MAX_RETRY_INTERVAL_SECONDS, text.retry_interval),
      isNew,
      monitorDefaults.retry_interval,
    ),
    remind_every: inputField(whole(0, MAX_REMINDER_MINUTES, text.remind_every), isNew, monitorDefaults.remind_every),
    http: Type.Optional(nullable(httpInput(isNew))),
  }
}

export const CreateMonitor = Type.Object(
  { friendly_name: friendlyName, url, ...settings(true) },
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
  { friendly_name: Type.Optional(friendlyName), url: Type.Optional(url), ...settings(false) },
  { additionalProperties: false, examples: [{ friendly_name: 'Shop', is_active: false }] },
)
export type UpdateMonitor = Static<typeof UpdateMonitor>

const seconds = (description: string, example: number) => Type.Integer({ description, examples: [example] })

export const MonitorRecord = Type.Object(
  {
    id: Type.Integer({ examples: [3] }),
    friendly_name: Type.String({ examples: ['Shop'] }),
    url: Type.String({ examples: ['https://example.com/'] }),
    type: stringEnum(monitorTypes, { examples: ['http'] }),
    interval: seconds(text.interval, 60),
    is_active: Type.Boolean({ examples: [true] }),
    status: stringEnum(monitorStatuses, { description: 'pending until the first verdict', examples: ['up'] }),
    timeout: seconds('Seconds', 10),
    retries: seconds(text.retries, 2),
    retry_interval: seconds(text.retry_interval, 5),
    remind_every: seconds(text.remind_every, 0),
    http: nullable(HttpRecord),
    tls_expires_at: timestampOrNull,
    last_checked_at: timestampOrNull,
    last_response_ms: nullable(Type.Integer({ examples: [87] })),
    last_error: nullable(Type.String({ examples: ['Status 503, expected 200–399'] })),
    status_changed_at: timestamp,
    created_at: timestamp,
    updated_at: timestamp,
  },
  { additionalProperties: false },
)
export type MonitorRecord = Static<typeof MonitorRecord>

export const MonitorAnswer = itemResponse(MonitorRecord)

export const MonitorQuery = Type.Object({
  status: Type.Optional(stringEnum(listedStatuses)),
  type: Type.Optional(stringEnum(monitorTypes)),
  search: Type.Optional(Type.String({ description: 'Any part of name or URL; upper and lower case are alike' })),
})

const bulkActions = ['pause', 'resume', 'delete'] as const
export type BulkAction = (typeof bulkActions)[number]

const ids = Type.Array(resourceId, { minItems: 1, maxItems: MAX_BATCH_SIZE, examples: [[3, 4]] })

export const BulkRequest = Type.Object(
  { ids, action: stringEnum(bulkActions, { examples: ['pause'] }) },
  { additionalProperties: false },
)

export const BulkAnswer = itemResponse(
  Type.Object(
    {
      action: stringEnum(bulkActions),
      ids: Type.Array(Type.Integer(), { description: 'Those of the request that were there' }),
      not_found: Type.Array(Type.Integer(), { description: 'The others' }),
    },
    { additionalProperties: false },
  ),
)
