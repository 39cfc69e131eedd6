/** Computes what is usual for a website, once a day, and reads the recent visits that a node has to remember. */
import { addMs } from '../../lib/clock.ts'
import { DAY_MS } from '../../shared/time.ts'
import type { Database } from '../../storage/database.ts'
import { readVisitHistory } from '../history/read-visit-history.ts'
import type { LevelTables } from '../silence/level-tables.ts'
import { fitSilence, type SilenceFit } from '../silence/silence.ts'
import type { ZoneHours } from '../watch/zone-hours.ts'
import { WatchState } from './state.ts'
import { readFits, saveFit, type Watch } from './store.ts'
import { readLastVisits } from './visits-store.ts'

/** A fit uses the last eight weeks. One more day is a reserve. */
const FIT_DAYS = 8 * 7 + 1
const LEVEL_DAYS = 2
/**
 * Renewing the fits of all websites takes at least this long, because the number of fits per minute is limited. This
 * spreads them over the day, even if all were computed in one run yesterday.
 */
const MINUTES_PER_ROUND = 12 * 60

interface StateOptions {
  hours: ZoneHours
  tables: LevelTables<SilenceFit>
  /** The end of the last slot whose visits are counted, in epoch milliseconds. */
  knownUntil: number
  now: Date
}

/** Returns the websites without a fit, and some of those whose fit is a day old, the oldest first. */
export function selectDueFits(watches: readonly Watch[], now: Date): Watch[] {
  const limit = Math.ceil(watches.length / MINUTES_PER_ROUND)
  const dayAgo = addMs(now, -DAY_MS)
  const outdatedWatches = watches
    .filter(({ fittedAt }) => fittedAt !== null && fittedAt <= dayAgo)
    .sort((a, b) => Number(a.fittedAt) - Number(b.fittedAt))
  return [...watches.filter(({ fittedAt }) => fittedAt === null), ...outdatedWatches.slice(0, limit)]
}

/** The result changes whenever the owner changes the quiet days. */
export const fingerprintQuietDays = ({ quietDays, holidays }: Watch) => [holidays, ...quietDays].join(' ')

/** Returns undefined if the website has too little history. The fit is tried again after a day. */
export async function fitWebsite(db: Database, watch: Watch, options: StateOptions): Promise<WatchState | undefined> {
  const { hours, tables, knownUntil, now } = options
  const to = new Date(knownUntil)
  const { history } = await db.snapshot((q) =>
    readVisitHistory(q, { website: watch, from: addMs(to, -FIT_DAYS * DAY_MS), to }),
  )
  const fit = fitSilence(history)
  await saveFit(db, watch, fit, now)
  if (fit === undefined) return undefined
  const lastVisits = await readLastVisits(db, [watch.id], addMs(now, -FIT_DAYS * DAY_MS), now)
  return new WatchState({
    fit,
    fittedAt: now,
    timeZone: watch.timeZone,
    quietDaysFingerprint: fingerprintQuietDays(watch),
    history,
    knownUntil,
    lastVisitAt: lastVisits.get(watch.id),
    hours,
    tables,
  })
}

/** Reads the fits and the last two days of websites. */
export async function openStates(
  db: Database,
  watches: readonly Watch[],
  { hours, tables, knownUntil, now }: StateOptions,
): Promise<Map<number, WatchState>> {
  const to = new Date(knownUntil)
  const ids = watches.map(({ id }) => id)
  const [fits, lastVisits] = await Promise.all([
    readFits(db, watches),
    readLastVisits(db, ids, addMs(now, -FIT_DAYS * DAY_MS), now),
  ])
  const states = new Map<number, WatchState>()
  await Promise.all(
    watches.map(async (watch) => {
      const fit = fits.get(watch.id)
      if (fit === undefined || watch.fittedAt === null) return
      const { history } = await readVisitHistory(db, { website: watch, from: addMs(to, -LEVEL_DAYS * DAY_MS), to })
      const state = new WatchState({
        fit,
        fittedAt: watch.fittedAt,
        timeZone: watch.timeZone,
        quietDaysFingerprint: fingerprintQuietDays(watch),
        history,
        knownUntil,
        lastVisitAt: lastVisits.get(watch.id),
        hours,
        tables,
      })
      states.set(watch.id, state)
    }),
  )
  return states
}
