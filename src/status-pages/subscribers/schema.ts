/** Responses of `/api/status-pages/:id/subscribers`, for the owner of the page. */
import type { Static } from 'typebox'
import { listResponse, nullable, resourceId, stringEnum, timestamp, timestampOrNull } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'
import { MAX_PAGE_MONITORS, subscriberStates } from '../../shared/status-pages.ts'

export const SubscriberRecord = Type.Object(
  {
    id: Type.Integer({ examples: [7] }),
    email: Type.String({ examples: ['grace@example.com'] }),
    state: stringEnum(subscriberStates, {
      description:
        '`pending` until the person confirms with the link in the first email. `bounced` after their mail server has rejected three messages in a row.',
      examples: ['confirmed'],
    }),
    monitor_ids: nullable(
      Type.Array(Type.Integer(), { description: 'The monitors that the person follows; null for the whole page' }),
    ),
    created_at: timestamp,
    confirmed_at: timestampOrNull,
  },
  { additionalProperties: false },
)
export type SubscriberRecord = Static<typeof SubscriberRecord>

export const SubscriberQuery = Type.Object({
  search: Type.Optional(Type.String({ description: 'Part of the email address, ignoring case' })),
  state: Type.Optional(stringEnum(subscriberStates)),
  monitor_ids: Type.Optional(
    Type.Array(resourceId, {
      maxItems: MAX_PAGE_MONITORS,
      description: 'Only subscribers who get emails about posts that affect one of these monitors',
      examples: [[3]],
    }),
  ),
})

const count = Type.Integer({ minimum: 0, examples: [12] })

export const SubscriberListResponse = listResponse(
  SubscriberRecord,
  Type.Object(
    {
      page: Type.Integer({ examples: [1] }),
      pageSize: Type.Integer({ examples: [20] }),
      total: Type.Integer({ examples: [3], description: 'Subscribers that match `search`, `state` and `monitor_ids`' }),
      totalPages: Type.Integer({ examples: [1] }),
      counts: Type.Object(
        { pending: count, confirmed: count, bounced: count },
        { additionalProperties: false, description: 'All subscribers of the page, by state' },
      ),
    },
    { additionalProperties: false },
  ),
)
