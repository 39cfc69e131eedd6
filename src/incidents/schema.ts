import type { Static } from 'typebox'
import { listResponse, nullable, stringEnum, stringEnumOrNull, timestamp, timestampOrNull } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { causes } from '../shared/causes.ts'
import { windowNames } from './window.ts'

const IncidentRecord = Type.Object(
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
    duration_seconds: Type.Integer({ description: 'Until now if the incident is open', examples: [312] }),
    resolution: stringEnumOrNull(['recovered', 'paused'], {
      description: 'null if the incident is open',
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
          incident_id: nullable(Type.Integer({ description: 'null if that incident is not known', examples: [20] })),
        },
        {
          additionalProperties: false,
          description:
            'Set if the monitor that this one depends on was down as well: that monitor and its incident. Alerts about this incident wait until that monitor is up.',
        },
      ),
    ),
  },
  { additionalProperties: false },
)
export type IncidentRecord = Static<typeof IncidentRecord>

const IncidentMeta = Type.Object(
  {
    window: stringEnum(windowNames, { examples: ['24h'] }),
    from: timestamp,
    to: timestamp,
    total: Type.Integer({ examples: [1] }),
    page: Type.Integer({ examples: [1] }),
    pageSize: Type.Integer({ examples: [100] }),
    totalPages: Type.Integer({ examples: [1] }),
    downtime_seconds: Type.Integer({ examples: [312] }),
    uptime_percent: nullable(
      Type.Number({
        description: 'Share of the checked time in which the monitor was up; null if Belfry did not check it',
        examples: [99.639],
      }),
    ),
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
