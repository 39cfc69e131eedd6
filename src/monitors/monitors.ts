/** Creates, changes and deletes monitors. */
import { isDeepStrictEqual } from 'node:util'
import { assignChannels, lockDefaultChannels } from '../assignments/store.ts'
import type { Config } from '../config/config.ts'
import { endIncidentsAndMonitoredPeriods, rescheduleReminder } from '../incidents/store.ts'
import type { Clock } from '../lib/clock.ts'
import { FieldParser } from '../lib/field-parser.ts'
import { invalid, notFound } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { syncMaintenances } from '../maintenances/sync-store.ts'
import { lockMaintenances } from '../maintenances/window-store.ts'
import type { MonitorStatus } from '../shared/monitors.ts'
import { MAX_TAGS } from '../shared/tags.ts'
import { lockOwnTeam } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import { addTags, parseTags, removeTags, toTagKeys } from '../tags/tags.ts'
import { createTokenHint, toBeatToken, toMonitorColumns, toMonitorSettings, toSearchText } from './record.ts'
import type { BulkActionRequest, UpdateMonitor } from './schema.ts'
import { changeSettings, type MonitorSettings } from './settings.ts'
import {
  clearCheckState,
  deleteMonitors,
  findMonitor,
  insertMonitor,
  listDependencyIds,
  lockMonitor,
  lockMonitors,
  lockTags,
  type MonitorRow,
  rescheduleChecks,
  setMonitorsActive,
  updateMonitorRow,
  updateTags,
} from './store.ts'

interface Deps {
  clock: Clock
  secret: Secret
}

/** Call this in a transaction. */
export async function createMonitor(
  q: Queries,
  teamId: number,
  { settings, isActive, websiteId = null }: { settings: MonitorSettings; isActive: boolean; websiteId?: number | null },
  { clock, secret }: Deps,
): Promise<MonitorRow> {
  // Lock the channels first: the insert locks the user's row in `monitor_counts` until the end of the transaction.
  // `assignMonitors` also begins with the channels. The same order everywhere prevents deadlocks.
  const channelIds = await lockDefaultChannels(q)
  const hasMaintenances = await lockMaintenances(q, teamId)
  const now = clock.now()
  await requireValidDependency(q, null, settings.dependsOn)
  const id = await insertMonitor(q, teamId, {
    monitor: { ...toMonitorColumns(settings, teamId, secret), ...toBeatToken(settings, teamId, secret) },
    searchText: toSearchText(settings),
    status: isActive ? 'pending' : 'paused',
    now,
    websiteId,
  })
  await assignChannels(q, { teamId, monitorId: id, channelIds, now })
  if (hasMaintenances) await syncMaintenances(q, teamId, { at: now, now, monitorIds: [id] })
  return getMonitor(q, id)
}

export async function getMonitor(q: Queries, id: number): Promise<MonitorRow> {
  const row = await findMonitor(q, id)
  if (row === undefined) throw notFound()
  return row
}

/** Call this in a transaction. An empty input changes nothing, not even `updated_at`. */
export async function updateMonitor(
  q: Queries,
  teamId: number,
  { id, input }: { id: number; input: UpdateMonitor },
  { clock, config, secret }: Deps & { config: Pick<Config, 'rdapUrl'> },
): Promise<MonitorRow> {
  const hasMaintenances = input.tags !== undefined && (await lockMaintenances(q, teamId))
  const row = await lockMonitor(q, id)
  if (row === undefined) throw notFound()
  if (Object.keys(input).length === 0) return row
  const now = clock.now()
  const previousSettings = toMonitorSettings(row, secret)
  const settings = changeSettings(previousSettings, withoutOwnUrl(input, row, secret), { rdapUrl: config.rdapUrl })
  if (settings.dependsOn !== row.depends_on) await requireValidDependency(q, id, settings.dependsOn)
  const hasNewType = settings.type !== row.type
  const hasSameHeaders = isDeepStrictEqual(settings.http?.headers, previousSettings.http?.headers)
  const status = decideNextStatus(row.status, input.is_active, hasNewType)
  await updateMonitorRow(q, id, {
    monitor: {
      ...toMonitorColumns(settings, row.user_id, secret),
      // The same headers keep their ciphertext, so that the audit log sees no change.
      ...(hasSameHeaders && { http_headers: row.http_headers }),
      ...toBeatToken(settings, row.user_id, secret, row),
    },
    searchText: toSearchText(settings),
    status,
    now,
  })
  if (status !== row.status) await endIncidentsAndMonitoredPeriods(q, [id], now)
  if (settings.remindEvery !== previousSettings.remindEvery) await rescheduleReminder(q, id, settings.remindEvery, now)
  if (hasNewType) await clearCheckState(q, id)
  if (status !== row.status || !hasSameCheckSettings(settings, previousSettings))
    await restartChecks(q, [id], status !== 'paused', now)
  if (hasMaintenances) await syncMaintenances(q, teamId, { at: now, now, monitorIds: [id] })
  return getMonitor(q, id)
}

