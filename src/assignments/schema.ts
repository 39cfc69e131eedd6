import { type Static, Type } from 'typebox'
import { itemResponse, listResponse, resourceId, stringEnum, timestamp } from '../lib/schemas.ts'
import { providerTypes } from '../providers/kinds.ts'

const AssignmentRecord = Type.Object(
  {
    monitor_id: Type.Integer({ examples: [3] }),
    provider_id: Type.Integer({ examples: [7] }),
    provider_type: stringEnum(providerTypes, { examples: ['slack'] }),
    enabled: Type.Boolean({ examples: [true] }),
    created_at: timestamp,
  },
  { additionalProperties: false },
)
export type AssignmentRecord = Static<typeof AssignmentRecord>

export const AssignmentAnswer = itemResponse(AssignmentRecord)
export const AssignmentList = listResponse(
  AssignmentRecord,
  Type.Object({ total: Type.Integer({ examples: [1] }) }, { additionalProperties: false }),
)

const providerId = Type.Integer({ ...resourceId, examples: [7] })

export const PutAssignment = Type.Object(
  { provider_id: providerId, enabled: Type.Optional(Type.Boolean({ default: true })) },
  { additionalProperties: false },
)

/** In the body or in the query: some clients cannot send a body with DELETE. */
const named = { provider_id: Type.Optional(providerId) }
export const ProviderInBody = Type.Object(named, { additionalProperties: false })
export const ProviderInQuery = Type.Object(named)

export const DeletedAssignment = Type.Object(
  {
    monitor_id: Type.Integer({ examples: [3] }),
    provider_id: Type.Integer({ examples: [7] }),
    object: Type.Literal('assignment'),
    deleted: Type.Literal(true),
  },
  { additionalProperties: false },
)
