/** Creates, changes, ends and deletes maintenances. Each change takes effect in the transaction of its request. */
import type { Clock } from '../lib/clock.ts'
import { formatCount } from '../lib/format.ts'
import { invalid, notFound, Problem } from '../lib/problem.ts'
import { MAX_OPEN_MAINTENANCES } from '../shared/maintenances.ts'
import type { Queries } from '../storage/transaction.ts'
import type { CreateMaintenance, MaintenanceRecord, UpdateMaintenance } from './schema.ts'
import {
  type CurrentMaintenance,
  changeMaintenanceSettings,
  createMaintenanceSettings,
  type MaintenanceSettings,
} from './settings.ts'
import {
  countOpenMaintenances,
  deleteMaintenanceRow,
  findMaintenance,
  insertMaintenance,
  type MaintenanceRow,
  setMaintenanceMonitors,
  updateMaintenanceRow,
} from './store.ts'
import { syncMaintenances } from './sync-store.ts'
import {
  deleteScheduledWindows,
  insertWindow,
  lockMaintenances,
  setActiveWindowEnd,
  setWindowState,
  toRecurrence,
} from './window-store.ts'
import { handleDueWindowsOf, scheduleNextWindow } from './windows.ts'

interface Deps {
  clock: Clock
  config: { timeZone: string }
}

/**
 * Locks the caller's maintenances. Then begins and ends the windows that are due, so that their states are current at
 * the returned time.
 */
async function lockAndHandleDueWindows(q: Queries, teamId: number, clock: Clock): Promise<Date> {
  await lockMaintenances(q, teamId)
  const now = clock.now()
  await handleDueWindowsOf(q, teamId, now)
  return now
}

export async function getMaintenance(q: Queries, id: number, now: Date): Promise<MaintenanceRow> {
  const row = await findMaintenance(q, id, now)
  if (row === undefined) throw notFound()
  return row
}

/** Call this in a transaction. */
export async function createMaintenance(
  q: Queries,
  teamId: number,
  input: CreateMaintenance,
  { clock, config }: Deps,
): Promise<MaintenanceRow> {
  const now = await lockAndHandleDueWindows(q, teamId, clock)
  const settings = createMaintenanceSettings(input, { now, defaultTimeZone: config.timeZone })
  if ((await countOpenMaintenances(q)) >= MAX_OPEN_MAINTENANCES) {
    const limit = formatCount(MAX_OPEN_MAINTENANCES)
    throw invalid({
      title: [`You already have ${limit} maintenances that have not ended, which is the limit. Delete one first.`],
    })
  }
  const id = await insertMaintenance(q, teamId, settings, now)
  await setMaintenanceMonitors(q, teamId, id, settings.monitorIds)
  await insertWindow(q, teamId, id, settings.window)
  await handleDueWindowsOf(q, teamId, now)
  return getMaintenance(q, id, now)
}

/** Call this in a transaction. An empty input changes nothing, not even `updated_at`. */
export async function updateMaintenance(
  q: Queries,
  teamId: number,
  { id, input }: { id: number; input: UpdateMaintenance },
  { clock, config }: Deps,
): Promise<MaintenanceRow> {
  const now = await lockAndHandleDueWindows(q, teamId, clock)
  const row = await getMaintenance(q, id, now)
  if (Object.keys(input).length === 0) return row
  const current = toCurrentMaintenance(row)
  const settings = changeMaintenanceSettings(current, input, { now, defaultTimeZone: config.timeZone })
  await updateMaintenanceRow(q, id, settings, now)
  await setMaintenanceMonitors(q, teamId, id, settings.monitorIds)
  await replaceWindows(q, teamId, { id, current, settings, now })
  await handleDueWindowsOf(q, teamId, now)
  await syncMaintenances(q, teamId, { at: now, now })
  return getMaintenance(q, id, now)
}

async function replaceWindows(
  q: Queries,
  teamId: number,
  { id, current, settings, now }: { id: number; current: CurrentMaintenance; settings: MaintenanceSettings; now: Date },
): Promise<void> {
  const { recurrence, window } = settings
  await deleteScheduledWindows(q, teamId, id)
  if (current.state === 'active') {
    await setActiveWindowEnd(q, teamId, id, window.endsAt)
    await scheduleNextWindow(q, teamId, { maintenanceId: id, recurrence, ...window }, now)
  } else if (window.endsAt > now) await insertWindow(q, teamId, id, window)
}

/**
 * Ends the window in progress. Call this in a transaction. Does nothing if the maintenance has already ended, and
 * throws if no window is in progress yet.
 */
export async function endMaintenance(q: Queries, teamId: number, id: number, clock: Clock): Promise<MaintenanceRow> {
  const now = await lockAndHandleDueWindows(q, teamId, clock)
  const row = await getMaintenance(q, id, now)
  if (row.state === 'past') return row
  if (row.state === 'scheduled') {
    throw new Problem('conflict', 'The maintenance is not in progress. Change or delete it instead.')
  }
  await setActiveWindowEnd(q, teamId, id, now)
  await setWindowState(q, teamId, { maintenanceId: id, startsAt: row.starts_at }, 'past')
  await syncMaintenances(q, teamId, { at: now, now })
  return getMaintenance(q, id, now)
}

/** Call this in a transaction. */
export async function deleteMaintenance(q: Queries, teamId: number, id: number, clock: Clock): Promise<void> {
  const now = await lockAndHandleDueWindows(q, teamId, clock)
  if (!(await deleteMaintenanceRow(q, id))) throw notFound()
  await syncMaintenances(q, teamId, { at: now, now })
}

const toCurrentMaintenance = (row: MaintenanceRow): CurrentMaintenance => ({
  title: row.title,
  note: row.note,
  recurrence: toRecurrence(row),
  allMonitors: row.all_monitors,
  monitorIds: row.monitor_ids,
  tags: row.tags,
  window: { startsAt: row.starts_at, endsAt: row.ends_at },
  state: row.state,
})

export function toMaintenanceRecord(row: MaintenanceRow): MaintenanceRecord {
  const { title, note, recurrence, allMonitors, monitorIds, tags, window, state } = toCurrentMaintenance(row)
  return {
    id: row.id,
    title,
    note,
    starts_at: window.startsAt.toISOString(),
    ends_at: window.endsAt.toISOString(),
    recurrence: recurrence && {
      cron: recurrence.cron,
      time_zone: recurrence.timeZone,
      duration_seconds: recurrence.durationSeconds,
      until: recurrence.until?.toISOString() ?? null,
    },
    all_monitors: allMonitors,
    monitor_ids: monitorIds,
    tags,
    state,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
