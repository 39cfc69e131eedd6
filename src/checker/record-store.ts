/** SQL for recording checks that change only their monitor's row in `monitor_states`. */
import { recordBeats } from '../heartbeats/store.ts'
import { numbersLiteral, textsLiteral } from '../storage/array-literal.ts'
import type { Statement } from '../storage/batch.ts'
import type { Queries } from '../storage/client.ts'
import { type CompletedCheck, toLoggedBeats } from './completed-check.ts'

/**
 * Updates only monitors that still have the claim under which the check ran. Results of outdated claims are dropped.
 */
const recordStatesSql = `
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
  )
  insert into checks (user_id, monitor_id, checked_at, cause, detail, response_ms, bucket,
                      dns_ms, connect_ms, tls_ms, first_byte_ms, http_status, packet_loss)
  select user_id, monitor_id, started_at, cause, detail, response_ms, bucket,
         dns_ms, connect_ms, tls_ms, first_byte_ms, http_status, packet_loss
    from recorded`

/** Returns how many results were recorded. */
export async function recordStates(q: Queries, node: number, checks: readonly CompletedCheck[]): Promise<number> {
  const statement = { text: recordStatesSql, values: [node, ...toResultColumns(checks)] }
  const [inserted] = await q.batch(statement, ...recordHeartbeats(checks), ...recordDiagnoses(checks))
  return inserted?.count ?? 0
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

export async function recordUnchanged(q: Queries, node: number, checks: readonly CompletedCheck[]): Promise<void> {
  const statement = { text: recordUnchangedSql, values: [node, ...toResultColumns(checks).slice(0, 5)] }
  await q.batch(statement, ...recordHeartbeats(checks))
}

/** Returns the statement that records the beats of these checks, if any, in the transaction that records the checks. */
export function recordHeartbeats(checks: readonly CompletedCheck[]): Statement[] {
  const heartbeats = checks.flatMap(({ claimedCheck, heartbeat }) => {
    if (heartbeat === null) return []
    const { userId, monitorId, claimNumber } = claimedCheck
    return [{ ...heartbeat, userId, monitorId, claimNumber, loggedBeats: toLoggedBeats(heartbeat) }]
  })
  return heartbeats.length === 0 ? [] : [recordBeats(heartbeats)]
}

/**
 * Runs in the transaction that has recorded the checks, and skips checks that it has not recorded. A new diagnosis of an open
 * incident lets the job 'announce incidents' announce it. One that was announced doesn't become a problem of the collector: that
 * would take back what people were told.
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
  const diagnosed = checks.filter(({ diagnosis }) => diagnosis !== null)
  if (diagnosed.length === 0) return []
  const values = [
    /* $1 user_id */ numbersLiteral(diagnosed.map(({ claimedCheck }) => claimedCheck.userId)),
    /* $2 monitor_id */ numbersLiteral(diagnosed.map(({ claimedCheck }) => claimedCheck.monitorId)),
    /* $3 claim */ numbersLiteral(diagnosed.map(({ claimedCheck }) => claimedCheck.claimNumber)),
    /* $4 diagnosis */ textsLiteral(diagnosed.map(({ diagnosis }) => diagnosis)),
    /* $5 detail */ textsLiteral(diagnosed.map(({ result }) => result.failure?.detail ?? '')),
    /* $6 ended_at */ numbersLiteral(diagnosed.map(({ endedAt }) => endedAt.getTime())),
  ]
  return [{ text: recordDiagnosesSql, values }]
}

/** Returns the parameters $2 to $20 of `recordStatesSql` and of `recordChangesSql`. */
export function toResultColumns(checks: readonly CompletedCheck[]): string[] {
  const numbers = (pick: (check: CompletedCheck) => number | null) => numbersLiteral(checks.map(pick))
  const texts = (pick: (check: CompletedCheck) => string | null) => textsLiteral(checks.map(pick))
  return [
    /* $2 user_id */ numbers(({ claimedCheck }) => claimedCheck.userId),
    /* $3 monitor_id */ numbers(({ claimedCheck }) => claimedCheck.monitorId),
    /* $4 claim */ numbers(({ claimedCheck }) => claimedCheck.claimNumber),
    /* $5 started_at */ numbers(({ startedAt }) => startedAt.getTime()),
    /* $6 next_due_at */ numbers(({ nextDueAt }) => nextDueAt.getTime()),
    /* $7 failures */ numbers(({ verdict }) => verdict.failures),
    /* $8 failing_since */ numbers(({ verdict }) => verdict.failingSince?.getTime() ?? null),
    /* $9 tls_expires_at */ numbers(({ tlsExpiresAt }) => tlsExpiresAt?.getTime() ?? null),
    /* $10 tls_warned_days */ numbers(({ tlsWarnedDays }) => tlsWarnedDays),
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
