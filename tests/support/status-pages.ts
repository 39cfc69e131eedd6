/** Inserts status pages, and monitors with a history, directly into the database. */
import type { MonitorStatus } from '../../src/shared/monitors.ts'
import type { PostState, StatusPageTheme } from '../../src/shared/status-pages.ts'
import type { Privacy } from '../../src/shared/websites.ts'
import type { Database } from '../../src/storage/database.ts'

/** The time of a new TestClock. */
const defaultNow = new Date('2026-01-05T10:00:00.000Z')

export interface StatusMonitorOptions {
  name?: string
  url?: string
  status?: MonitorStatus
  tags?: string[]
  lastError?: string | null
  now?: Date
  /** Since when Belfry has checked the monitor without gaps. By default, Belfry has never checked it. */
  monitoredSince?: Date
  /** Periods in which the monitor was down. An incident without `to` is still ongoing. */
  incidents?: { from: Date; to?: Date; detail?: string }[]
}

/** Inserts a monitor of type http. Returns its id. */
export async function insertStatusMonitor(
  db: Database,
  teamId: number,
  options: StatusMonitorOptions = {},
): Promise<number> {
  const { name = 'Shop', url = 'https://example.com/', status = 'up', tags = [], lastError = null } = options
  const { now = defaultNow, monitoredSince, incidents = [] } = options
  const [row] = await db.query<{ id: number }>(
    `with inserted as (
       insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
         remind_every_minutes, http, status, status_changed_at, search_text, tags, tag_keys, created_at, updated_at)
       values ($1, $2, $3, 'http', 60, 2, 5, 0, '{"method": "GET", "keyword": "secret-keyword"}', $4, $5, '', $6, $6, $5, $5)
       returning user_id, id
     )
     insert into monitor_states (user_id, monitor_id, last_checked_at, last_response_ms, last_error)
     select user_id, id, $5, 120, $7 from inserted
     returning monitor_id as id`,
    [teamId, name, url, status, now, tags, lastError],
  )
  const id = row?.id as number
  if (monitoredSince !== undefined) {
    await db.query('insert into watches (user_id, monitor_id, started_at) values ($1, $2, $3)', [
      teamId,
      id,
      monitoredSince,
    ])
  }
  await db.query(
    `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, resolved_at, resolution)
     select $1, $2, 'timeout', i.detail, i.started_at, i.started_at, i.resolved_at,
            case when i.resolved_at is not null then 'recovered' end
       from unnest($3::text[], $4::timestamptz[], $5::timestamptz[]) as i (detail, started_at, resolved_at)`,
    [
      teamId,
      id,
      incidents.map(({ detail }) => detail ?? 'Response took longer than 10 s'),
      incidents.map(({ from }) => from),
      incidents.map(({ to }) => to ?? null),
    ],
  )
  return id
}

/** Stores that a monitor goes down or recovers, with its incident, as the checker does. */
export async function changeStatus(db: Database, monitorId: number, status: 'up' | 'down', now: Date): Promise<void> {
  await db.query('update monitors set status = $2, status_changed_at = $3 where id = $1', [monitorId, status, now])
  await db.query(
    status === 'down'
      ? `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at)
         select user_id, id, 'timeout', 'Response took longer than 10 s', $2, $2 from monitors where id = $1`
      : `update incidents set resolved_at = $2, resolution = 'recovered' where monitor_id = $1 and resolved_at is null`,
    [monitorId, now],
  )
}

export interface StatusPageOptions {
  slug?: string
  title?: string
  description?: string | null
  privacy?: Privacy
  passwordHash?: string | null
  /** A verified domain. */
  customDomain?: string | null
  theme?: StatusPageTheme
  accentColor?: string | null
  timeZone?: string
  showResponseTimes?: boolean
  /** The default is one group `Services` without monitors. */
  groups?: { name: string; monitors: { monitorId: number; label: string }[] }[]
  now?: Date
}

