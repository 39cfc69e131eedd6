/** SQL for the state of heartbeats, and for processing the beats that wait in the inbox. */
import type { HeartbeatOptions } from '../monitors/option-schemas.ts'
import { MAX_LISTED_BEATS, type MonitorStatus } from '../shared/monitors.ts'
import { numbersLiteral, textsLiteral } from '../storage/array-literal.ts'
import type { Statement } from '../storage/batch.ts'
import type { Queries } from '../storage/transaction.ts'
import type { Beat, BeatKind, RunState } from './beats.ts'
import type { HeartbeatUpdate } from './evaluate.ts'

export interface HeartbeatKey {
  teamId: number
  monitorId: number
}

interface StoredHeartbeatRow {
  user_id: number
  monitor_id: number
  status: MonitorStatus
  status_changed_at: Date
  options: HeartbeatOptions
  waiting_since: Date | null
  last_beat_at: Date | null
  run_started_at: Date | null
  expected_from: Date | null
  schedule: string | null
  /** For each beat: its id, the time in milliseconds, its kind and exit code, and whether it is a failure. */
  beats: [number, number, BeatKind, number | null, boolean][]
}

export interface StoredHeartbeat extends HeartbeatKey, RunState {
  status: MonitorStatus
  statusChangedAt: Date
  options: HeartbeatOptions
  waitingSince: Date | null
  expectedFrom: Date | null
  scheduleText: string | null
  /** At most `MAX_WAITING_BEATS`. */
  waitingBeats: Beat[]
}

/** How many waiting beats of one heartbeat are processed together. */
export const MAX_WAITING_BEATS = 500

/** Reads heartbeats with the beats in their inbox. Skips monitors of other types. */
export async function readHeartbeats(q: Queries, keys: readonly HeartbeatKey[]): Promise<StoredHeartbeat[]> {
  const rows = await q.query<StoredHeartbeatRow>(
    `with wanted as (
       select unnest($1::bigint[]) as user_id, unnest($2::bigint[]) as monitor_id
     )
     select m.user_id, m.id as monitor_id, m.status, m.status_changed_at, m.options, s.waiting_since,
            h.last_beat_at, h.run_started_at, h.expected_from, h.schedule, inbox.beats
       from wanted w
       join monitors m on m.user_id = w.user_id and m.id = w.monitor_id and m.type = 'heartbeat'
       join monitor_states s on s.user_id = w.user_id and s.monitor_id = w.monitor_id
       left join heartbeats h on h.user_id = w.user_id and h.monitor_id = w.monitor_id
      cross join lateral (
        select coalesce(
                 json_agg(json_build_array(i.id, extract(epoch from i.received_at) * 1000, i.kind, i.exit_code, i.is_failure)),
                 '[]'
               ) as beats
          from (select *
                  from beat_inbox
                 where user_id = w.user_id and monitor_id = w.monitor_id
                 order by id
                 limit $3) i
      ) inbox`,
    [
      numbersLiteral(keys.map(({ teamId }) => teamId)),
      numbersLiteral(keys.map(({ monitorId }) => monitorId)),
      MAX_WAITING_BEATS,
    ],
  )
  return rows.map((row) => ({
    teamId: row.user_id,
    monitorId: row.monitor_id,
    status: row.status,
    statusChangedAt: row.status_changed_at,
    options: row.options,
    waitingSince: row.waiting_since,
    lastBeatAt: row.last_beat_at,
    runStartedAt: row.run_started_at,
    expectedFrom: row.expected_from,
    scheduleText: row.schedule,
    waitingBeats: row.beats.map(([id, ms, kind, exitCode, isFailure]) => ({
      id,
      receivedAt: new Date(ms),
      kind,
      exitCode,
      isFailure,
    })),
  }))
}

/** A row of a beat in the monitor's history, the table `checks`. */
export interface BeatResult {
  receivedAt: Date
  responseMs: number | null
  /** Histogram bucket of `responseMs`. */
  bucket: number | null
  failure: { cause: string; detail: string } | null
}

/** What is stored about a heartbeat whose check was recorded. */
export interface RecordedHeartbeat extends HeartbeatKey, HeartbeatUpdate {
  /** The number of the claim under which the check ran. */
  claimNumber: number
  /** The rows that the monitor's history gets in addition to the result of the check. */
  beatResults: readonly BeatResult[]
}

/**
 * One in this many checks of a heartbeat deletes the beats beyond `MAX_LISTED_BEATS`, and so does each check that
 * processes at least this many beats.
 */
const TRIM_INTERVAL = 16

/**
 * Runs in the transaction that has recorded the checks. A check was recorded if its monitor still has its claim number and is no
 * longer claimed; otherwise its beats stay in the inbox for the next check.
 */
