import type { Static } from 'typebox'
import { inputField, itemResponse, nullable, resourceId, stringEnum, timestamp } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_MONITORS_PER_REQUEST } from '../shared/limits.ts'
import {
  MAX_MAINTENANCE_NOTE_LENGTH,
  MAX_MAINTENANCE_TITLE_LENGTH,
  MAX_WINDOW_SECONDS,
  MIN_RECURRING_WINDOW_SECONDS,
  maintenanceStates,
} from '../shared/maintenances.ts'
import { MAX_CRON_LENGTH } from '../shared/monitors.ts'
import { TagsInput, TagsRecord } from '../tags/schema.ts'

const descriptions = {
  all_monitors: 'Whether the maintenance covers all monitors, including those that are created later',
  monitor_ids: 'Monitors that the maintenance covers',
  tags: 'The maintenance also covers monitors with any of these tags, including those that get one later',
  until: 'No window begins after this time; null for no end',
  recurrence: 'When windows begin, and how long they last; null for a single window',
}

const title = Type.String({ minLength: 1, maxLength: MAX_MAINTENANCE_TITLE_LENGTH, examples: ['Database upgrade'] })
const note = nullable(Type.String({ maxLength: MAX_MAINTENANCE_NOTE_LENGTH, examples: ['Orders are read-only.'] }))
const cron = Type.String({
  maxLength: MAX_CRON_LENGTH,
  description: 'Five fields: minute, hour, day of month, month, day of week',
  examples: ['0 2 * * 0'],
})
const timeZone = { maxLength: 100, examples: ['Europe/Berlin'] }
const durationSeconds = Type.Integer({
  minimum: MIN_RECURRING_WINDOW_SECONDS,
  maximum: MAX_WINDOW_SECONDS,
  description: 'Length of each window. Must be shorter than the time between the starts of two windows.',
  examples: [7_200],
})

const RecurrenceInput = Type.Object(
  {
    cron,
    time_zone: Type.Optional(
      Type.String({ ...timeZone, description: 'IANA name. The default is the time zone of the server.' }),
    ),
    duration_seconds: durationSeconds,
    until: Type.Optional(nullable({ ...timestamp, description: descriptions.until })),
  },
  { additionalProperties: false },
)
export type RecurrenceInput = Static<typeof RecurrenceInput>

function createFieldsSchema(isNew: boolean) {
  return {
    note: Type.Optional(note),
    starts_at: Type.Optional({
      ...timestamp,
      description: isNew
        ? 'The default is now. With `recurrence`, the first window begins at this time or later.'
        : "Can't change while the maintenance is in progress",
    }),
    ends_at: Type.Optional({ ...timestamp, description: 'Not allowed with `recurrence`' }),
    duration_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_WINDOW_SECONDS,
        description: 'Instead of `ends_at`: the time from `starts_at` to the end',
        examples: [1_800],
      }),
    ),
    recurrence: Type.Optional(
      nullable({
        ...RecurrenceInput,
        description: isNew ? descriptions.recurrence : `${descriptions.recurrence}. Replaces the whole recurrence.`,
      }),
    ),
    all_monitors: inputField(Type.Boolean({ description: descriptions.all_monitors }), isNew, false),
    monitor_ids: Type.Optional(
      Type.Array(resourceId, {
        maxItems: MAX_MONITORS_PER_REQUEST,
        description: descriptions.monitor_ids,
        examples: [[3]],
      }),
    ),
    tags: Type.Optional({ ...TagsInput, description: descriptions.tags }),
  }
}

export const CreateMaintenance = Type.Object(
  { title, ...createFieldsSchema(true) },
  {
    additionalProperties: false,
    examples: [{ title: 'Deployment', duration_seconds: 1_800, tags: ['shop'] }],
  },
)
export type CreateMaintenance = Static<typeof CreateMaintenance>

export const UpdateMaintenance = Type.Object(
  { title: Type.Optional(title), ...createFieldsSchema(false) },
  { additionalProperties: false, examples: [{ duration_seconds: 3_600 }] },
)
export type UpdateMaintenance = Static<typeof UpdateMaintenance>

const Recurrence = Type.Object(
  {
    cron,
    time_zone: Type.String({ ...timeZone, description: 'IANA name' }),
    duration_seconds: durationSeconds,
    until: nullable({ ...timestamp, description: descriptions.until }),
  },
  { additionalProperties: false },
)

export const MaintenanceRecord = Type.Object(
  {
    id: Type.Integer({ examples: [5] }),
    title,
    note,
    starts_at: {
      ...timestamp,
      description: 'With `recurrence`, the start of the window in progress, or else of the next one',
    },
    ends_at: timestamp,
    recurrence: nullable({ ...Recurrence, description: descriptions.recurrence, examples: [null] }),
    all_monitors: Type.Boolean({ description: descriptions.all_monitors, examples: [false] }),
    monitor_ids: Type.Array(Type.Integer(), { description: descriptions.monitor_ids, examples: [[3]] }),
    tags: { ...TagsRecord, description: descriptions.tags },
    state: stringEnum(maintenanceStates, {
      description: '`active` while a window is in progress, `scheduled` if another one follows, otherwise `past`',
      examples: ['active'],
    }),
    created_at: timestamp,
    updated_at: timestamp,
  },
  { additionalProperties: false },
)
export type MaintenanceRecord = Static<typeof MaintenanceRecord>

export const MaintenanceResponse = itemResponse(MaintenanceRecord)

export const MaintenanceQuery = Type.Object({
  state: Type.Optional(stringEnum(maintenanceStates)),
})
