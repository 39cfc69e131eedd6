/**
 * SQL for recording checks. Most checks only change their monitor's row in `monitor_states` and add a row to `checks`.
 * The others also change the status of the monitor, open or close an incident, or start or end a monitored period.
 *
 * Only monitored periods count towards uptime. In a monitored period, the monitor was checked without gaps and was not
 * in maintenance.
 */
import type { ChangedIncident } from '../alerts/announcements.ts'
import { recordBeats } from '../heartbeats/store.ts'
import { numbersLiteral, textsLiteral } from '../storage/array-literal.ts'
import type { Statement } from '../storage/batch.ts'
import type { Queries } from '../storage/transaction.ts'
import { type CompletedCheck, toBeatResults } from './verdict.ts'

/**
 * Updates only monitors that still have the claim under which the check ran. Results of outdated claims are dropped.
 */
const recordResultsSql = `
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
           unnest($20::text[]) as detail
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
     where s.user_id = r.user_id and s.monitor_id = r.monitor_id and s.claim = r.claim and s.claimed_by = $1
    returning r.*
  ), added_to_history as (
    insert into checks (user_id, monitor_id, checked_at, cause, detail, response_ms, bucket,
                        dns_ms, connect_ms, tls_ms, first_byte_ms, http_status, packet_loss)
    select user_id, monitor_id, started_at, cause, detail, response_ms, bucket,
           dns_ms, connect_ms, tls_ms, first_byte_ms, http_status, packet_loss
      from recorded
  )
  select monitor_id, claim from recorded`

/** Records checks for which `changesMonitor` returns false. */
export async function recordResults(q: Queries, nodeId: number, checks: readonly CompletedCheck[]): Promise<void> {
  const statement = { text: recordResultsSql, values: [nodeId, ...toResultColumns(checks)] }
  await q.batch(statement, ...recordHeartbeats(checks), ...recordDiagnoses(checks))
}

/**
 * Locks the monitors, in the same order as API requests do, which prevents deadlocks. Must run in the transaction that then calls
 * `changeMonitors`. Returns the checks that were recorded.
 */
export async function lockAndRecordResults(
  q: Queries,
  nodeId: number,
  checks: readonly CompletedCheck[],
): Promise<CompletedCheck[]> {
  const [, recorded] = await q.batch(
    {
      text: `select
               from monitors m
               join unnest($1::bigint[], $2::bigint[]) as checked (user_id, id) on m.user_id = checked.user_id and m.id = checked.id
              order by m.user_id, m.id
                for no key update of m`,
      values: [
        numbersLiteral(checks.map(({ claimedCheck }) => claimedCheck.teamId)),
        numbersLiteral(checks.map(({ claimedCheck }) => claimedCheck.monitorId)),
      ],
    },
    { text: recordResultsSql, values: [nodeId, ...toResultColumns(checks)] },
    ...recordHeartbeats(checks),
  )
  const recordedClaims = new Map(recorded?.rows.map(({ monitor_id, claim }) => [monitor_id, claim]))
  return checks.filter(({ claimedCheck }) => recordedClaims.get(claimedCheck.monitorId) === claimedCheck.claimNumber)
}

/**
 * A monitored period must end before the next one starts. So `started_periods` counts the rows of `ended_periods`,
 * which makes PostgreSQL run that part first. The clocks of nodes differ slightly, so `greatest` ensures that nothing
 * ends before it started.
 *
 * If checks resume after a gap, a maintenance may have changed the monitored periods during that gap. So the gap is
 * removed from all monitored periods, not only from the open one. No monitored period starts during a maintenance: the
 * end of the maintenance starts one.
 *
 * Incidents open unannounced. `announceChanges`, in the same transaction, decides whether they are announced.
 */
