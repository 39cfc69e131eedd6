/**
 * SQL that polls for recent changes, for all open streams together. These queries can see the rows of all users, so each
 * statement filters by owner. `LiveHub.open` has already checked that the subscriber can see the monitor and the website.
 */

import { downSinceSql } from '../incidents/store.ts'
import type { MonitorStatus } from '../shared/monitors.ts'
import { DAY_MS } from '../shared/time.ts'
import type { Row, Statement } from '../storage/batch.ts'
import type { Queries } from '../storage/transaction.ts'
import type { LiveMonitor } from './schema.ts'

interface OwnedResource {
  teamId: number
  id: number
}

/**
 * Maps a monitor's id to a string of its status and the time when the status last changed. Every change of the status
 * gives another string.
 */
export type StatusVersions = Map<number, string>

/**
 * Parses two array literals. The query returns arrays instead of rows, because parsing thousands of rows each second is
 * slower.
 */
function parseStatusVersions({ monitor_ids, versions }: Row): StatusVersions {
  if (monitor_ids === null) return new Map()
  const versionList: string[] = versions.slice(1, -1).split(',')
  const idList: string[] = monitor_ids.slice(1, -1).split(',')
  return new Map(idList.map((id, index) => [Number(id), versionList[index] as string]))
}

/**
 * Traffic is summed from this day on. It is two days ago in UTC, so that the sum includes today in every time zone, and
 * events of yesterday that are rolled up late.
 */
const toFirstTrafficDay = (now: Date) => new Date(now.getTime() - 2 * DAY_MS).toISOString().slice(0, 10)

export interface LiveMonitorRow {
  id: number
  user_id: number
  status: MonitorStatus
  status_changed_at: Date
  down_since: Date | null
  last_checked_at: Date | null
  last_response_ms: number | null
  last_error: string | null
}

export function toLiveMonitor(row: LiveMonitorRow): LiveMonitor {
  return {
    id: row.id,
    status: row.status,
    status_changed_at: row.status_changed_at.toISOString(),
    down_since: row.down_since?.toISOString() ?? null,
    last_checked_at: row.last_checked_at?.toISOString() ?? null,
    last_response_ms: row.last_response_ms,
    last_error: row.last_error,
  }
}

/**
 * Identifies the state of a user's maintenances that are planned or in progress, and of the monitors in maintenance. Any change
 * results in a different string.
 */
export type MaintenanceVersion = string

const buildMaintenanceVersionSql = (teamIdSql: string) => `
  concat_ws('/',
    (select string_agg(concat_ws('@', t.id, date_part('epoch', t.updated_at), w.state, date_part('epoch', w.starts_at)), ','
                       order by t.id, w.starts_at)
       from maintenance_windows w
       join maintenances t on t.user_id = w.user_id and t.id = w.maintenance_id
      where w.user_id = ${teamIdSql} and w.state <> 'past'),
    (select concat_ws('@', count(*), sum(m.id), date_part('epoch', max(m.maintenance_until)))
       from monitors m
      where m.user_id = ${teamIdSql} and m.maintenance_until is not null))`

/** Identifies which incidents of a user are ongoing, which of them are acknowledged, and the notes about them. */
export type IncidentsVersion = string

const buildIncidentsVersionSql = (teamIdSql: string) => `
  (select concat_ws('@', count(*), sum(i.id), count(i.acknowledged_at), sum(notes.count), max(notes.last_id))
     from incidents i,
          lateral (select count(*) as count, max(n.id) as last_id
                     from incident_notes n
                    where n.user_id = i.user_id and n.monitor_id = i.monitor_id and n.incident_id = i.id) notes
    where i.user_id = ${teamIdSql} and i.resolved_at is null)`

/** Identifies the state of the incident `i`, of its notes and of the alerts about its opening. */
const incidentVersionSql = `
  format('%s@%s@%s@%s@%s@%s', date_part('epoch', i.resolved_at), date_part('epoch', i.acknowledged_at),
    date_part('epoch', i.measured_at), i.reminders,
    (select concat_ws('+', count(*), max(n.id))
       from incident_notes n
      where n.user_id = i.user_id and n.monitor_id = i.monitor_id and n.incident_id = i.id),
    (select string_agg(a.state, ',' order by a.id)
       from alerts a
      where a.user_id = i.user_id and a.monitor_id = i.monitor_id and a.event = 'down' and a.incident_id = i.id))`

