/**
 * SQL for recording checks that change a status, open or close an incident, start or end a watch, or create alerts. A watch
 * is a period that counts towards uptime: the monitor was checked without gaps and was not in maintenance. One statement
 * makes all of these changes, so they happen completely or not at all.
 */
import { numbersLiteral, textsLiteral } from '../storage/array-literal.ts'
import type { Queries } from '../storage/client.ts'
import type { CheckAlert, CompletedCheck } from './completed-check.ts'
import { recordHeartbeats, toResultColumns } from './record-store.ts'

/**
 * `locked` locks the monitors in the same order as API requests do, which prevents deadlocks. A watch must end before
 * the next one starts: `started_watches` counts the rows of `ended_watches`, so PostgreSQL runs that part first. The
 * clocks of nodes differ slightly, so `greatest` ensures that nothing ends before it started.
 *
 * If checks resume after a gap, the start or end of a maintenance may have ended or started watches during that gap. So the gap is
 * removed from all watches, not only from the open one. No watch starts during a maintenance: its end starts one.
 * `maintenance_until` is read after waiting for the lock, so it includes a maintenance that began during the wait.
 *
 * `downs` decides which incidents are announced now. The others have `announced_at` null, and the job 'announce incidents'
 * announces them later. These are incidents that open during a maintenance, and those of a monitor that depends on another monitor,
 * unless a check since the outage began has found that other monitor up. Silence that Belfry's own collector seems to cause is
 * not announced until the diagnosis changes. An incident that was never announced gets no alert about its recovery, and neither does a
 * channel that got no alert about the incident because it was assigned later. Alerts are deleted after a year, so the alert about a
 * longer outage may be missing: then the channel gets the recovery.
 *
 * An outage may outlast its maintenance and end before the job has announced it, for example because no worker was running.
 * `closed_incidents` then announces it together with its recovery. `held_incidents` are those that were not announced when the
 * statement began. If the job has announced one since then, this statement doesn't see those alerts, but `on conflict do nothing` prevents
 * a second one.
 */
