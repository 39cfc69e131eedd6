import type { Static } from 'typebox'
import { channelTypes } from '../channels/kinds.ts'
import { itemResponse, listResponse, resourceId, stringEnum, timestamp } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_DELAY_MINUTES, MAX_MONITORS_PER_REQUEST } from '../shared/limits.ts'
import { monitorStatuses } from '../shared/monitors.ts'
import { TagsInput } from '../tags/schema.ts'

const monitorId = Type.Integer({ examples: [3] })
const channelId = Type.Integer({ examples: [7] })
const delayMinutes = Type.Integer({
  minimum: 0,
  maximum: MAX_DELAY_MINUTES,
  description:
    'The provider gets alerts about an incident only if the incident is still ongoing after this many minutes',
  examples: [15],
})

const AssignmentRecord = Type.Object(
  {
    monitor_id: monitorId,
    provider_id: channelId,
    provider_type: stringEnum(channelTypes, { examples: ['slack'] }),
    enabled: Type.Boolean({ examples: [true] }),
    delay_minutes: delayMinutes,
    created_at: timestamp,
  },
  { additionalProperties: false },
)
export type AssignmentRecord = Static<typeof AssignmentRecord>

export const AssignmentResponse = itemResponse(AssignmentRecord)
export const AssignmentList = listResponse(
  AssignmentRecord,
  Type.Object({ total: Type.Integer({ examples: [1] }) }, { additionalProperties: false }),
)

const channelIdInput = Type.Integer({ ...resourceId, examples: [7] })

/** An existing assignment keeps its delay if the request has none. */
const delayMinutesInput = Type.Optional(delayMinutes)

export const PutAssignment = Type.Object(
  {
    provider_id: channelIdInput,
    enabled: Type.Optional(Type.Boolean({ default: true })),
    delay_minutes: delayMinutesInput,
  },
  { additionalProperties: false },
)

/** Some clients can't send a body with DELETE, so the query string is accepted too. */
const optionalChannelId = { provider_id: Type.Optional(channelIdInput) }
export const ChannelIdInBody = Type.Object(optionalChannelId, { additionalProperties: false })
export const ChannelIdInQuery = Type.Object(optionalChannelId)

export const DeletedAssignment = Type.Object(
  {
    monitor_id: monitorId,
    provider_id: channelId,
    object: Type.Literal('assignment'),
    deleted: Type.Literal(true),
  },
  { additionalProperties: false },
)

export const AssignedMonitor = Type.Object(
  {
    monitor_id: monitorId,
    friendly_name: Type.String({ examples: ['Shop'] }),
    url: Type.String({ examples: ['https://example.com/'] }),
    status: stringEnum(monitorStatuses, { examples: ['up'] }),
    enabled: Type.Boolean({ examples: [true] }),
    delay_minutes: delayMinutes,
    created_at: Type.String({ ...timestamp, description: 'When the provider was assigned' }),
  },
  { additionalProperties: false },
)
export type AssignedMonitor = Static<typeof AssignedMonitor>

const monitorIdsInput = Type.Array(resourceId, { minItems: 1, maxItems: MAX_MONITORS_PER_REQUEST, examples: [[3, 4]] })

export const AssignMonitors = Type.Object(
  {
    monitor_ids: Type.Optional(monitorIdsInput),
    tags: Type.Optional(
      Type.Unsafe<string[]>({
        ...TagsInput,
        minItems: 1,
        description: 'Instead of `monitor_ids`: all monitors that have one of these tags now',
        examples: [['production']],
      }),
    ),
    all_monitors: Type.Optional(
      Type.Boolean({ description: 'Instead of `monitor_ids`: all monitors that exist now', examples: [true] }),
    ),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    delay_minutes: delayMinutesInput,
  },
  {
    additionalProperties: false,
    examples: [{ monitor_ids: [3, 4] }, { tags: ['production'] }, { all_monitors: true }],
  },
)

export const AssignMonitorsResponse = itemResponse(
  Type.Object(
    {
      provider_id: channelId,
      assigned: Type.Integer({ description: 'Number of new assignments', examples: [2] }),
      updated: Type.Integer({ description: 'Number of assignments that existed already', examples: [0] }),
    },
    { additionalProperties: false },
  ),
)

const optionalMonitorIds = { monitor_ids: Type.Optional(monitorIdsInput) }
export const MonitorIdsInBody = Type.Object(optionalMonitorIds, { additionalProperties: false })
export const MonitorIdsInQuery = Type.Object(optionalMonitorIds)

export const UnassignMonitorsResponse = itemResponse(
  Type.Object(
    {
      provider_id: channelId,
      removed: Type.Integer({ description: 'Number of removed assignments', examples: [2] }),
    },
    { additionalProperties: false },
  ),
)
