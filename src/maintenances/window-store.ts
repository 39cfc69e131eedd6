/**
 * SQL for the windows of maintenances. Statements have the user as a parameter, so that both requests and the worker can use them.
 *
 * A window is `scheduled`, then `active`, then `past`. Its monitors enter and leave the maintenance when its state changes: at the
 * planned time, or as soon as possible after it.
 */
import type { Queries } from '../storage/transaction.ts'
import type { MaintenanceWindow, Recurrence } from './recurrence.ts'

/**
 * Locks the user's row until the end of the transaction. Every transaction that changes which monitors are in maintenance calls
 * this first. Returns whether the user has a maintenance that is in progress or planned.
 */
export async function lockMaintenances(q: Queries, teamId: number): Promise<boolean> {
  const [, windows] = await q.batch(
    { text: 'select lock_team($1)', values: [teamId] },
    {
      text: `select exists (select from maintenance_windows where user_id = $1 and state <> 'past') as "isAny"`,
      values: [teamId],
    },
  )
  return windows?.rows[0]?.['isAny'] === true
}

/** When the next state of a window is due. The expression must stay like this, because an index is defined on it. */
const edgeSql = `(case state when 'scheduled' then starts_at else ends_at end)`

/** Returns users with windows whose state is due to change. Works across users. */
export async function listUsersWithDueWindows(q: Queries, now: Date): Promise<number[]> {
  const rows = await q.query<{ user_id: number }>(
    `select distinct user_id from maintenance_windows where state <> 'past' and ${edgeSql} <= $1`,
    [now],
  )
  return rows.map(({ user_id }) => user_id)
}

export interface DueWindow extends MaintenanceWindow {
  maintenanceId: number
  state: 'scheduled' | 'active'
  recurrence: Recurrence | null
}

/** Returns the user's window whose state must change first. Call this after `lockMaintenances`. */
export async function findDueWindow(q: Queries, teamId: number, now: Date): Promise<DueWindow | undefined> {
  const [row] = await q.query(
    `select w.maintenance_id, w.starts_at, w.ends_at, w.state, t.cron, t.time_zone, t.duration_seconds, t.recurs_until
       from maintenance_windows w
       join maintenances t on t.user_id = w.user_id and t.id = w.maintenance_id
      where w.user_id = $1 and w.state <> 'past' and ${edgeSql} <= $2
      order by ${edgeSql}, w.maintenance_id
      limit 1`,
    [teamId, now],
  )
  return (
    row && {
      maintenanceId: row['maintenance_id'],
      startsAt: row['starts_at'],
      endsAt: row['ends_at'],
      state: row['state'],
      recurrence: toRecurrence(row as RecurrenceColumns),
    }
  )
}

export interface RecurrenceColumns {
  cron: string | null
  time_zone: string | null
  duration_seconds: number | null
  recurs_until: Date | null
}

export function toRecurrence(row: RecurrenceColumns): Recurrence | null {
  const { cron, time_zone: timeZone, duration_seconds: durationSeconds, recurs_until: until } = row
  return cron === null || timeZone === null || durationSeconds === null
    ? null
    : { cron, timeZone, durationSeconds, until }
}

export async function setWindowState(
  q: Queries,
  teamId: number,
  { maintenanceId, startsAt }: Pick<DueWindow, 'maintenanceId' | 'startsAt'>,
  state: 'active' | 'past',
): Promise<void> {
  await q.query(
    'update maintenance_windows set state = $4 where user_id = $1 and maintenance_id = $2 and starts_at = $3',
    [teamId, maintenanceId, startsAt, state],
  )
}

export async function insertWindow(
  q: Queries,
  teamId: number,
  maintenanceId: number,
  { startsAt, endsAt }: MaintenanceWindow,
): Promise<void> {
  await q.query(
    `insert into maintenance_windows (user_id, maintenance_id, starts_at, ends_at, state)
     values ($1, $2, $3, $4, 'scheduled')
     on conflict do nothing`,
    [teamId, maintenanceId, startsAt, endsAt],
  )
}

export async function deleteScheduledWindows(q: Queries, teamId: number, maintenanceId: number): Promise<void> {
  await q.query(`delete from maintenance_windows where user_id = $1 and maintenance_id = $2 and state = 'scheduled'`, [
    teamId,
    maintenanceId,
  ])
}

/** Changes the end of the window in progress. Returns whether there is one. */
export async function setActiveWindowEnd(
  q: Queries,
  teamId: number,
  maintenanceId: number,
  endsAt: Date,
): Promise<boolean> {
  const [updated] = await q.batch({
    text: `update maintenance_windows
              set ends_at = $3
            where user_id = $1 and maintenance_id = $2 and state = 'active'`,
    values: [teamId, maintenanceId, endsAt],
  })
  return updated?.count === 1
}
