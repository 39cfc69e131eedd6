/** SQL for single maintenances and lists of them. `window-store.ts` has the SQL for their windows. */
import { invalid } from '../lib/problem.ts'
import type { MaintenanceState } from '../shared/maintenances.ts'
import type { Queries } from '../storage/transaction.ts'
import { toTagKeys } from '../tags/tags.ts'
import type { MaintenanceSettings } from './settings.ts'

export interface MaintenanceRow {
  id: number
  user_id: number
  title: string
  note: string | null
  /** The window in progress, or else the next one, or else the last one. */
  starts_at: Date
  ends_at: Date
  cron: string | null
  time_zone: string | null
  duration_seconds: number | null
  recurs_until: Date | null
  all_monitors: boolean
  monitor_ids: number[]
  tags: string[]
  state: MaintenanceState
  created_at: Date
  updated_at: Date
}

/** $1 is the current time. */
const selectMaintenancesSql = `
  select t.id, t.user_id, t.title, t.note, shown.starts_at, shown.ends_at, t.cron, t.time_zone, t.duration_seconds,
         t.recurs_until, t.all_monitors, t.tags, t.created_at, t.updated_at,
         array(select c.monitor_id
                 from maintenance_monitors c
                where c.user_id = t.user_id and c.maintenance_id = t.id
                order by c.monitor_id) as monitor_ids,
         case when shown.ends_at <= $1 then 'past' when shown.starts_at <= $1 then 'active' else 'scheduled' end as state
    from maintenances t
   cross join lateral (
      select w.starts_at, w.ends_at
        from maintenance_windows w
       where w.user_id = t.user_id and w.maintenance_id = t.id
       order by w.ends_at > $1 desc, case when w.ends_at > $1 then w.starts_at end, w.starts_at desc
       limit 1
    ) shown
   where t.user_id = own_team()`

export async function findMaintenance(q: Queries, id: number, now: Date): Promise<MaintenanceRow | undefined> {
  return (
    await q.query<MaintenanceRow & Record<string, unknown>>(`${selectMaintenancesSql} and t.id = $2`, [now, id])
  )[0]
}

/** Returns the newest maintenances first. Call this in a snapshot, so that the page and the total agree. */
export async function readMaintenancePage(
  q: Queries,
  { state, limit, offset, now }: { state: MaintenanceState | undefined; limit: number; offset: number; now: Date },
): Promise<{ rows: MaintenanceRow[]; total: number }> {
  const [page, counted] = await q.batch(
    {
      text: `select * from (${selectMaintenancesSql}) listed
              where $2::text is null or state = $2
              order by id desc
              limit $3 offset $4`,
      values: [now, state, limit, offset],
    },
    {
      text: `select count(*)::int as total from (${selectMaintenancesSql}) listed where $2::text is null or state = $2`,
      values: [now, state],
    },
  )
  return { rows: page?.rows as unknown as MaintenanceRow[], total: counted?.rows[0]?.['total'] ?? 0 }
}

/** Counts the caller's maintenances that are in progress or planned. */
export async function countOpenMaintenances(q: Queries): Promise<number> {
  const [row] = await q.query<{ count: number }>(
    `select count(distinct maintenance_id)::int as count
       from maintenance_windows
      where user_id = own_team() and state <> 'past'`,
  )
  return row?.count ?? 0
}

const toParameters = ({ title, note, recurrence, allMonitors, tags }: MaintenanceSettings, now: Date) => [
  /* $2 */ title,
  /* $3 */ note,
  /* $4 */ recurrence?.cron,
  /* $5 */ recurrence?.timeZone,
  /* $6 */ recurrence?.durationSeconds,
  /* $7 */ recurrence?.until,
  /* $8 */ allMonitors,
  /* $9 */ tags,
  /* $10 */ toTagKeys(tags),
  /* $11 */ now,
]

/** Call this in a transaction that runs as the team `teamId`. */
export async function insertMaintenance(
  q: Queries,
  teamId: number,
  settings: MaintenanceSettings,
  now: Date,
): Promise<number> {
  const [row] = await q.query<{ id: number }>(
    `insert into maintenances (user_id, title, note, cron, time_zone, duration_seconds, recurs_until, all_monitors, tags,
                               tag_keys, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
     returning id`,
    [teamId, ...toParameters(settings, now)],
  )
  return row?.id as number
}

export async function updateMaintenanceRow(
  q: Queries,
  id: number,
  settings: MaintenanceSettings,
  now: Date,
): Promise<void> {
  await q.query(
    `update maintenances
        set title = $2,
            note = $3,
            cron = $4,
            time_zone = $5,
            duration_seconds = $6,
            recurs_until = $7,
            all_monitors = $8,
            tags = $9,
            tag_keys = $10,
            updated_at = $11
      where user_id = own_team() and id = $1`,
    [id, ...toParameters(settings, now)],
  )
}

/** Replaces the list of monitors. Call this in a transaction that runs as the team `teamId`. */
export async function setMaintenanceMonitors(
  q: Queries,
  teamId: number,
  maintenanceId: number,
  monitorIds: readonly number[],
): Promise<void> {
  const [, , known] = await q.batch(
    {
      text: `delete from maintenance_monitors
              where user_id = own_team() and maintenance_id = $1 and monitor_id <> all ($2)`,
      values: [maintenanceId, monitorIds],
    },
    {
      text: `insert into maintenance_monitors (user_id, maintenance_id, monitor_id)
             select m.user_id, $2, m.id
               from monitors m
              where m.user_id = $1 and m.id = any ($3)
              order by m.id
             on conflict do nothing`,
      values: [teamId, maintenanceId, monitorIds],
    },
    {
      text: 'select monitor_id from maintenance_monitors where user_id = own_team() and maintenance_id = $1',
      values: [maintenanceId],
    },
  )
  const knownIds = new Set(known?.rows.map((row) => row['monitor_id']))
  const unknownIds = monitorIds.filter((id) => !knownIds.has(id))
  if (unknownIds.length === 0) return
  throw invalid({
    monitor_ids: [`\`monitor_ids\` contains ids that are not among your monitors: ${unknownIds.join(', ')}.`],
  })
}

/** Returns whether the maintenance existed. */
export async function deleteMaintenanceRow(q: Queries, id: number): Promise<boolean> {
  const [deleted] = await q.batch({
    text: 'delete from maintenances where user_id = own_team() and id = $1',
    values: [id],
  })
  return deleted?.count === 1
}

/** How long past maintenances and windows are kept. */
const RETENTION_DAYS = 366

/** Deletes maintenances whose last window ended long ago, and old windows of other maintenances. Works across users. */
export async function deleteOldMaintenances(q: Queries, now: Date): Promise<void> {
  await q.batch(
    {
      text: `delete from maintenances t
              where not exists (select from maintenance_windows w
                                 where w.user_id = t.user_id and w.maintenance_id = t.id
                                   and (w.state <> 'past' or w.ends_at >= $1::timestamptz - $2 * interval '1 day'))`,
      values: [now, RETENTION_DAYS],
    },
    {
      text: `delete from maintenance_windows
              where state = 'past' and ends_at < $1::timestamptz - $2 * interval '1 day'`,
      values: [now, RETENTION_DAYS],
    },
  )
}