const changeMonitorsSql = `
  with changes as (
    select *
      from json_to_recordset($1) as c (user_id bigint, monitor_id bigint, status text, event text, cause text, detail text,
             diagnosis text, ended_at timestamptz, monitored_until timestamptz, monitored_from timestamptz, down_since timestamptz)
  ), changed_statuses as (
    update monitors m
       set status = c.status, status_changed_at = c.ended_at
      from changes c
     where m.user_id = c.user_id and m.id = c.monitor_id and m.status <> c.status
  ), ended_periods as (
    update watches w
       set ended_at = greatest(w.started_at, c.monitored_until)
      from changes c
     where w.user_id = c.user_id and w.monitor_id = c.monitor_id
       and (w.ended_at is null or w.ended_at > c.monitored_until) and c.monitored_until is not null
    returning w.monitor_id
  ), started_periods as (
    insert into watches (user_id, monitor_id, started_at)
    select c.user_id, c.monitor_id, c.monitored_from
      from changes c
      join monitors m on m.user_id = c.user_id and m.id = c.monitor_id
     cross join (select count(*) from ended_periods) ended
     where c.monitored_from is not null and (m.maintenance_until is null or m.maintenance_until <= c.monitored_from)
    on conflict do nothing
  ), opened_incidents as (
    insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, during_maintenance, announced_at,
                           diagnosis, measure_at)
    select c.user_id, c.monitor_id, c.cause, c.detail, c.down_since, greatest(c.down_since, c.ended_at),
           m.maintenance_until > c.ended_at is true or is_in_maintenance(c.user_id, c.monitor_id, c.ended_at)
             or is_in_maintenance(c.user_id, c.monitor_id, c.down_since),
           null, c.diagnosis, c.ended_at
      from changes c
      join monitors m on m.user_id = c.user_id and m.id = c.monitor_id
     where c.event = 'down'
    on conflict do nothing
    returning monitor_id, id
  ), closed_incidents as (
    update incidents i
       set resolved_at = greatest(i.started_at, c.ended_at), resolution = 'recovered', remind_at = null, measure_at = c.ended_at
      from changes c
     where i.user_id = c.user_id and i.monitor_id = c.monitor_id and i.resolved_at is null and c.event = 'recovered'
    returning i.monitor_id, i.id
  )
  select monitor_id, id from opened_incidents
   union all
  select monitor_id, id from closed_incidents`

/** Must run in the transaction that has locked the monitors and recorded the checks. Returns the incidents that it opened or closed. */
export async function changeMonitors(q: Queries, checks: readonly CompletedCheck[]): Promise<ChangedIncident[]> {
  if (checks.length === 0) return []
  const changes = checks.map(({ claimedCheck, verdict, result, diagnosis, endedAt, downSince }) => ({
    user_id: claimedCheck.teamId,
    monitor_id: claimedCheck.monitorId,
    status: verdict.status,
    event: verdict.event,
    cause: result.failure?.cause,
    detail: result.failure?.detail.toWellFormed(), // PostgreSQL rejects JSON that contains half of a surrogate pair.
    diagnosis,
    ended_at: endedAt,
    monitored_until: verdict.monitoredUntil,
    monitored_from: verdict.monitoredFrom,
    down_since: downSince,
  }))
  const rows = await q.query<{ monitor_id: number; id: number }>(changeMonitorsSql, [JSON.stringify(changes)])
  const checksByMonitor = new Map(checks.map((check) => [check.claimedCheck.monitorId, check]))
  return rows.map(({ monitor_id: monitorId, id: incidentId }) => {
    const { claimedCheck, endedAt } = checksByMonitor.get(monitorId) as CompletedCheck
    return { teamId: claimedCheck.teamId, monitorId, incidentId, at: endedAt }
  })
}

/** Releases the claims on monitors whose check found nothing new. */
const recordUnchangedSql = `
  with results as (
    select unnest($2::bigint[]) as user_id,
           unnest($3::bigint[]) as monitor_id,
           unnest($4::integer[]) as claim,
           to_timestamp(unnest($5::float8[]) * 0.001) as started_at,
           to_timestamp(unnest($6::float8[]) * 0.001) as next_due_at
  )
  update monitor_states s
     set last_checked_at = r.started_at,
         due_at = least(r.next_due_at, s.recheck_at),
         recheck_at = null,
         waiting_since = null,
         claimed_by = null
    from results r
   where s.user_id = r.user_id and s.monitor_id = r.monitor_id and s.claim = r.claim and s.claimed_by = $1`

export async function recordUnchanged(q: Queries, nodeId: number, checks: readonly CompletedCheck[]): Promise<void> {
  const statement = { text: recordUnchangedSql, values: [nodeId, ...toResultColumns(checks).slice(0, 5)] }
  await q.batch(statement, ...recordHeartbeats(checks))
}

/** Returns the statement that records the beats of these checks, if any, in the transaction that records the checks. */
function recordHeartbeats(checks: readonly CompletedCheck[]): Statement[] {
  const heartbeats = checks.flatMap(({ claimedCheck, heartbeat }) => {
    if (heartbeat === null) return []
    const { teamId, monitorId, claimNumber } = claimedCheck
    return [{ ...heartbeat, teamId, monitorId, claimNumber, beatResults: toBeatResults(heartbeat) }]
  })
  return heartbeats.length === 0 ? [] : [recordBeats(heartbeats)]
}

