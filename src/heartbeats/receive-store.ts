/** SQL for storing received beats. */
import { numbersLiteral, textsLiteral } from '../storage/array-literal.ts'
import type { Database } from '../storage/database.ts'
import type { BeatSignal } from './beats.ts'

export interface ReceivedBeat extends BeatSignal {
  /** Hash of the token, in hexadecimal. */
  tokenHash: string
  receivedAt: Date
  output: string | null
}

/**
 * A beat that may change the status makes its monitor due immediately: a failure of a monitor that is up, a success of one that is
 * down, and the first beat of one that is pending, unless it is a `start`. Other beats are processed at most every two minutes, so
 * a heartbeat costs no more than an HTTP monitor with the default interval, however many beats it gets. If a node is checking the
 * monitor at the moment, that check is repeated at `recheck_at`.
 *
 * `states` locks the rows in the same order as the recorder does, which prevents deadlocks. It also locks monitors that are due, so
 * that no node claims one and reads its inbox before this beat is committed. PostgreSQL evaluates its conditions again after
 * waiting for a lock, so `failures` tells whether the monitor is down even if a node has just recorded that.
 */
const storeBeatsSql = `
  with received as (
    select unnest($1::integer[]) as n,
           decode(unnest($2::text[]), 'hex') as beat_hash,
           to_timestamp(unnest($3::float8[]) * 0.001) as received_at,
           unnest($4::text[]) as kind,
           unnest($5::smallint[]) as exit_code,
           unnest($6::boolean[]) as is_failure,
           unnest($7::text[]) as output
  ), known as materialized (
    select r.*, m.user_id, m.id as monitor_id, m.status
      from received r
      join monitors m on m.beat_hash = r.beat_hash
  ), stored as (
    insert into beat_inbox (user_id, monitor_id, received_at, kind, exit_code, is_failure, output)
    select user_id, monitor_id, received_at, kind, exit_code, is_failure, output
      from known
     where status <> 'paused'
     order by n
  ), beating as (
    select user_id, monitor_id, min(received_at) as received_at, bool_or(status = 'pending' and kind <> 'start') as is_first,
           bool_or(is_failure) as has_failure, bool_or(kind <> 'start' and not is_failure) as has_success
      from known
     where status <> 'paused'
     group by user_id, monitor_id
  ), states as materialized (
    select s.user_id, s.monitor_id, wake.at as wake_at
      from beating b
      join monitor_states s on s.user_id = b.user_id and s.monitor_id = b.monitor_id
     cross join lateral (
       select case when b.is_first or (case when s.failures = 0 then b.has_failure else b.has_success end) then b.received_at
                   when s.due_at = 'infinity' then b.received_at + interval '2 minutes'
                   else greatest(b.received_at, s.last_checked_at + interval '2 minutes')
              end as at
     ) wake
     where wake.at < s.due_at or s.due_at <= b.received_at + interval '1 second'
     order by s.user_id, s.monitor_id
       for update of s
  ), woken as (
    update monitor_states s
       set due_at = case when s.due_at = 'infinity' then s.due_at else w.wake_at end,
           recheck_at = case when s.due_at = 'infinity' then w.wake_at else s.recheck_at end
      from states w
     where s.user_id = w.user_id and s.monitor_id = w.monitor_id
       and w.wake_at < case when s.due_at = 'infinity' then coalesce(s.recheck_at, s.due_at) else s.due_at end
  )
  select n from known`

/** Returns the indexes of the beats whose token is known. Beats of paused monitors are known, but not stored. */
export async function storeBeats(
  db: Database,
  beats: readonly ReceivedBeat[],
  timeoutMs: number,
): Promise<Set<number>> {
  const rows = await db.queryWithin<{ n: number }>(timeoutMs, storeBeatsSql, [
    numbersLiteral(beats.keys().toArray()),
    textsLiteral(beats.map(({ tokenHash }) => tokenHash)),
    numbersLiteral(beats.map(({ receivedAt }) => receivedAt.getTime())),
    textsLiteral(beats.map(({ kind }) => kind)),
    numbersLiteral(beats.map(({ exitCode }) => exitCode)),
    textsLiteral(beats.map(({ isFailure }) => String(isFailure))),
    textsLiteral(beats.map(({ output }) => output)),
  ])
  return new Set(rows.map(({ n }) => n))
}
