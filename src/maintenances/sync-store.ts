/**
 * SQL that makes monitors enter and leave maintenances: sets `monitors.maintenance_until`, and removes the time of maintenances
 * from monitored periods, which count towards uptime.
 */
import type { Queries } from '../storage/transaction.ts'

/**
 * Selects the monitors that are in maintenance at the time $2. If a monitor is in several maintenances, `ends_at` is their
 * latest end. `cut_until` is the latest end of those that have begun by $2, and null if none has begun by then.
 *
 * A window that is `active` counts even if it starts after $2. That happens if the start of another window is handled late, or on a
 * node whose clock is slightly behind that of the node that started the window.
 */
const coveredSql = `
  select m.id as monitor_id,
         max(w.ends_at) as ends_at,
         max(w.ends_at) filter (where w.starts_at <= $2) as cut_until
    from maintenance_windows w
    join maintenances t on t.user_id = w.user_id and t.id = w.maintenance_id
    join monitors m on m.user_id = w.user_id
   where w.user_id = $1
     and (w.state = 'active' or w.state = 'scheduled' and w.starts_at <= $2)
     and w.ends_at > $2
     and ($3::bigint[] is null or m.id = any ($3))
     and (t.all_monitors or m.tag_keys && t.tag_keys
          or exists (select from maintenance_monitors c
                      where c.user_id = t.user_id and c.maintenance_id = t.id and c.monitor_id = m.id))
   group by m.id`

/** All transactions lock monitors in the same order, which prevents deadlocks. */
const lockMonitorsSql = `
  with covered as materialized (${coveredSql})
  select
    from monitors m
   where m.user_id = $1
     and ($3::bigint[] is null or m.id = any ($3))
     and (m.maintenance_until is not null or m.id in (select monitor_id from covered))
   order by m.id
     for no key update`

/**
 * Starts a monitored period for each monitor that leaves maintenance with a known status. For a pending monitor, the
 * first check that finds it up or down starts one.
 */
const startMonitoredPeriodsSql = `
  with covered as materialized (${coveredSql})
  insert into watches (user_id, monitor_id, started_at)
  select m.user_id, m.id, $2
    from monitors m
   where m.user_id = $1
     and ($3::bigint[] is null or m.id = any ($3))
     and m.maintenance_until is not null
     and m.id not in (select monitor_id from covered)
     and m.status in ('up', 'down')
     and not exists (select from watches w
                      where w.user_id = m.user_id and w.monitor_id = m.id and (w.ended_at is null or w.ended_at > $2))
  on conflict (user_id, monitor_id, started_at) do update set ended_at = null`

/**
 * Removes the time of the maintenance from monitored periods. An open period continues after the maintenance only if
 * the maintenance has ended by $4, the current time. In that case, Belfry handles the start of the maintenance late,
 * and checks went on as if there were no maintenance.
 */
const cutMonitoredPeriodsSql = `
  with covered as materialized (${coveredSql}
  ), cut as (
    delete from watches w
     using covered c
     where w.user_id = $1 and w.monitor_id = c.monitor_id
       and w.started_at < c.cut_until and (w.ended_at is null or w.ended_at > $2)
    returning w.user_id, w.monitor_id, w.started_at, w.ended_at, c.cut_until
  )
  insert into watches (user_id, monitor_id, started_at, ended_at)
  select user_id, monitor_id, started_at, $2::timestamptz
    from cut
   where started_at < $2
  union all
  select user_id, monitor_id, cut_until, ended_at
    from cut
   where ended_at > cut_until or ended_at is null and cut_until <= $4
  on conflict (user_id, monitor_id, started_at) do update set ended_at = excluded.ended_at`

const setMaintenanceEndsSql = `
  with covered as materialized (${coveredSql})
  update monitors m
     set maintenance_until = c.ends_at
    from monitors own
    left join covered c on c.monitor_id = own.id
   where own.user_id = $1
     and ($3::bigint[] is null or own.id = any ($3))
     and own.maintenance_until is distinct from c.ends_at
     and m.user_id = own.user_id and m.id = own.id`

/**
 * Makes the user's monitors, or only those in `monitorIds`, enter or leave maintenance as of the time `at`. Call this in a
 * transaction, after `lockMaintenances`.
 */
export async function syncMaintenances(
  q: Queries,
  teamId: number,
  { at, now, monitorIds = null }: { at: Date; now: Date; monitorIds?: readonly number[] | null },
): Promise<void> {
  // The first statement locks the rows, and each statement sees what was committed before it. So the other statements
  // see rows that can't change any more.
  await q.batch(
    { text: lockMonitorsSql, values: [teamId, at, monitorIds] },
    { text: startMonitoredPeriodsSql, values: [teamId, at, monitorIds] },
    { text: cutMonitoredPeriodsSql, values: [teamId, at, monitorIds, now] },
    { text: setMaintenanceEndsSql, values: [teamId, at, monitorIds] },
  )
}
