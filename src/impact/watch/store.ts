/** SQL for watching the visits of websites, across users. */
import type { Diagnosis } from '../../shared/impact.ts'
import type { MonitorStatus, MonitorType } from '../../shared/monitors.ts'
import type { SpikeDetails } from '../../shared/spike.ts'
import { numbersLiteral } from '../../storage/array-literal.ts'
import type { Queries } from '../../storage/transaction.ts'
import type { TrafficWebsite } from '../history/website-store.ts'
import type { SilenceFit } from '../silence/silence.ts'

/** A website with traffic alerts. */
export interface Watch extends TrafficWebsite {
  monitorId: number
  friendlyName: string
  monitorUrl: string
  status: Exclude<MonitorStatus, 'paused'>
  /** The diagnosis of the ongoing incident; null if there is none. */
  diagnosis: Diagnosis | null
  watchesSilence: boolean
  watchesSpikes: boolean
  /** The website's share of the false alarms that the owner accepts. */
  alarmsAYear: number
  hasFit: boolean
  fittedAt: Date | null
  /** The time of the website's last visit while it is silent, otherwise null. */
  silentAfter: Date | null
  /** The local day of the last alert about a spike. */
  spikeDay: string | null
}

export async function listWatches(q: Queries): Promise<Watch[]> {
  return q.query<Watch & Record<string, unknown>>(
    `select w.id, w.user_id as "teamId", w.domain, w.unicode, w.time_zone as "timeZone", w.quiet_days::text[] as "quietDays", w.holidays,
            m.id as "monitorId", m.friendly_name as "friendlyName", m.url as "monitorUrl", m.status, i.diagnosis,
            w.watch_traffic as "watchesSilence", w.watch_spikes as "watchesSpikes",
            (team.silence_alarms_a_year / greatest(1, count(*) filter (where w.watch_traffic) over (partition by w.user_id)))::float8
              as "alarmsAYear",
            t.fit is not null as "hasFit", t.fitted_at as "fittedAt",
            case when t.silent_since is not null then t.last_visit_at end as "silentAfter", t.spike_day::text as "spikeDay"
       from websites w
       join teams team on team.id = w.user_id
       join monitors m on m.user_id = w.user_id and m.website_id = w.id and m.status <> 'paused'
       left join traffic_watches t on t.user_id = w.user_id and t.website_id = w.id
       left join incidents i on m.status = 'down' and i.user_id = m.user_id and i.monitor_id = m.id and i.resolved_at is null
      where (w.watch_traffic or w.watch_spikes) and not w.is_sample`,
  )
}

/**
 * Returns whether web nodes store events now. While they don't, missing visits carry no information about a website.
 */
export async function isCollecting(q: Queries): Promise<boolean> {
  const [row] = await q.query<{ is_collecting: boolean }>(
    `select exists (select from beat_reception where receiving_until > now() - interval '10 seconds') as is_collecting`,
  )
  return row?.is_collecting === true
}

const FIT_VERSION: SilenceFit['version'] = 1

/** Leaves out fits of another version of Belfry. */
export async function readFits(q: Queries, websites: readonly TrafficWebsite[]): Promise<Map<number, SilenceFit>> {
  const rows = await q.query<{ website_id: number; fit: SilenceFit | null }>(
    `select t.website_id, t.fit
       from unnest($1::bigint[], $2::bigint[]) w (user_id, id)
       join traffic_watches t on t.user_id = w.user_id and t.website_id = w.id`,
    toKeyColumns(websites),
  )
  return new Map(rows.flatMap(({ website_id, fit }) => (fit?.version === FIT_VERSION ? [[website_id, fit]] : [])))
}

/** Does nothing if the website was deleted in the meantime. */
export async function saveFit(
  q: Queries,
  { id, teamId }: TrafficWebsite,
  fit: SilenceFit | undefined,
  now: Date,
): Promise<void> {
  await q.query(
    `insert into traffic_watches (user_id, website_id, fit, fitted_at)
     select user_id, id, $3, $4 from websites where user_id = $1 and id = $2
     on conflict (user_id, website_id) do update set fit = excluded.fit, fitted_at = excluded.fitted_at`,
    [teamId, id, fit === undefined ? null : JSON.stringify(fit), now],
  )
}

