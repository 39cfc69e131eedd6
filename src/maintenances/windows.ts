/** Begins and ends the windows of maintenances at their planned times, and schedules the next windows of recurring ones. */
import { addMs, type Clock } from '../lib/clock.ts'
import { DAY_MS } from '../shared/time.ts'
import type { Database } from '../storage/database.ts'
import type { Queries } from '../storage/transaction.ts'
import { findFirstWindow } from './recurrence.ts'
import { syncMaintenances } from './sync-store.ts'
import {
  type DueWindow,
  findDueWindow,
  insertWindow,
  listUsersWithDueWindows,
  lockMaintenances,
  setWindowState,
} from './window-store.ts'

/** If no worker ran for a long time, windows of recurring maintenances that are older than this are skipped. */
const MAX_CATCH_UP_MS = 7 * DAY_MS

interface WindowDeps {
  db: Database
  clock: Clock
  /** Called after windows have ended, because incidents may now be announced. */
  onEnded(): void
}

/**
 * Begins and ends all windows that are due, each in its own transaction. The state of a window changes in the
 * transaction that applies the change to the monitors, so a crash can neither lose nor repeat the change. An error with
 * the maintenances of one user doesn't affect those of others.
 */
export async function handleDueWindows(deps: WindowDeps, signal: AbortSignal): Promise<void> {
  const errors: unknown[] = []
  for (const teamId of await listUsersWithDueWindows(deps.db, deps.clock.now())) {
    await handleDueWindowsInOrder(deps, teamId, signal).catch((error) => errors.push(error))
  }
  if (errors.length > 0) throw errors[0]
}

async function handleDueWindowsInOrder(
  { db, clock, onEnded }: WindowDeps,
  teamId: number,
  signal: AbortSignal,
): Promise<void> {
  let handledWindow: DueWindow | undefined
  do {
    if (signal.aborted) return
    handledWindow = await db.transaction(async (q) => {
      await lockMaintenances(q, teamId)
      return handleNextDueWindow(q, teamId, clock.now())
    })
    if (handledWindow?.state === 'active') onEnded()
  } while (handledWindow !== undefined)
}

/**
 * Begins and ends all windows of the user that are due, in the transaction of a request. Call this after
 * `lockMaintenances`.
 */
export async function handleDueWindowsOf(q: Queries, teamId: number, now: Date): Promise<void> {
  while ((await handleNextDueWindow(q, teamId, now)) !== undefined);
}

async function handleNextDueWindow(q: Queries, teamId: number, now: Date): Promise<DueWindow | undefined> {
  const window = await findDueWindow(q, teamId, now)
  if (window === undefined) return undefined
  if (window.state === 'scheduled') {
    await setWindowState(q, teamId, window, 'active')
    await syncMaintenances(q, teamId, { at: window.startsAt, now })
    // The next window is stored now, so that it takes effect at its time even if this one ends late.
    await scheduleNextWindow(q, teamId, window, now)
  } else {
    await setWindowState(q, teamId, window, 'past')
    await syncMaintenances(q, teamId, { at: window.endsAt, now })
  }
  return window
}

export async function scheduleNextWindow(
  q: Queries,
  teamId: number,
  { maintenanceId, recurrence, startsAt, endsAt }: Omit<DueWindow, 'state'>,
  now: Date,
): Promise<void> {
  if (recurrence === null) return
  const earliestStart = Math.max(startsAt.getTime() + 1, endsAt.getTime(), addMs(now, -MAX_CATCH_UP_MS).getTime())
  const next = findFirstWindow(recurrence, new Date(earliestStart))
  if (next !== undefined) await insertWindow(q, teamId, maintenanceId, next)
}