const recordChangesSql = `
  with results as (
    select unnest($2::bigint[]) as user_id,
           unnest($3::bigint[]) as monitor_id,
           unnest($4::integer[]) as claim,
           to_timestamp(unnest($5::float8[]) * 0.001) as started_at,
           to_timestamp(unnest($6::float8[]) * 0.001) as next_due_at,
           unnest($7::integer[]) as failures,
           to_timestamp(unnest($8::float8[]) * 0.001) as failing_since,
           to_timestamp(unnest($9::float8[]) * 0.001) as tls_expires_at,
           unnest($10::smallint[]) as tls_warned_days,
           unnest($11::integer[]) as response_ms,
           unnest($12::smallint[]) as bucket,
           unnest($13::integer[]) as dns_ms,
           unnest($14::integer[]) as connect_ms,
           unnest($15::integer[]) as tls_ms,
           unnest($16::integer[]) as first_byte_ms,
           unnest($17::smallint[]) as http_status,
           unnest($18::smallint[]) as packet_loss,
           unnest($19::text[]) as cause,
           unnest($20::text[]) as detail,
           to_timestamp(unnest($21::float8[]) * 0.001) as ended_at,
           to_timestamp(unnest($22::float8[]) * 0.001) as watch_ended_at,
           to_timestamp(unnest($23::float8[]) * 0.001) as watched_from,
           to_timestamp(unnest($24::float8[]) * 0.001) as down_since,
           unnest($25::text[]) as status,
           unnest($26::text[]) as event,
           unnest($34::text[]) as diagnosis
  ), new_alerts as (
    select unnest($27::bigint[]) as user_id,
           unnest($28::bigint[]) as monitor_id,
           unnest($29::integer[]) as claim,
           unnest($30::text[]) as event,
           unnest($31::text[]) as occurrence,
           unnest($32::text[]) as title,
           unnest($33::text[]) as body
  ), locked as materialized (
    select m.user_id, m.id as monitor_id, m.remind_every_minutes, m.depends_on, m.maintenance_until
      from monitors m
      join results r on r.user_id = m.user_id and r.monitor_id = m.id
     order by m.user_id, m.id
       for no key update of m
  ), recorded as (
    update monitor_states s
       set last_checked_at = r.started_at,
           last_response_ms = r.response_ms,
           last_error = case when r.cause is not null then r.detail end,
           tls_expires_at = r.tls_expires_at,
           tls_warned_days = r.tls_warned_days,
           failures = r.failures,
           failing_since = r.failing_since,
           due_at = least(r.next_due_at, s.recheck_at),
           recheck_at = null,
           waiting_since = null,
           claimed_by = null
      from results r
      join locked l on l.user_id = r.user_id and l.monitor_id = r.monitor_id
     where s.user_id = r.user_id and s.monitor_id = r.monitor_id and s.claim = r.claim and s.claimed_by = $1
    returning r.*
  ), logged as (
    insert into checks (user_id, monitor_id, checked_at, cause, detail, response_ms, bucket,
                        dns_ms, connect_ms, tls_ms, first_byte_ms, http_status, packet_loss)
    select user_id, monitor_id, started_at, cause, detail, response_ms, bucket,
           dns_ms, connect_ms, tls_ms, first_byte_ms, http_status, packet_loss
      from recorded
  ), changed_statuses as (
    update monitors m
       set status = r.status, status_changed_at = r.ended_at
      from recorded r
     where m.user_id = r.user_id and m.id = r.monitor_id and m.status <> r.status
  ), ended_watches as (
    update watches w
       set ended_at = greatest(w.started_at, r.watch_ended_at)
      from recorded r
     where w.user_id = r.user_id and w.monitor_id = r.monitor_id
       and (w.ended_at is null or w.ended_at > r.watch_ended_at) and r.watch_ended_at is not null
    returning w.monitor_id
  ), started_watches as (
    insert into watches (user_id, monitor_id, started_at)
    select r.user_id, r.monitor_id, r.watched_from
      from recorded r
      join locked l on l.user_id = r.user_id and l.monitor_id = r.monitor_id
     cross join (select count(*) from ended_watches) ended
     where r.watched_from is not null and (l.maintenance_until is null or l.maintenance_until <= r.watched_from)
    on conflict do nothing
  ), downs as (
    select r.*, l.remind_every_minutes,
           maintenance.is_active or is_in_maintenance(r.user_id, r.monitor_id, r.down_since) as during_maintenance,
           case when p.status = 'down' then p.id end as parent_monitor_id,
           case when p.status = 'down' then (
             select i.id from incidents i where i.user_id = p.user_id and i.monitor_id = p.id and i.resolved_at is null
           ) end as parent_incident_id,
           not maintenance.is_active and r.diagnosis is distinct from 'collector' and case p.status
             when 'down' then false
             when 'up' then p.type = 'heartbeat' or s.failures = 0 and s.last_checked_at >= r.down_since
             else true
           end as is_announced
      from recorded r
      join locked l on l.user_id = r.user_id and l.monitor_id = r.monitor_id
     cross join lateral (
       select l.maintenance_until > r.ended_at is true or is_in_maintenance(r.user_id, r.monitor_id, r.ended_at) as is_active
     ) maintenance
      left join monitors p on p.user_id = l.user_id and p.id = l.depends_on
      left join monitor_states s on s.user_id = p.user_id and s.monitor_id = p.id
     where r.event = 'down'
  ), opened_incidents as (
    insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, remind_at,
                           during_maintenance, parent_monitor_id, parent_incident_id, announced_at, diagnosis,
                           measure_at)
    select user_id, monitor_id, cause, detail, down_since, greatest(down_since, ended_at),
           case when is_announced and remind_every_minutes > 0
                then ended_at + remind_every_minutes * interval '1 minute'
           end,
           during_maintenance, parent_monitor_id, parent_incident_id,
           case when is_announced then ended_at end, diagnosis, ended_at
      from downs
    on conflict do nothing
    returning user_id, monitor_id, id, during_maintenance, announced_at
  ), held_incidents as materialized (
    select i.user_id, i.monitor_id, i.id
      from incidents i
      join recorded r on r.user_id = i.user_id and r.monitor_id = i.monitor_id
     where i.resolved_at is null and i.announced_at is null and r.event = 'recovered'
  ), closed_incidents as (
    update incidents i
       set resolved_at = greatest(i.started_at, r.ended_at), resolution = 'recovered', remind_at = null,
           measure_at = r.ended_at,
           announced_at = case
             when i.announced_at is null and i.during_maintenance and i.parent_monitor_id is null
                  and i.diagnosis is distinct from 'collector' and coalesce(p.status <> 'down', true)
                  and not (l.maintenance_until > r.ended_at is true or is_in_maintenance(r.user_id, r.monitor_id, r.ended_at))
               then r.ended_at
             else i.announced_at
           end
      from recorded r
      join locked l on l.user_id = r.user_id and l.monitor_id = r.monitor_id
      left join monitors p on p.user_id = l.user_id and p.id = l.depends_on
     where i.user_id = r.user_id and i.monitor_id = r.monitor_id and i.resolved_at is null and r.event = 'recovered'
    returning i.user_id, i.monitor_id, i.id, i.announced_at
  ), created_alerts as (
    insert into alerts (user_id, monitor_id, provider_id, event, incident_id, occurrence, title, body,
                        created_at, delayed_until, next_attempt_at)
    select r.user_id, r.monitor_id, a.provider_id, n.event,
           case n.event when 'down' then coalesce(opened.id, closed.id) when 'recovered' then closed.id end,
           n.occurrence, n.title, n.body, r.ended_at, delay.ends_at, coalesce(delay.ends_at, r.ended_at)
      from recorded r
      join new_alerts n on n.user_id = r.user_id and n.monitor_id = r.monitor_id and n.claim = r.claim
      join assignments a on a.user_id = r.user_id and a.monitor_id = r.monitor_id and a.enabled
      left join opened_incidents opened on opened.user_id = r.user_id and opened.monitor_id = r.monitor_id
      left join closed_incidents closed on closed.user_id = r.user_id and closed.monitor_id = r.monitor_id
      left join held_incidents held on held.user_id = closed.user_id and held.monitor_id = closed.monitor_id
                                   and held.id = closed.id
     cross join lateral (
       select case
         when n.event = 'down' and a.delay_minutes > 0 then r.ended_at + a.delay_minutes * interval '1 minute'
         when n.event = 'certificate' and is_in_maintenance(r.user_id, r.monitor_id, r.ended_at)
           then r.ended_at + interval '1 minute'
       end as ends_at
     ) delay
     where n.event = 'certificate' or opened.announced_at is not null
        or closed.announced_at is not null and held.id is not null
        or n.event = 'recovered' and (
             closed.announced_at < r.ended_at - interval '1 year'
             or closed.announced_at is not null and exists (
                  select from alerts earlier
                   where earlier.user_id = r.user_id and earlier.monitor_id = r.monitor_id and earlier.incident_id = closed.id
                     and earlier.event in ('down', 'reminder') and earlier.provider_id = a.provider_id
                     and earlier.state <> 'skipped'
                )
           )
     order by n.event = 'recovered'
    on conflict do nothing
    returning 1
  )
  select (select count(*) from recorded) as recorded,
         (select count(*) from created_alerts) as alerts,
         (select count(*) from opened_incidents where announced_at is null and not during_maintenance) as held`