interface InitialState {
  /** Whether the caller is a guest of the team, who must not get news about all of it. */
  isGuest: boolean
  statusVersions: StatusVersions
  maintenanceVersion: MaintenanceVersion
  incidentsVersion: IncidentsVersion
  /** undefined if the incident doesn't exist or belongs to another user. */
  incidentVersion: string | undefined
  /** undefined if the monitor doesn't exist or belongs to another user. */
  monitor: Pick<LiveMonitorRow, 'last_checked_at'> | undefined
}

/** Reads the state that the hub compares later polls with. The caller's access rights apply. */
export async function readInitialState(
  q: Queries,
  since: Date,
  { monitorId, incidentId }: { monitorId: number | undefined; incidentId: number | undefined },
): Promise<InitialState> {
  const [changedStatuses, monitor, versions, incident] = await q.batch(
    {
      text: `
        select array_agg(m.id)::text as monitor_ids,
               array_agg(m.status || '@' || date_part('epoch', m.status_changed_at))::text as versions
          from monitors m
         where m.user_id = own_team() and m.status_changed_at >= $1`,
      values: [since],
    },
    {
      text: `
        select s.last_checked_at
          from monitors m
          join monitor_states s on s.user_id = m.user_id and s.monitor_id = m.id
         where m.user_id = own_team() and m.id = $1`,
      values: [monitorId ?? null],
    },
    {
      text: `select ${buildMaintenanceVersionSql('own_team()')} as maintenances,
                    ${buildIncidentsVersionSql('own_team()')} as incidents, own_team() is null as is_guest`,
    },
    {
      text: `select ${incidentVersionSql} as version from incidents i where i.user_id = own_team() and i.id = $1`,
      values: [incidentId ?? null],
    },
  )
  return {
    isGuest: versions?.rows[0]?.['is_guest'] !== false,
    statusVersions: parseStatusVersions(changedStatuses?.rows[0] as Row),
    maintenanceVersion: versions?.rows[0]?.['maintenances'] ?? '',
    incidentsVersion: versions?.rows[0]?.['incidents'] ?? '',
    incidentVersion: incident?.rows[0]?.['version'],
    monitor: monitor?.rows[0] as InitialState['monitor'],
  }
}

/** Returns the sum of a website's recent figures. It changes with every new event, so comparing two sums finds new traffic. */
export async function readTrafficTotal(q: Queries, websiteId: number, now: Date): Promise<number> {
  const [row] = await q.query<{ traffic_total: number }>(
    `select coalesce(sum(d.visitors::bigint + d.views + d.visits + d.events + d.duration_ms), 0)::float8 as traffic_total
       from traffic_days d
      where d.website_id = $1 and d.day >= $2`,
    [websiteId, toFirstTrafficDay(now)],
  )
  return row?.traffic_total ?? 0
}

export interface LiveChangesQuery {
  now: Date
  streams: readonly { teamId: number; sessionId: number; isGuest: boolean; websiteId: number | null }[]
  users: readonly { teamId: number; since: Date }[]
  monitors: readonly OwnedResource[]
  incidents: readonly OwnedResource[]
  websites: readonly OwnedResource[]
}

export interface LiveChanges {
  /** The indexes of those `streams` whose session has not ended, and whose user still has the same access to the team. */
  activeStreams: Set<number>
  statusVersionsByTeam: Map<number, StatusVersions>
  maintenanceVersionByTeam: Map<number, MaintenanceVersion>
  incidentsVersionByTeam: Map<number, IncidentsVersion>
  versionByIncident: Map<number, string>
  monitors: LiveMonitorRow[]
  /** See `readTrafficTotal`. */
  trafficTotalByWebsite: Map<number, number>
}

const teamIdsOf = (items: readonly { teamId: number }[]) => items.map(({ teamId }) => teamId)
const idsOf = (resources: readonly OwnedResource[]) => resources.map(({ id }) => id)

const buildMonitorsQuery = (monitors: readonly OwnedResource[]): Statement => ({
  text: `
    select m.id, m.user_id, m.status, m.status_changed_at, s.last_checked_at, s.last_response_ms, s.last_error,
           ${downSinceSql} as down_since
      from unnest($1::bigint[], $2::bigint[]) as requested (user_id, monitor_id)
      join monitors m on m.user_id = requested.user_id and m.id = requested.monitor_id
      join monitor_states s on s.user_id = m.user_id and s.monitor_id = m.id`,
  values: [teamIdsOf(monitors), idsOf(monitors)],
})

