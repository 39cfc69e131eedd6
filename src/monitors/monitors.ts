/** Monitors made, changed and removed by their owner. */
import { isDeepStrictEqual } from 'node:util'
import { assignProviders, lockDefaultProviders } from '../assignments/store.ts'
import { rescheduleReminder, stopWatching } from '../incidents/store.ts'
import type { Clock } from '../lib/clock.ts'
import { notFound } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import type { MonitorStatus } from '../shared/monitors.ts'
import type { Queries } from '../storage/client.ts'
import { toMonitorColumns, toSearchText, toSettings } from './record.ts'
import type { BulkAction, UpdateMonitor } from './schema.ts'
import { changeSettings, type MonitorSettings } from './settings.ts'
import {
  clearCheckState,
  deleteMonitors,
  findMonitor,
  insertMonitor,
  lockMonitor,
  lockMonitors,
  type MonitorRow,
  reschedule,
  setActive,
  updateMonitorRow,
} from './store.ts'

interface Deps {
  clock: Clock
  secret: Secret
}

/** Needs a transaction. */
export async function createMonitor(
  q: Queries,
  userId: number,
  { settings, isActive }: { settings: MonitorSettings; isActive: boolean },
  { clock, secret }: Deps,
): Promise<MonitorRow> {
  const now = clock.now()
  // Before the insert, which locks the count of monitors: deleting goes the same way, from providers to monitors.
  const providerIds = await lockDefaultProviders(q)
  const id = await insertMonitor(q, userId, {
    monitor: toMonitorColumns(settings, userId, secret),
    searchText: toSearchText(settings),
    status: isActive ? 'pending' : 'paused',
    now,
  })
  await assignProviders(q, { userId, monitorId: id, providerIds, now })
  return getMonitor(q, id)
}

export async function getMonitor(q: Queries, id: number): Promise<MonitorRow> {
  const row = await findMonitor(q, id)
  if (row === undefined) throw notFound()
  return row
}

/** Needs a transaction. Whoever sends nothing changes nothing, not even the time of the last change. */
export async function updateMonitor(
  q: Queries,
  id: number,
  input: UpdateMonitor,
  { clock, secret }: Deps,
): Promise<MonitorRow> {
  const row = await lockMonitor(q, id)
  if (row === undefined) throw notFound()
  if (Object.keys(input).length === 0) return row
  const now = clock.now()
  const before = toSettings(row, secret)
  const settings = changeSettings(before, input)
  const isOther = settings.type !== row.type
  const status = nextStatus(row.status, input.is_active, isOther)
  await updateMonitorRow(q, id, {
    monitor: toMonitorColumns(settings, row.user_id, secret),
    searchText: toSearchText(settings),
    status,
    now,
  })
  if (status !== row.status) await stopWatching(q, [id], now)
  if (settings.remindEvery !== before.remindEvery) await rescheduleReminder(q, id, settings.remindEvery, now)
  if (isOther) await clearCheckState(q, id)
  if (status !== row.status || !isCheckedAlike(settings, before)) await startAnew(q, [id], status !== 'paused', now)
  return getMonitor(q, id)
}

/** Whether a check of the one is a check of the other. */
function isCheckedAlike(one: MonitorSettings, other: MonitorSettings): boolean {
  const { friendlyName: _, remindEvery: __, ...checked } = one
  return isDeepStrictEqual({ ...other, ...checked }, other)
}

/** A few seconds for many, so that they do not all begin in the same moment. */
const SPREAD_SECONDS = 3

async function startAnew(q: Queries, ids: readonly number[], isActive: boolean, now: Date): Promise<void> {
  const spreadSeconds = ids.length > 1 ? SPREAD_SECONDS : 0
  await reschedule(q, ids, isActive ? { from: now, spreadSeconds } : { from: null, spreadSeconds: 0 })
}

/** Whatever begins anew waits for its first verdict. */
function nextStatus(status: MonitorStatus, isActive = status !== 'paused', isOther = false): MonitorStatus {
  if (!isActive) return 'paused'
  return status === 'paused' || isOther ? 'pending' : status
}

export async function deleteMonitor(q: Queries, id: number): Promise<void> {
  if ((await deleteMonitors(q, [id])).length === 0) throw notFound()
}

/** Needs a transaction. Answers with the ids of those that were there. */
export async function applyBulkAction(
  q: Queries,
  ids: readonly number[],
  action: BulkAction,
  clock: Clock,
): Promise<number[]> {
  if (action === 'delete') return deleteMonitors(q, ids)
  const found = await lockMonitors(q, ids)
  const now = clock.now()
  const changed = await setActive(q, found, action === 'resume', now)
  if (action === 'pause') await stopWatching(q, changed, now)
  await startAnew(q, changed, action === 'resume', now)
  return found
}
