/** The status page as JSON: `/status/{slug}.json`. */
import type { Static } from 'typebox'
import { itemResponse, nullable, stringEnum, timestamp, timestampOrNull } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'
import { overallStates, postStates, publicMonitorStates, STATUS_PAGE_DAYS } from '../../shared/status-pages.ts'

const noOtherFields = { additionalProperties: false }
const id = Type.Integer({ examples: [3] })
const label = Type.String({ examples: ['Shop'] })
const labels = Type.Array(Type.String(), { description: 'The affected monitors', examples: [['Shop']] })
const percent = (description: string) => nullable(Type.Number({ description, examples: [99.987] }))

const PublicDay = Type.Object(
  {
    date: Type.String({ format: 'date', examples: ['2026-11-16'] }),
    uptime_percent: percent('null if the monitor was not active on that day'),
    downtime_seconds: Type.Integer({ examples: [312] }),
  },
  noOtherFields,
)

const PublicMonitor = Type.Object(
  {
    id,
    label,
    state: stringEnum(publicMonitorStates, { examples: ['up'] }),
    since: { ...timestampOrNull, description: 'When the state began; null if that is not known' },
    uptime: Type.Object(
      {
        '24h': percent('null if the monitor was not active in the last 24 hours'),
        '30d': percent('null if the monitor was not active in the last 30 days'),
        '90d': percent('null if the monitor was not active in the last 90 days'),
      },
      noOtherFields,
    ),
    monitored_since: {
      ...timestampOrNull,
      description: `When monitoring began, if that was in the last ${STATUS_PAGE_DAYS} days; otherwise null`,
    },
    response_ms: Type.Optional(
      nullable(
        Type.Integer({
          description: 'Average of the last 24 hours. Only if the page shows response times',
          examples: [184],
        }),
      ),
    ),
    days: Type.Array(PublicDay, {
      description: `The last ${STATUS_PAGE_DAYS} days in the page's time zone, today last`,
    }),
  },
  noOtherFields,
)

const PublicIncident = Type.Object(
  {
    monitor_id: id,
    label,
    started_at: timestamp,
    resolved_at: { ...timestampOrNull, description: 'null: the incident is ongoing' },
    duration_seconds: nullable(Type.Integer({ description: 'null: the incident is ongoing', examples: [312] })),
  },
  noOtherFields,
)

const PublicMaintenance = Type.Object(
  {
    id,
    title: Type.String({ examples: ['Database upgrade'] }),
    note: nullable(Type.String()),
    starts_at: timestamp,
    ends_at: timestamp,
    is_active: Type.Boolean(),
    is_recurring: Type.Boolean(),
    labels,
  },
  noOtherFields,
)

const postState = stringEnum(postStates, { examples: ['resolved'] })

const PublicPost = Type.Object(
  {
    id,
    title: Type.String({ examples: ['Orders fail'] }),
    state: postState,
    created_at: timestamp,
    resolved_at: timestampOrNull,
    labels,
    updates: Type.Array(
      Type.Object(
        {
          id,
          state: postState,
          body: Type.String({ description: 'Markdown', examples: ['We are **back**.'] }),
          body_html: Type.String({
            description: '`body` as HTML without scripts, images and styles',
            examples: ['<p>We are <strong>back</strong>.</p>'],
          }),
          created_at: timestamp,
        },
        noOtherFields,
      ),
      { description: 'Oldest first' },
    ),
  },
  noOtherFields,
)

const PublicStatus = Type.Object(
  {
    page: Type.Object(
      {
        title: Type.String({ examples: ['Example status'] }),
        description: nullable(Type.String()),
        url: Type.String({
          description: 'An absolute URL if the server has a public URL, otherwise a path',
          examples: ['https://status.example.com/'],
        }),
        history_url: Type.String({
          description: 'The incident history of the current month',
          examples: ['https://status.example.com/status/example/history'],
        }),
        time_zone: Type.String({ examples: ['Europe/Berlin'] }),
      },
      noOtherFields,
    ),
    status: stringEnum(overallStates, {
      description:
        '`incident`: no monitor is down, but a post is not resolved yet. `unknown`: all monitors are paused or have no result yet',
      examples: ['up'],
    }),
    status_text: Type.String({ examples: ['All systems operational'] }),
    updated_at: { ...timestamp, description: 'When the data was read' },
    groups: Type.Array(
      Type.Object({ name: Type.String({ examples: ['Website'] }), monitors: Type.Array(PublicMonitor) }, noOtherFields),
    ),
    incidents: Type.Array(PublicIncident, { description: 'Ongoing incidents, and those of the last 30 days' }),
    maintenances: Type.Array(PublicMaintenance, {
      description: 'Maintenances in progress, and those planned for the next 14 days',
    }),
    posts: Type.Array(PublicPost, { description: 'Open posts, and those of the last 30 days' }),
  },
  noOtherFields,
)

export const PublicStatusResponse = itemResponse(PublicStatus)
export type PublicStatusResponse = Static<typeof PublicStatusResponse>

const PublicHistory = Type.Object(
  {
    month: Type.String({ description: "In the page's time zone", examples: ['2026-11'] }),
    incidents: Type.Array(PublicIncident, { description: 'Incidents that began in this month, newest first' }),
    maintenances: Type.Array(PublicMaintenance, { description: 'Maintenances that began in this month, newest first' }),
    posts: Type.Array(PublicPost, { description: 'Posts that were published in this month, newest first' }),
  },
  noOtherFields,
)

export const PublicHistoryResponse = itemResponse(PublicHistory)
export type PublicHistoryResponse = Static<typeof PublicHistoryResponse>