const recordBeatsSql = `
  with evaluated as (
    select e.*
      from (select unnest($1::bigint[]) as user_id,
                   unnest($2::bigint[]) as monitor_id,
                   unnest($3::integer[]) as claim,
                   to_timestamp(unnest($4::float8[]) * 0.001) as last_beat_at,
                   to_timestamp(unnest($5::float8[]) * 0.001) as run_started_at,
                   to_timestamp(unnest($6::float8[]) * 0.001) as expected_from,
                   unnest($7::text[]) as schedule,
                   unnest($8::boolean[]) as is_trimmed) e
      join monitor_states s on s.user_id = e.user_id and s.monitor_id = e.monitor_id
                           and s.claim = e.claim and s.claimed_by is null
  ), processed as (
    select unnest($9::bigint[]) as user_id,
           unnest($10::bigint[]) as monitor_id,
           unnest($11::bigint[]) as id,
           unnest($12::bigint[]) as duration_ms
  ), removed as (
    delete from beat_inbox i
     using processed p, evaluated e
     where i.user_id = p.user_id and i.monitor_id = p.monitor_id and i.id = p.id
       and e.user_id = p.user_id and e.monitor_id = p.monitor_id
    returning i.*, p.duration_ms
  ), kept as (
    insert into beats (user_id, monitor_id, id, received_at, kind, exit_code, is_failure, duration_ms)
    select user_id, monitor_id, id, received_at, kind, exit_code, is_failure, duration_ms
      from removed
  ), trimmed as (
    delete from beats b
     using evaluated e
     where e.is_trimmed and b.user_id = e.user_id and b.monitor_id = e.monitor_id
       and b.id < (select id
                     from beats
                    where user_id = e.user_id and monitor_id = e.monitor_id
                    order by id desc
                   offset $13
                    limit 1)
  ), added_to_history as (
    insert into checks (user_id, monitor_id, checked_at, cause, detail, response_ms, bucket)
    select r.user_id, r.monitor_id, r.checked_at, r.cause, r.detail, r.response_ms, r.bucket
      from (select unnest($14::bigint[]) as user_id,
                   unnest($15::bigint[]) as monitor_id,
                   to_timestamp(unnest($16::float8[]) * 0.001) as checked_at,
                   unnest($17::text[]) as cause,
                   unnest($18::text[]) as detail,
                   unnest($19::integer[]) as response_ms,
                   unnest($20::smallint[]) as bucket) r
      join evaluated e on e.user_id = r.user_id and e.monitor_id = r.monitor_id
  ), outputs as (
    select distinct on (user_id, monitor_id) user_id, monitor_id, output, received_at
      from removed
     where output is not null
     order by user_id, monitor_id, received_at desc, id desc
  )
  insert into heartbeats as h (user_id, monitor_id, last_beat_at, run_started_at, expected_from, schedule,
                               last_output, last_output_at)
  select e.user_id, e.monitor_id, e.last_beat_at, e.run_started_at, e.expected_from, e.schedule, o.output, o.received_at
    from evaluated e
    left join outputs o on o.user_id = e.user_id and o.monitor_id = e.monitor_id
  on conflict (user_id, monitor_id) do update
    set last_beat_at = excluded.last_beat_at,
        run_started_at = excluded.run_started_at,
        expected_from = excluded.expected_from,
        schedule = excluded.schedule,
        last_output = coalesce(excluded.last_output, h.last_output),
        last_output_at = coalesce(excluded.last_output_at, h.last_output_at)`

export function recordBeats(evaluations: readonly RecordedHeartbeat[]): Statement {
  const processed = evaluations.flatMap(({ processedBeats, ...key }) =>
    processedBeats.map((beat) => ({ ...key, beat })),
  )
  const results = evaluations.flatMap(({ beatResults, ...key }) => beatResults.map((result) => ({ ...key, result })))
  const times = (pick: (evaluation: RecordedHeartbeat) => Date | null) =>
    numbersLiteral(evaluations.map((evaluation) => pick(evaluation)?.getTime() ?? null))
  // The claim number counts the checks of this monitor. The ids of beats can't replace it, because all heartbeats share one sequence of
  // ids.
  const isTrimmed = ({ claimNumber, processedBeats }: RecordedHeartbeat) =>
    claimNumber % TRIM_INTERVAL === 0 || processedBeats.length >= TRIM_INTERVAL
  return {
    text: recordBeatsSql,
    values: [
      /* $1 user_id */ numbersLiteral(evaluations.map(({ teamId }) => teamId)),
      /* $2 monitor_id */ numbersLiteral(evaluations.map(({ monitorId }) => monitorId)),
      /* $3 claim */ numbersLiteral(evaluations.map(({ claimNumber }) => claimNumber)),
      /* $4 last_beat_at */ times(({ run }) => run.lastBeatAt),
      /* $5 run_started_at */ times(({ run }) => run.runStartedAt),
      /* $6 expected_from */ times(({ expectedFrom }) => expectedFrom),
      /* $7 schedule */ textsLiteral(evaluations.map(({ scheduleText }) => scheduleText)),
      /* $8 is_trimmed */ textsLiteral(evaluations.map((evaluation) => String(isTrimmed(evaluation)))),
      /* $9 user_id */ numbersLiteral(processed.map(({ teamId }) => teamId)),
      /* $10 monitor_id */ numbersLiteral(processed.map(({ monitorId }) => monitorId)),
      /* $11 id */ numbersLiteral(processed.map(({ beat }) => beat.id)),
      /* $12 duration_ms */ numbersLiteral(processed.map(({ beat }) => beat.durationMs)),
      /* $13 */ MAX_LISTED_BEATS - 1,
      /* $14 user_id */ numbersLiteral(results.map(({ teamId }) => teamId)),
      /* $15 monitor_id */ numbersLiteral(results.map(({ monitorId }) => monitorId)),
      /* $16 checked_at */ numbersLiteral(results.map(({ result }) => result.receivedAt.getTime())),
      /* $17 cause */ textsLiteral(results.map(({ result }) => result.failure?.cause ?? null)),
      /* $18 detail */ textsLiteral(results.map(({ result }) => result.failure?.detail ?? null)),
      /* $19 response_ms */ numbersLiteral(results.map(({ result }) => result.responseMs)),
      /* $20 bucket */ numbersLiteral(results.map(({ result }) => result.bucket)),
    ],
  }
}
