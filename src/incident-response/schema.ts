/** Requests and responses of the incidents of all monitors, their acknowledgement and their notes. */
import type { Static } from 'typebox'
import { alertStates } from '../alerts/schema.ts'
import { channelTypes } from '../channels/kinds.ts'
import { IncidentNoteRecord, IncidentRecord } from '../incidents/schema.ts'
import { itemResponse, listResponse, nullable, PageMeta, resourceId, stringEnum, timestamp } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { causes } from '../shared/causes.ts'
import { incidentStates, MAX_NOTE_LENGTH } from '../shared/incidents.ts'
import { monitorTypes } from '../shared/monitors.ts'
import { TagQuery, TagsRecord } from '../tags/schema.ts'

const NotifiedChannel = Type.Object(
  {
    provider_id: Type.Integer({ examples: [7] }),
    provider_type: stringEnum(channelTypes, { examples: ['slack'] }),
    provider_name: nullable(Type.String({ examples: ['Ops'] })),
    state: stringEnum(alertStates, {
      description:
        'State of the alert that announced the incident, or of the latest reminder if the provider was assigned later. `skipped` alerts are not sent, because within `delay_minutes` the incident ended or was acknowledged, or the provider was unassigned or disabled.',
      examples: ['sent'],
    }),
    at: {
      ...timestamp,
      description:
        'The last attempt to send the alert. Before the first attempt, when it is due; for a `skipped` alert, when it was created.',
    },
    reminders: Type.Integer({ description: 'Reminders that were sent. At most 1,000 are counted.', examples: [0] }),
  },
  { additionalProperties: false },
)

export const AccountIncidentRecord = Type.Object(
  {
    ...IncidentRecord.properties,
    monitor: Type.Object(
      {
        id: Type.Integer({ examples: [3] }),
        friendly_name: Type.String({ examples: ['Shop'] }),
        type: stringEnum(monitorTypes, { examples: ['http'] }),
        url: Type.String({ description: 'Empty for heartbeats', examples: ['https://example.com/'] }),
        tags: TagsRecord,
        is_sample: Type.Boolean({ description: 'Whether its history is generated sample data', examples: [false] }),
      },
      { additionalProperties: false },
    ),
    website: nullable(
      Type.Object(
        {
          id: Type.Integer({ examples: [12] }),
          domain: Type.String({ examples: ['example.com'] }),
          name: Type.String({ description: 'The domain in Unicode', examples: ['example.com'] }),
        },
        {
          additionalProperties: false,
          description: 'The website that the host of the monitor belongs to; null if you have no such website',
        },
      ),
    ),
    notified: Type.Array(NotifiedChannel, {
      description: 'The providers with an alert about the incident. Alerts are kept for a year.',
    }),
  },
  { additionalProperties: false },
)
export type AccountIncidentRecord = Static<typeof AccountIncidentRecord>

export const AccountIncidentResponse = itemResponse(AccountIncidentRecord)

const count = (description: string, example: number) => Type.Integer({ description, examples: [example] })

const AccountIncidentMeta = Type.Object(
  {
    ...PageMeta.properties,
    open: count('Ongoing incidents that match all filters except `state`', 1),
    acknowledged: count('How many of the `open` incidents are acknowledged', 1),
    resolved: count('Resolved incidents that match all filters except `state`', 2),
    sample: count('How many of the `resolved` incidents are sample data', 0),
  },
  { additionalProperties: false },
)

export const AccountIncidentList = listResponse(AccountIncidentRecord, AccountIncidentMeta)
export type AccountIncidentList = Static<typeof AccountIncidentList>

const bound = (description: string, example: string) => Type.Optional(Type.String({ description, examples: [example] }))

export const AccountIncidentQuery = Type.Object({
  state: Type.Optional(
    stringEnum(incidentStates, {
      description:
        '`open` includes acknowledged incidents. `acknowledged` lists only ongoing incidents that are acknowledged.',
    }),
  ),
  cause: Type.Optional(stringEnum(causes)),
  tag: Type.Optional({
    ...TagQuery,
    description:
      'Only incidents of monitors with this tag, ignoring case. The parameter can be repeated: all tags must match.',
  }),
  monitor_id: Type.Optional({ ...resourceId, examples: [3] }),
  website_id: Type.Optional({
    ...resourceId,
    description: 'Only incidents of monitors of this website',
    examples: [12],
  }),
  is_sample: Type.Optional(
    Type.Boolean({
      description: 'Only incidents of the sample monitor if true, and only incidents of other monitors if false',
    }),
  ),
  from: bound(
    'Only incidents that ended after this time (RFC 3339), or on or after this day in the time zone of the server, or are ongoing',
    '2026-01-05',
  ),
  to: bound(
    'Only incidents that began before this time, or on or before this day in the time zone of the server',
    '2026-02-03T10:00:00Z',
  ),
})

export const CreateIncidentNote = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: MAX_NOTE_LENGTH,
      examples: ['The database was out of disk space.'],
    }),
  },
  { additionalProperties: false },
)

export const IncidentNoteResponse = itemResponse(IncidentNoteRecord)
export const noteParams = Type.Object({ id: resourceId, note_id: resourceId })
