import type { Static } from 'typebox'
import { itemResponse, nullable, resourceId, stringEnum, timestamp } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { impactBases } from '../shared/impact.ts'

export const incidentParams = Type.Object({ id: resourceId, incident_id: resourceId })

const VisitsSlot = Type.Object(
  {
    starts_at: timestamp,
    seen: Type.Integer({ description: 'Visits that began in the slot', examples: [3] }),
    expected: Type.Number({ description: 'Visits that usually begin in the slot', examples: [12.4] }),
    low: Type.Integer({ description: 'Lower bound of the expected visits', examples: [7] }),
    high: Type.Integer({
      description: 'Upper bound of the expected visits. 90% of the time, the visits are within the bounds',
      examples: [18],
    }),
  },
  { additionalProperties: false },
)

const IncidentVisitsRecord = Type.Object(
  {
    from: { ...timestamp, description: 'About two hours before the incident' },
    to: { ...timestamp, description: 'An hour after the incident, or the end of the last slot that is over' },
    slot_seconds: Type.Integer({ description: 'Length of a slot. Only the last one can be shorter.', examples: [300] }),
    basis: stringEnum(impactBases, {
      description:
        '`too_little_history` if there is less than two weeks of history before the incident, and `unusual_traffic` on quiet days or if visits were too unusual before it. In both cases there are no slots',
      examples: ['profile'],
    }),
    slots: Type.Array(VisitsSlot, { description: 'At most 200', examples: [[]] }),
  },
  { additionalProperties: false },
)
export type IncidentVisitsRecord = Static<typeof IncidentVisitsRecord>
export const IncidentVisitsResponse = itemResponse(IncidentVisitsRecord)

export const OutagesQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      description:
        'The first day, in the time zone of the website, or a time as in RFC 3339. The default is 30 days before `to`. It can be at most one year before `to`.',
      examples: ['2026-01-05'],
    }),
  ),
  to: Type.Optional(
    Type.String({
      description: 'The last day, in the time zone of the website, or a time as in RFC 3339. The default is now.',
      examples: ['2026-02-03T10:00:00Z'],
    }),
  ),
})

const countOrNull = (description: string, example: number) =>
  nullable(Type.Integer({ description, examples: [example] }))

const OutagesRecord = Type.Object(
  {
    website_id: Type.Integer({ examples: [7] }),
    from: timestamp,
    to: timestamp,
    outages: Type.Integer({ description: 'Incidents that overlap count as one outage', examples: [2] }),
    downtime_seconds: Type.Integer({ examples: [840] }),
    visits_expected: countOrNull('Visits that would have begun without the outages', 152),
    visits_seen: countOrNull('Visits that began during the outages', 12),
    visits_missed: countOrNull('Expected visits that did not begin', 140),
    visits_missed_low: countOrNull('Lower bound of the missed visits', 95),
    visits_missed_high: countOrNull('Upper bound of the missed visits', 190),
    confidence: Type.Number({
      description: 'The probability that the true number of missed visits is within the bounds',
      examples: [0.9],
    }),
    basis: stringEnum(impactBases, {
      description: 'Where the numbers come from. They are null unless this is `profile`.',
      examples: ['profile'],
    }),
    outages_without_estimate: Type.Integer({
      description:
        'Outages that are not in the numbers of visits, because there was too little history before them, they were on quiet days, or visits were too unusual before them',
      examples: [0],
    }),
    incidents: Type.Array(Type.Integer(), { description: 'Ids of the incidents, oldest first', examples: [[20, 21]] }),
  },
  { additionalProperties: false },
)
export type OutagesRecord = Static<typeof OutagesRecord>
export const OutagesResponse = itemResponse(OutagesRecord)
