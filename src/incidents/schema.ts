import type { Static } from 'typebox'
import {
  listResponse,
  nullable,
  PageMeta,
  stringEnum,
  stringEnumOrNull,
  timestamp,
  timestampOrNull,
} from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { causes } from '../shared/causes.ts'
import { diagnoses, impactBases, visitorsStates } from '../shared/impact.ts'
import { MAX_INCIDENT_NOTES, MAX_NOTES_PER_LIST } from '../shared/incidents.ts'
import { uptimePercent } from '../uptime/schema.ts'
import { windowNames } from './window.ts'

const countOrNull = (description: string, example: number) =>
  nullable(Type.Integer({ description, examples: [example] }))

const IncidentImpact = Type.Object(
  {
    visits_expected: countOrNull('Visits that would have begun without the incident', 152),
    visits_low: countOrNull('Lower bound of the expected visits', 107),
    visits_high: countOrNull('Upper bound of the expected visits', 202),
    visits_seen: countOrNull('Visits that began during the incident', 12),
    visits_missed: countOrNull('Expected visits that did not begin', 140),
    visits_missed_low: countOrNull('Lower bound of the missed visits', 95),
    visits_missed_high: countOrNull('Upper bound of the missed visits', 190),
    confidence: Type.Number({
      description: 'The probability that the true number of missed visits is within the bounds',
      examples: [0.9],
    }),
    basis: stringEnum(impactBases, {
      description:
        'Where the numbers come from. They are null for `too_little_traffic`, `too_little_history` (less than two weeks), or `unusual_traffic` (a quiet day, or visits were too unusual before the incident).',
      examples: ['profile'],
    }),
  },
  {
    additionalProperties: false,
    description:
      'What the incident cost, in visits to the host of the monitor. Measured again when late events arrive; final one day after the end. null if it is not measured yet, if none of your websites has this host, or if Belfry could not count visits.',
  },
)

export const IncidentNoteRecord = Type.Object(
  {
    id: Type.Integer({ examples: [8] }),
    text: Type.String({ examples: ['The database was out of disk space.'] }),
    author: Type.String({ description: 'Email of the user who wrote the note', examples: ['ada@example.com'] }),
    created_at: timestamp,
  },
  { additionalProperties: false },
)
export type IncidentNoteRecord = Static<typeof IncidentNoteRecord>

export const IncidentRecord = Type.Object(
  {
    id: Type.Integer({ examples: [21] }),
    monitor_id: Type.Integer({ examples: [3] }),
    status: stringEnum(['open', 'resolved'], { examples: ['resolved'] }),
    cause: stringEnum(causes, { examples: ['http_status'] }),
    detail: Type.String({
      description: 'A sentence that explains the cause',
      examples: ['Status 503, expected 200–399'],
    }),
    started_at: Type.String({ ...timestamp, description: 'Time of the first failed check' }),
    detected_at: Type.String({ ...timestamp, description: 'When retries confirmed the failure' }),
    resolved_at: timestampOrNull,
    duration_seconds: Type.Integer({ description: 'Until now if the incident is ongoing', examples: [312] }),
    resolution: stringEnumOrNull(['recovered', 'paused'], {
      description: 'null if the incident is ongoing',
      examples: ['recovered'],
    }),
    during_maintenance: Type.Boolean({
      description: 'Whether the incident began during a maintenance of the monitor',
      examples: [false],
    }),
    parent: nullable(
      Type.Object(
        {
          monitor_id: Type.Integer({ examples: [2] }),
          incident_id: nullable(
            Type.Integer({ description: 'null if the incident of the parent is not known', examples: [20] }),
          ),
        },
        {
          additionalProperties: false,
          description:
            'The parent of the monitor (`depends_on`) and the incident of the parent, if the parent was down as well; otherwise null. Alerts about this incident wait until the parent is up.',
        },
      ),
    ),
    impact: nullable(IncidentImpact),
    visitors: stringEnumOrNull(visitorsStates, {
      description:
        'Whether visitors confirm the incident: they are gone, or they arrive as usual. `unknown`: too few are expected to tell. null if it is not measured.',
      examples: ['gone'],
    }),
    diagnosis: stringEnumOrNull(diagnoses, {
      description:
        'Why no visits arrive, for the cause `silence`: the page has no tracking snippet, Belfry did not receive events of other websites either, the website is down, or it responds but nobody visits it',
      examples: [null],
    }),
    acknowledged_at: nullable({
      ...timestamp,
      description:
        'When somebody acknowledged the incident. After that, Belfry sends no reminders and no delayed alerts about it.',
    }),
    acknowledged_by: nullable(
      Type.String({
        description:
          'Email of the user who acknowledged it, or the provider whose message had the link to acknowledge the incident',
        examples: ['ada@example.com'],
      }),
    ),
    notes: Type.Array(IncidentNoteRecord, {
      description: `Notes about the incident, oldest first, at most ${MAX_INCIDENT_NOTES}. A list of incidents contains at most ${MAX_NOTES_PER_LIST} notes in total; get the incident to see all of its notes.`,
    }),
  },
  { additionalProperties: false },
)
export type IncidentRecord = Static<typeof IncidentRecord>

const IncidentMeta = Type.Object(
  {
    window: stringEnum(windowNames, { examples: ['24h'] }),
    from: timestamp,
    to: timestamp,
    ...PageMeta.properties,
    downtime_seconds: Type.Integer({ examples: [312] }),
    uptime_percent: uptimePercent,
  },
  { additionalProperties: false },
)

export const IncidentList = listResponse(IncidentRecord, IncidentMeta)
export type IncidentList = Static<typeof IncidentList>

export const IncidentQuery = Type.Object({
  window: Type.Optional(
    stringEnum(windowNames, {
      default: '24h',
      description: 'Ends now. Months and years are calendar months and years.',
    }),
  ),
})