/** Returns the id of the page. */
export async function insertStatusPage(db: Database, teamId: number, options: StatusPageOptions = {}): Promise<number> {
  const { groups = [{ name: 'Services', monitors: [] }], now = defaultNow } = options
  const [row] = await db.query<{ id: number }>(
    `insert into status_pages (user_id, slug, title, description, privacy, password_hash, custom_domain, theme, accent_color,
                               time_zone, show_response_times, created_at, updated_at, content_changed_at,
                               custom_domain_verified_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $12, case when $7::text is not null then $12::timestamptz end)
     returning id`,
    [
      teamId,
      options.slug ?? 'example',
      options.title ?? 'Example status',
      options.description ?? null,
      options.privacy ?? 0,
      options.passwordHash ?? null,
      options.customDomain ?? null,
      options.theme ?? 'auto',
      options.accentColor ?? null,
      options.timeZone ?? 'UTC',
      options.showResponseTimes ?? false,
      now,
    ],
  )
  const pageId = row?.id as number
  await db.query(
    `insert into status_page_groups (user_id, page_id, position, name)
     select $1, $2, place - 1, name from unnest($3::text[]) with ordinality as g (name, place)`,
    [teamId, pageId, groups.map(({ name }) => name)],
  )
  const monitors = groups.flatMap((group, groupPosition) =>
    group.monitors.map((monitor, position) => ({ ...monitor, groupPosition, position })),
  )
  await db.query(
    `insert into status_page_monitors (user_id, page_id, monitor_id, group_position, position, label)
     select $1, $2, * from unnest($3::bigint[], $4::smallint[], $5::smallint[], $6::text[])`,
    [
      teamId,
      pageId,
      monitors.map(({ monitorId }) => monitorId),
      monitors.map(({ groupPosition }) => groupPosition),
      monitors.map(({ position }) => position),
      monitors.map(({ label }) => label),
    ],
  )
  return pageId
}

export interface StatusPostOptions {
  title?: string
  monitorIds?: number[]
  /** The updates, oldest first. The last one decides the state of the post. */
  updates?: { state: PostState; body: string; at?: Date }[]
  now?: Date
}

/** Returns the id of the post. */
export async function insertStatusPost(
  db: Database,
  teamId: number,
  pageId: number,
  options: StatusPostOptions = {},
): Promise<number> {
  const { title = 'Slow responses', monitorIds = [], now = defaultNow } = options
  const { updates = [{ state: 'investigating', body: 'We are looking into it.' }] } = options
  const state = updates.at(-1)?.state ?? 'investigating'
  const [firstAt, lastAt] = [updates[0]?.at ?? now, updates.at(-1)?.at ?? now]
  const [row] = await db.query<{ id: number }>(
    `insert into status_posts (user_id, page_id, title, state, resolved_at, created_at, updated_at)
     values ($1, $2, $3, $4, case when $4 = 'resolved' then $6::timestamptz end, $5, $6)
     returning id`,
    [teamId, pageId, title, state, firstAt, lastAt],
  )
  const postId = row?.id as number
  await db.query(
    'insert into status_post_monitors (user_id, post_id, monitor_id) select $1, $2, unnest($3::bigint[])',
    [teamId, postId, monitorIds],
  )
  await db.query(
    `insert into status_post_updates (user_id, post_id, state, body, created_at, updated_at)
     select $1, $2, u.state, u.body, u.at, u.at
       from unnest($3::text[], $4::text[], $5::timestamptz[]) with ordinality as u (state, body, at, place)
      order by u.place`,
    [teamId, postId, updates.map((u) => u.state), updates.map((u) => u.body), updates.map(({ at }) => at ?? now)],
  )
  return postId
}

export interface StatusMaintenanceOptions {
  title?: string
  note?: string | null
  startsAt: Date
  endsAt: Date
  monitorIds?: number[]
  allMonitors?: boolean
  tags?: string[]
  now?: Date
}

/** Inserts a maintenance with one window. Returns its id. */
export async function insertStatusMaintenance(
  db: Database,
  teamId: number,
  options: StatusMaintenanceOptions,
): Promise<number> {
  const { title = 'Database upgrade', note = null, monitorIds = [], tags = [], now = defaultNow } = options
  const [row] = await db.query<{ id: number }>(
    `with inserted as (
       insert into maintenances (user_id, title, note, all_monitors, tags, tag_keys, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $5, $6, $6)
       returning user_id, id
     ), windows as (
       insert into maintenance_windows (user_id, maintenance_id, starts_at, ends_at, state)
       select user_id, id, $7, $8, 'scheduled' from inserted
     ), listed as (
       insert into maintenance_monitors (user_id, maintenance_id, monitor_id)
       select user_id, id, unnest($9::bigint[]) from inserted
     )
     select id from inserted`,
    [teamId, title, note, options.allMonitors ?? false, tags, now, options.startsAt, options.endsAt, monitorIds],
  )
  return row?.id as number
}

/** Stores a confirmed subscriber of these monitors or, without monitors, of the whole page. */
export async function insertStatusSubscriber(
  db: Database,
  teamId: number,
  pageId: number,
  { email, monitorIds = [], now = defaultNow }: { email: string; monitorIds?: number[]; now?: Date },
): Promise<void> {
  await db.query(
    `with added as (
       insert into status_subscribers (user_id, page_id, email, email_key, state, all_monitors, confirmed_at, created_at)
       values ($1, $2, $3, $3, 'confirmed', $4, $6, $6)
       returning user_id, id
     )
     insert into status_subscriber_monitors (user_id, subscriber_id, monitor_id)
     select user_id, id, unnest($5::bigint[]) from added`,
    [teamId, pageId, email, monitorIds.length === 0, monitorIds, now],
  )
}
