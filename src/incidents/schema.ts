import { type Static, Type } from 'typebox'
import { listOf, oneOf, oneOfOrNull, orNull, time, timeOrNull } from '../lib/schemas.ts'
import { causes } from '../shared/causes.ts'
import { windowNames } from './window.ts'

const IncidentRecord = Type.Object(
  {
    id: Type.Integer({ examples: [21] }),
    monitor_id: Type.Integer({ examples: [3] }),
    status: oneOf(['open', 'resolved'], { examples: ['resolved'] }),
    cause: oneOf(causes, { examples: ['http_status'] }),
    detail: Type.String({ examples: ['answered 503, expected 200-399'] }),
    started_at: Type.String({ ...time, description: 'The first failed check' }),
    detected_at: Type.String({ ...time, description: 'When it was confirmed' }),
    resolved_at: timeOrNull,
    duration_seconds: Type.Integer({ description: 'Until now while it is open', examples: [312] }),
    resolution: oneOfOrNull(['recovered', 'paused'], {
      description: 'null while it is open',
      examples: ['recovered'],
    }),
  },
  { additionalProperties: false },
)
export type IncidentRecord = Static<typeof IncidentRecord>

const IncidentMeta = Type.Object(
  {
    window: oneOf(windowNames, { examples: ['24h'] }),
    from: time,
    to: time,
    total: Type.Integer({ examples: [1] }),
    page: Type.Integer({ examples: [1] }),
    pageSize: Type.Integer({ examples: [100] }),
    totalPages: Type.Integer({ examples: [1] }),
    downtime_seconds: Type.Integer({ examples: [312] }),
    uptime_percent: orNull(
      Type.Number({
        description: 'Of the time in which the monitor was watched; null when it never was',
        examples: [99.639],
      }),
    ),
  },
  { additionalProperties: false },
)

export const IncidentList = listOf(IncidentRecord, IncidentMeta)
export type IncidentList = Static<typeof IncidentList>

export const IncidentQuery = Type.Object({
  window: Type.Optional(
    oneOf(windowNames, { default: '24h', description: 'Until now; months and years by the calendar' }),
  ),
})