export interface RecordedChanges {
  /** Number of recorded results. */
  recorded: number
  /** Number of created alerts. */
  alerts: number
  /** Number of incidents that are not announced yet because of a dependency. */
  held: number
}

export async function recordChanges(
  q: Queries,
  node: number,
  checks: readonly CompletedCheck[],
): Promise<RecordedChanges> {
  const diagnoses = /* $34 diagnosis */ textsLiteral(checks.map(({ diagnosis }) => diagnosis))
  const values = [node, ...toResultColumns(checks), ...toChangeColumns(checks), ...toAlertColumns(checks), diagnoses]
  const [changes] = await q.batch({ text: recordChangesSql, values }, ...recordHeartbeats(checks))
  return (changes?.rows[0] as RecordedChanges | undefined) ?? { recorded: 0, alerts: 0, held: 0 }
}

/** Returns the parameters $21 to $26 of `recordChangesSql`. */
function toChangeColumns(checks: readonly CompletedCheck[]): string[] {
  const times = (pick: (check: CompletedCheck) => Date | null) =>
    numbersLiteral(checks.map((check) => pick(check)?.getTime() ?? null))
  return [
    /* $21 ended_at */ times(({ endedAt }) => endedAt),
    /* $22 watch_ended_at */ times(({ verdict }) => verdict.watchEndedAt),
    /* $23 watched_from */ times(({ verdict }) => verdict.watchedFrom),
    /* $24 down_since */ times(({ downSince }) => downSince),
    /* $25 status */ textsLiteral(checks.map(({ verdict }) => verdict.status)),
    /* $26 event */ textsLiteral(checks.map(({ verdict }) => verdict.event)),
  ]
}

/** Returns the parameters $27 to $33 of `recordChangesSql`. */
function toAlertColumns(checks: readonly CompletedCheck[]): string[] {
  const alerts = checks.flatMap(({ claimedCheck, alerts }) => alerts.map((alert) => ({ claimedCheck, alert })))
  const texts = (pick: (alert: CheckAlert) => string) => textsLiteral(alerts.map(({ alert }) => pick(alert)))
  return [
    /* $27 user_id */ numbersLiteral(alerts.map(({ claimedCheck }) => claimedCheck.userId)),
    /* $28 monitor_id */ numbersLiteral(alerts.map(({ claimedCheck }) => claimedCheck.monitorId)),
    /* $29 claim */ numbersLiteral(alerts.map(({ claimedCheck }) => claimedCheck.claimNumber)),
    /* $30 event */ texts(({ event }) => event),
    /* $31 occurrence */ texts(({ occurrence }) => occurrence),
    /* $32 title */ texts(({ title }) => title),
    /* $33 body */ texts(({ body }) => body),
  ]
}
