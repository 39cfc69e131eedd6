/** Assignments as their provider has them: many at once. */
import { type Static, Type } from 'typebox'
import { itemResponse, resourceId, stringEnum, timestamp } from '../lib/schemas.ts'
import { MAX_BATCH_SIZE } from '../shared/limits.ts'
import { monitorStatuses } from '../shared/monitors.ts'

export const AssignedMonitor = Type.Object(
  {
    monitor_id: Type.Integer({ examples: [3] }),
    friendly_name: Type.String({ examples: ['Shop'] }),
    url: Type.String({ examples: ['https://example.com/'] }),
    status: stringEnum(monitorStatuses, { examples: ['up'] }),
    enabled: Type.Boolean({ examples: [true] }),
    created_at: Type.String({ ...timestamp, description: 'Of the assignment' }),
  },
  { additionalProperties: false },
)
export type AssignedMonitor = Static<typeof AssignedMonitor>

const monitorIds = Type.Array(resourceId, { minItems: 1, maxItems: MAX_BATCH_SIZE, examples: [[3, 4]] })

export const AssignMonitors = Type.Object(
  { monitor_ids: monitorIds, enabled: Type.Optional(Type.Boolean({ default: true })) },
  { additionalProperties: false },
)

const providerId = Type.Integer({ examples: [7] })

export const AssignedAnswer = itemResponse(
  Type.Object(
    {
      provider_id: providerId,
      assigned: Type.Integer({ description: 'How many are new', examples: [2] }),
      updated: Type.Integer({ description: 'How many were there already', examples: [0] }),
    },
    { additionalProperties: false },
  ),
)

/** In the body or in the query: some clients cannot send a body with DELETE. */
const named = { monitor_ids: Type.Optional(monitorIds) }
export const MonitorsInBody = Type.Object(named, { additionalProperties: false })
export const MonitorsInQuery = Type.Object(named)

export const RemovedAnswer = itemResponse(
  Type.Object(
    {
      provider_id: providerId,
      removed: Type.Integer({ description: 'How many of them were assigned', examples: [2] }),
    },
    { additionalProperties: false },
  ),
)
