/**
 * Inserts many monitors that are down, and alerts about them, because creating hundreds through the API takes too long.
 */
import type { AlertFixture, NewAlert } from '../support/alerts.ts'

export interface DownMonitor {
  id: number
  incidentId: number
}

/** Inserts monitors that are named `m1.` and so on. Each has an ongoing incident. */
export async function insertDownMonitors(fixture: AlertFixture, count: number): Promise<DownMonitor[]> {
  const rows = await fixture.server.services.db.query<{ id: number; incidentId: number }>(
    `with added as (
       insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
         remind_every_minutes, http, status, status_changed_at, search_text, created_at, updated_at)
       select user_id, 'm' || n || '.', url, type, interval_seconds, retries, retry_interval_seconds,
         remind_every_minutes, http, 'down', status_changed_at, search_text, created_at, updated_at
         from monitors, generate_series(1, $2) n where id = $1 order by n
       returning user_id, id
     )
     insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at)
     select user_id, id, 'http_status', 'Status 503', $3, $3 from added
     returning monitor_id as id, id as "incidentId"`,
    [fixture.monitorId, count, fixture.clock.now()],
  )
  return rows.sort((a, b) => a.id - b.id)
}

interface NewAlerts {
  channelId: number
  monitors: readonly DownMonitor[]
  event?: 'down' | 'recovered' | undefined
  alert?: NewAlert | undefined
}

/** Adds one alert about each monitor. If the event is `recovered`, resolves the incidents as well. */
export async function insertAlerts({ clock, server }: AlertFixture, alerts: NewAlerts): Promise<void> {
  const { channelId, monitors, event = 'down', alert = {} } = alerts
  const incidentIds = monitors.map(({ incidentId }) => incidentId)
  const { db } = server.services
  if (event === 'recovered') {
    const query = `update incidents set resolved_at = $2, resolution = 'recovered' where id = any ($1)`
    await db.query(query, [incidentIds, clock.now()])
  }
  await db.query(
    `insert into alerts (user_id, monitor_id, provider_id, event, incident_id, title, body, created_at, next_attempt_at)
     select p.user_id, m.id, p.id, $2, case when $2 <> 'certificate' then m.incident_id end, coalesce($3, $4 || m.id), '', $5, $5
       from providers p, unnest($6::bigint[], $7::bigint[]) as m (id, incident_id)
      where p.id = $1 order by m.id`,
    [
      channelId,
      alert.event ?? event,
      alert.title ?? null,
      event === 'down' ? 'Down: m' : 'Recovered after 1 min: m',
      clock.now(),
      monitors.map(({ id }) => id),
      incidentIds,
    ],
  )
}