/** Clients may send back what they read. The URL of a heartbeat is read-only, so sending the same one changes nothing. */
function withoutOwnUrl(input: UpdateMonitor, { beat_token, user_id }: MonitorRow, secret: Secret): UpdateMonitor {
  if (beat_token === null) return input
  const token = secret.unseal('beat token', user_id, beat_token)
  if (![token, createTokenHint(token)].some((segment) => input.url?.endsWith(`/beat/${segment}`))) return input
  const { url: _, ...otherFields } = input
  return otherFields
}

/** Whether both settings run the same check at the same times. */
function hasSameCheckSettings(a: MonitorSettings, b: MonitorSettings): boolean {
  const { friendlyName: _, remindEvery: __, tags: ___, dependsOn: ____, ...checkSettings } = a
  return isDeepStrictEqual({ ...b, ...checkSettings }, b)
}

/**
 * After a bulk change, the first checks of the monitors are spread over this time, so that they do not start together.
 */
const SPREAD_SECONDS = 3

async function restartChecks(q: Queries, ids: readonly number[], isActive: boolean, now: Date): Promise<void> {
  const spreadSeconds = ids.length > 1 ? SPREAD_SECONDS : 0
  await rescheduleChecks(q, ids, isActive ? { from: now, spreadSeconds } : { from: null, spreadSeconds: 0 })
}

/** A resumed monitor, or one with a new type, is pending until checks show whether it is up or down. */
function decideNextStatus(status: MonitorStatus, isActive = status !== 'paused', hasNewType = false): MonitorStatus {
  if (!isActive) return 'paused'
  return status === 'paused' || hasNewType ? 'pending' : status
}

export async function deleteMonitor(q: Queries, id: number): Promise<void> {
  if ((await deleteMonitors(q, [id])).length === 0) throw notFound()
}

/** Call this in a transaction. Returns the ids that exist. */
export async function applyBulkAction(
  q: Queries,
  teamId: number,
  { ids, action, tags }: BulkActionRequest,
  clock: Clock,
): Promise<number[]> {
  if (action === 'add_tags' || action === 'remove_tags') {
    const hasMaintenances = await lockMaintenances(q, teamId)
    const now = clock.now()
    const existingIds = await changeTags(q, { ids, action, tags }, now)
    if (hasMaintenances) await syncMaintenances(q, teamId, { at: now, now, monitorIds: existingIds })
    return existingIds
  }
  if (tags !== undefined) throw invalid({ tags: ['`tags` is only allowed for the actions add_tags and remove_tags.'] })
  if (action === 'delete') return deleteMonitors(q, ids)
  const existingIds = await lockMonitors(q, ids)
  const now = clock.now()
  const changedIds = await setMonitorsActive(q, existingIds, action === 'resume', now)
  if (action === 'pause') await endIncidentsAndMonitoredPeriods(q, changedIds, now)
  await restartChecks(q, changedIds, action === 'resume', now)
  return existingIds
}

/** Call this in a transaction. Returns the ids that exist. */
async function changeTags(
  q: Queries,
  {
    ids,
    action,
    tags: sentTags,
  }: { ids: readonly number[]; action: 'add_tags' | 'remove_tags'; tags: readonly string[] | undefined },
  now: Date,
): Promise<number[]> {
  const parser = new FieldParser()
  const tags = parser.parse('tags', sentTags, parseTags) ?? []
  if (sentTags === undefined) parser.addErrors('tags', [`is required for the action ${action}`])
  parser.throwIfInvalid()
  const change = action === 'add_tags' ? addTags : removeTags
  const monitors = await lockTags(q, ids)
  const changedMonitors = monitors
    .map(({ id, tags: current }) => ({ id, current, tags: change(current, tags) }))
    .filter(({ current, tags }) => current.length !== tags.length)
    .map(({ id, tags }) => ({ id, tags, tagKeys: toTagKeys(tags) }))
  const tooMany = changedMonitors.find(({ tags }) => tags.length > MAX_TAGS)
  if (tooMany !== undefined) {
    throw invalid({ tags: [`Monitor ${tooMany.id} would have more than ${MAX_TAGS} tags. Nothing was changed.`] })
  }
  await updateTags(q, changedMonitors, now)
  return monitors.map(({ id }) => id)
}

/**
 * Throws if a monitor can't depend on `dependsOn`: it must be another monitor of the same user, and dependencies must
 * not form a cycle. Call this in a transaction. It locks the caller's row, because two changes at the same time could
 * form a cycle that neither of them would see. `monitorId` is null for a new monitor, on which no monitor can depend
 * yet.
 */
async function requireValidDependency(q: Queries, monitorId: number | null, dependsOn: number | null): Promise<void> {
  if (dependsOn === null) return
  if (dependsOn === monitorId) throw invalid({ depends_on: ['`depends_on` must be another monitor.'] })
  await lockOwnTeam(q)
  const ids = await listDependencyIds(q, dependsOn)
  if (ids.length === 0) throw invalid({ depends_on: ['`depends_on` is not one of your monitors.'] })
  if (monitorId !== null && ids.includes(monitorId)) {
    throw invalid({ depends_on: ['`depends_on` must not be a monitor that depends on this one.'] })
  }
}
