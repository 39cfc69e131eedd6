/** Decides for single websites whether a silence begins or ends. */
import type { Queries } from '../../storage/transaction.ts'
import { readVisitHistory } from '../history/read-visit-history.ts'
import { SLOT_MS } from '../model/visit-history.ts'
import type { HoursOfZone } from '../watch/zone-hours.ts'
import type { WatchState } from './state.ts'
import { listMaintenanceSpans, type NewSilence, type Watch } from './store.ts'
import type { VisitsAfterSilence } from './visits-store.ts'

/**
 * Returns a silence if the gap since the last visit is too long. Periods in which visits can't be expected or counted
 * don't count towards the gap: incidents of the website's monitors, maintenance, quiet days, and downtime of Belfry.
 * Each call queries the database, which takes milliseconds. So callers first use `WatchState.findAlarm`, which needs no
 * query, but includes these periods in the gap.
 */
export async function findSilence(
  q: Queries,
  { watch, state, hours, now }: { watch: Watch; state: WatchState; hours: HoursOfZone; now: Date },
): Promise<NewSilence | undefined> {
  if (state.lastVisitAt === undefined) return undefined
  const lastVisitAt = new Date(state.lastVisitAt)
  const { startsAt, history } = await readVisitHistory(q, { website: watch, from: lastVisitAt, to: now })
  const excluded = new Uint8Array(hours.hourOfWeek.length)
  const offset = Math.round((startsAt.getTime() - hours.startsAt) / SLOT_MS)
  for (let slot = 0; slot < history.excluded.length; slot++)
    if (history.excluded[slot] && offset + slot >= 0) excluded[offset + slot] = 1
  for (const { startedAt, endedAt } of await listMaintenanceSpans(q, watch, lastVisitAt, now)) {
    const first = Math.floor((startedAt.getTime() - hours.startsAt) / SLOT_MS)
    const end = Math.ceil((endedAt.getTime() - hours.startsAt) / SLOT_MS)
    excluded.fill(1, Math.max(0, first), Math.max(0, end))
  }
  const alarmAt = state.findAlarmWithout(excluded)
  return alarmAt <= now.getTime() ? { watch, lastVisitAt, silentSince: new Date(alarmAt) } : undefined
}

/**
 * Before an incident opens, a single visit ends the silence. Once it is open, visits have to arrive at a quarter of the
 * usual rate.
 */
export function isSilenceOver(
  watch: Watch,
  state: WatchState | undefined,
  visitsAfter: VisitsAfterSilence | undefined,
  now: Date,
): boolean {
  if (!watch.watchesSilence) return true
  if (visitsAfter === undefined) return false
  if (watch.status !== 'down') return true
  const { visits, firstVisitAt } = visitsAfter
  return state === undefined ? visits > 1 : state.hasRecovered(visits, firstVisitAt.getTime(), now.getTime())
}

/** Whether the check of the website's monitor would find something new. */
export function needsTrafficCheck({ status, diagnosis, hasFit }: Watch, isSilent: boolean): boolean {
  switch (status) {
    case 'pending':
      return hasFit
    case 'up':
      return isSilent
    case 'down':
      return !isSilent || diagnosis === 'collector'
  }
}