/**
 * Runs in the transaction that has recorded the checks, and skips checks that it has not recorded. After a new
 * diagnosis of an ongoing incident, the job 'announce incidents' may announce the incident. An announced incident doesn't
 * get the diagnosis `collector`, because that would contradict its alert.
 */
const recordDiagnosesSql = `
  update incidents i
     set diagnosis = r.diagnosis, detail = r.detail, measured_at = null, measure_at = coalesce(i.measure_at, r.ended_at)
    from (select unnest($1::bigint[]) as user_id,
                 unnest($2::bigint[]) as monitor_id,
                 unnest($3::integer[]) as claim,
                 unnest($4::text[]) as diagnosis,
                 unnest($5::text[]) as detail,
                 to_timestamp(unnest($6::float8[]) * 0.001) as ended_at) r
    join monitor_states s on s.user_id = r.user_id and s.monitor_id = r.monitor_id
                         and s.claim = r.claim and s.claimed_by is null
   where i.user_id = r.user_id and i.monitor_id = r.monitor_id and i.resolved_at is null and i.diagnosis <> r.diagnosis
     and (r.diagnosis <> 'collector' or i.announced_at is null)`

function recordDiagnoses(checks: readonly CompletedCheck[]): Statement[] {
  const diagnosedChecks = checks.filter(({ diagnosis }) => diagnosis !== null)
  if (diagnosedChecks.length === 0) return []
  const values = [
    /* $1 user_id */ numbersLiteral(diagnosedChecks.map(({ claimedCheck }) => claimedCheck.teamId)),
    /* $2 monitor_id */ numbersLiteral(diagnosedChecks.map(({ claimedCheck }) => claimedCheck.monitorId)),
    /* $3 claim */ numbersLiteral(diagnosedChecks.map(({ claimedCheck }) => claimedCheck.claimNumber)),
    /* $4 diagnosis */ textsLiteral(diagnosedChecks.map(({ diagnosis }) => diagnosis)),
    /* $5 detail */ textsLiteral(diagnosedChecks.map(({ result }) => result.failure?.detail ?? '')),
    /* $6 ended_at */ numbersLiteral(diagnosedChecks.map(({ endedAt }) => endedAt.getTime())),
  ]
  return [{ text: recordDiagnosesSql, values }]
}

/** Returns the parameters $2 to $20 of `recordResultsSql`. */
function toResultColumns(checks: readonly CompletedCheck[]): string[] {
  const numbers = (pick: (check: CompletedCheck) => number | null) => numbersLiteral(checks.map(pick))
  const texts = (pick: (check: CompletedCheck) => string | null) => textsLiteral(checks.map(pick))
  return [
    /* $2 user_id */ numbers(({ claimedCheck }) => claimedCheck.teamId),
    /* $3 monitor_id */ numbers(({ claimedCheck }) => claimedCheck.monitorId),
    /* $4 claim */ numbers(({ claimedCheck }) => claimedCheck.claimNumber),
    /* $5 started_at */ numbers(({ startedAt }) => startedAt.getTime()),
    /* $6 next_due_at */ numbers(({ nextDueAt }) => nextDueAt.getTime()),
    /* $7 failures */ numbers(({ verdict }) => verdict.failures),
    /* $8 failing_since */ numbers(({ verdict }) => verdict.failingSince?.getTime() ?? null),
    /* $9 tls_expires_at */ numbers(({ expiresAt }) => expiresAt?.getTime() ?? null),
    /* $10 tls_warned_days */ numbers(({ warnedDays }) => warnedDays),
    /* $11 response_ms */ numbers(({ result }) => result.responseMs),
    /* $12 bucket */ numbers(({ bucket }) => bucket),
    /* $13 dns_ms */ numbers(({ result }) => result.timings.dnsMs),
    /* $14 connect_ms */ numbers(({ result }) => result.timings.connectMs),
    /* $15 tls_ms */ numbers(({ result }) => result.timings.tlsMs),
    /* $16 first_byte_ms */ numbers(({ result }) => result.timings.firstByteMs),
    /* $17 http_status */ numbers(({ result }) => result.httpStatus),
    /* $18 packet_loss */ numbers(({ result }) => result.packetLoss),
    /* $19 cause */ texts(({ result }) => result.failure?.cause ?? null),
    /* $20 detail */ texts(({ result }) => result.failure?.detail ?? result.note),
  ]
}