/** The monitors with an ongoing incident, of users who watch a website. */
export async function listMonitorsDown(q: Queries): Promise<{ teamId: number; type: MonitorType; url: string }[]> {
  return q.query(
    `select m.user_id as "teamId", m.type, m.url
       from incidents i
       join monitors m on m.user_id = i.user_id and m.id = i.monitor_id
      where i.resolved_at is null and m.type not in ('traffic', 'heartbeat')
        and exists (select from websites w where w.user_id = m.user_id and (w.watch_traffic or w.watch_spikes))`,
  )
}

/** A period in which missing visits carry no information about a website. */
export interface ExcludedSpan {
  startedAt: Date
  endedAt: Date
}

/** Returns the maintenance windows of the website's monitor. */
export async function listMaintenanceSpans(
  q: Queries,
  { teamId, monitorId }: Pick<Watch, 'teamId' | 'monitorId'>,
  from: Date,
  to: Date,
): Promise<ExcludedSpan[]> {
  return q.query<ExcludedSpan & Record<string, unknown>>(
    `select w.starts_at as "startedAt", w.ends_at as "endedAt"
       from maintenance_windows w
       join maintenances t on t.user_id = w.user_id and t.id = w.maintenance_id
       join monitors m on m.user_id = w.user_id and m.id = $2
      where w.user_id = $1 and w.ends_at > $3 and w.starts_at < $4
        and (t.all_monitors
             or m.tag_keys && t.tag_keys
             or exists (select from maintenance_monitors c
                         where c.user_id = t.user_id and c.maintenance_id = t.id and c.monitor_id = m.id))`,
    [teamId, monitorId, from, to],
  )
}

export async function listCollectionGaps(q: Queries, from: Date, to: Date): Promise<ExcludedSpan[]> {
  return q.query<ExcludedSpan & Record<string, unknown>>(
    `select started_at as "startedAt", ended_at as "endedAt"
       from collection_gaps
      where ended_at > $1 and started_at < $2`,
    [from, to],
  )
}

export interface NewSilence {
  watch: Watch
  lastVisitAt: Date
  silentSince: Date
}

export async function saveSilences(q: Queries, silences: readonly NewSilence[]): Promise<void> {
  await q.query(
    `update traffic_watches t
        set last_visit_at = n.last_visit_at, silent_since = n.silent_since
       from unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::timestamptz[])
         as n (user_id, website_id, last_visit_at, silent_since)
      where t.user_id = n.user_id and t.website_id = n.website_id and t.silent_since is null`,
    [
      ...toKeyColumns(silences.map(({ watch }) => watch)),
      silences.map(({ lastVisitAt }) => lastVisitAt),
      silences.map(({ silentSince }) => silentSince),
    ],
  )
}

export async function endSilences(q: Queries, watches: readonly Watch[]): Promise<void> {
  await q.query(
    `update traffic_watches t
        set last_visit_at = null, silent_since = null
       from unnest($1::bigint[], $2::bigint[]) w (user_id, id)
      where t.user_id = w.user_id and t.website_id = w.id`,
    toKeyColumns(watches),
  )
}

function toKeyColumns(websites: readonly Pick<TrafficWebsite, 'teamId' | 'id'>[]): string[] {
  return [numbersLiteral(websites.map(({ teamId }) => teamId)), numbersLiteral(websites.map(({ id }) => id))]
}

/**
 * Stores the alerts about a spike, at most once for each local day of the website, and none during a maintenance. Returns the number
 * of alerts.
 */
export async function insertSpikeAlerts(
  q: Queries,
  { teamId, id, monitorId }: Watch,
  alert: { day: string; title: string; body: string; details: SpikeDetails },
  now: Date,
): Promise<number> {
  const rows = await q.query(
    `with marked as (
       update traffic_watches
          set spike_day = $4
        where user_id = $1 and website_id = $2 and spike_day is distinct from $4 and not is_in_maintenance($1, $3, $8)
       returning user_id
     )
     insert into alerts (user_id, monitor_id, provider_id, event, occurrence, title, body, details, created_at, next_attempt_at)
     select a.user_id, a.monitor_id, a.provider_id, 'spike', $4::date::text, $5, $6, $7, $8, $8
       from marked
       join assignments a on a.user_id = marked.user_id and a.monitor_id = $3 and a.enabled
     on conflict do nothing
     returning id`,
    [teamId, id, monitorId, alert.day, alert.title, alert.body, JSON.stringify(alert.details), now],
  )
  return rows.length
}