/** Makes only one round trip to the database, no matter how many streams are open. */
export async function readChanges(
  q: Queries,
  { now, streams, users, monitors, incidents, websites }: LiveChangesQuery,
): Promise<LiveChanges> {
  const [activeStreams, changedStatuses, monitorRows, trafficTotals, versions, incidentVersions] = await q.batch(
    {
      text: `
        select requested.number - 1 as index
          from unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::bigint[])
               with ordinality as requested (session_id, team_id, is_guest, website_id, number)
          join sessions s on s.id = requested.session_id and s.expires_at > $5
          join team_members m on m.team_id = requested.team_id and m.user_id = s.user_id
                             and (m.role = 'guest') = requested.is_guest
          join teams t on t.id = m.team_id and (s.is_strong or not t.requires_second_factor)
         where not requested.is_guest or requested.website_id is null
               or exists (select from guest_websites g
                           where g.team_id = m.team_id and g.user_id = m.user_id and g.website_id = requested.website_id)`,
      values: [
        streams.map(({ sessionId }) => sessionId),
        teamIdsOf(streams),
        streams.map(({ isGuest }) => isGuest),
        streams.map(({ websiteId }) => websiteId),
        now,
      ],
    },
    {
      text: `
        select m.user_id,
               array_agg(m.id)::text as monitor_ids,
               array_agg(m.status || '@' || date_part('epoch', m.status_changed_at))::text as versions
          from unnest($1::bigint[], $2::timestamptz[]) as subscribed (user_id, since)
          join monitors m on m.user_id = subscribed.user_id and m.status_changed_at >= subscribed.since
         group by m.user_id`,
      values: [teamIdsOf(users), users.map(({ since }) => since)],
    },
    buildMonitorsQuery(monitors),
    {
      text: `
        select w.id,
               (select coalesce(sum(d.visitors::bigint + d.views + d.visits + d.events + d.duration_ms), 0)::float8
                  from traffic_days d
                 where d.website_id = w.id and d.day >= $3) as traffic_total
          from unnest($1::bigint[], $2::bigint[]) as requested (user_id, website_id)
          join websites w on w.user_id = requested.user_id and w.id = requested.website_id`,
      values: [teamIdsOf(websites), idsOf(websites), toFirstTrafficDay(now)],
    },
    {
      text: `
        select subscribed.user_id, ${buildMaintenanceVersionSql('subscribed.user_id')} as maintenances,
               ${buildIncidentsVersionSql('subscribed.user_id')} as incidents
          from unnest($1::bigint[]) as subscribed (user_id)`,
      values: [teamIdsOf(users)],
    },
    {
      text: `
        select i.id, ${incidentVersionSql} as version
          from unnest($1::bigint[], $2::bigint[]) as requested (user_id, incident_id)
          join incidents i on i.user_id = requested.user_id and i.id = requested.incident_id`,
      values: [teamIdsOf(incidents), idsOf(incidents)],
    },
  )
  return {
    activeStreams: new Set(activeStreams?.rows.map((row) => row['index'])),
    statusVersionsByTeam: new Map(changedStatuses?.rows.map((row) => [row['user_id'], parseStatusVersions(row)])),
    maintenanceVersionByTeam: new Map(versions?.rows.map((row) => [row['user_id'], row['maintenances']])),
    incidentsVersionByTeam: new Map(versions?.rows.map((row) => [row['user_id'], row['incidents']])),
    versionByIncident: new Map(incidentVersions?.rows.map((row) => [row['id'], row['version']])),
    monitors: (monitorRows?.rows ?? []) as LiveMonitorRow[],
    trafficTotalByWebsite: new Map(trafficTotals?.rows.map((row) => [row['id'], row['traffic_total']])),
  }
}

export async function readLiveMonitors(q: Queries, monitors: readonly OwnedResource[]): Promise<LiveMonitorRow[]> {
  return (await q.batch(buildMonitorsQuery(monitors)))[0]?.rows as LiveMonitorRow[]
}

/** Returns the current visitors by user and website. Websites without visitors are omitted. */
export async function readVisitorsNow(
  q: Queries,
  teamIds: readonly number[],
  since: Date,
): Promise<Map<number, Map<number, number>>> {
  const rows = await q.query<{ user_id: number; website_id: number; visitors: number }>(
    `select w.user_id, w.id as website_id, recent.visitors
       from websites w,
            lateral (select count(distinct e.visit_id) as visitors from events e where e.website_id = w.id and e.at > $2) recent
      where w.user_id = any ($1) and recent.visitors > 0`,
    [teamIds, since],
  )
  const visitorsByTeam = new Map<number, Map<number, number>>()
  for (const { user_id, website_id, visitors } of rows) {
    visitorsByTeam.getOrInsertComputed(user_id, () => new Map()).set(website_id, visitors)
  }
  return visitorsByTeam
}
