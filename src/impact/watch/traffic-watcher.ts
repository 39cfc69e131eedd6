/**
 * Watches the visits of websites for silence and spikes, once a minute. One node does this for all websites and remembers what it
 * knows about each, so that it reads only the visits of the last slot. Another node can continue at any time: it reads the last two
 * days of each website first.
 *
 * The watcher finds that visits have been missing for too long. The check of the website's traffic monitor decides why, and
 * whether that is an incident.
 */
import { addMs, type Clock } from '../../lib/clock.ts'
import { localDayAt } from '../../lib/local-day.ts'
import { requestChecks } from '../../monitors/due-store.ts'
import { parseMonitorHost } from '../../monitors/target.ts'
import type { SpikeDetails } from '../../shared/spike.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../shared/time.ts'
import type { Database } from '../../storage/database.ts'
import { isQuietDay } from '../../websites/quiet-days.ts'
import { removeWwwLabel } from '../history/website-store.ts'
import { floorToSlot, SLOT_MS } from '../model/visit-history.ts'
import { LevelTables } from '../silence/level-tables.ts'
import type { SilenceFit } from '../silence/silence.ts'
import type { Spike } from '../silence/spike.ts'
import { ZoneHours } from '../watch/zone-hours.ts'
import { findSilence, isSilenceOver, needsTrafficCheck } from './find-silence.ts'
import { fingerprintQuietDays, fitWebsite, openStates, selectDueFits } from './fits.ts'
import { formatSpikeAlert } from './spike-text.ts'
import type { WatchState } from './state.ts'
import {
  endSilences,
  insertSpikeAlerts,
  isCollecting,
  listCollectionGaps,
  listMonitorsDown,
  listWatches,
  type NewSilence,
  saveSilences,
  type Watch,
} from './store.ts'
import {
  countVisitsAfterSilences,
  countVisitsBySlot,
  findTopSource,
  readLastVisits,
  type TopSource,
} from './visits-store.ts'

interface Deps {
  db: Database
  clock: Clock
  /** Whether this node is the one that watches. */
  isWatcher(): boolean
  /** Called after new alerts have been stored. */
  onAlerts(): void
}

interface WatchedState {
  watch: Watch
  state: WatchState
}

/** Events of a slot are counted at the latest this long after its end. */
const SETTLE_MS = 30 * SECOND_MS
/** A run does not take longer than this for new fits, so that silence is found in time. The next run continues. */
const MAX_FIT_MS = 20 * SECOND_MS
/** One query counts the visits of at most this many websites. */
const COUNTED_PER_CHUNK = 1_000
/** States are opened for this many websites at a time. After each chunk, the run checks whether its time is up. */
const OPENED_PER_CHUNK = 20

export class TrafficWatcher {
  readonly #deps: Deps
  readonly #hours = new ZoneHours()
  readonly #tables = new LevelTables<SilenceFit>()
  readonly #states = new Map<number, WatchState>()
  /** Websites with a monitor that was down at the end of the last slot. */
  #previousDownIds: ReadonlySet<number> = new Set()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async run(signal?: AbortSignal): Promise<void> {
    const { db, clock, isWatcher } = this.#deps
    if (!isWatcher()) return this.#states.clear()
    const now = clock.now()
    this.#hours.moveTo(now)
    const watches = await listWatches(db)
    this.#forgetOthers(watches)
    await this.#prepare(watches, now, signal)
    const advancedStates = await this.#addSlots(watches, now)
    await this.#alertAboutSpikes(advancedStates, now)
    // While no node stores events, missing visits carry no information about a website.
    if (signal?.aborted || !(await isCollecting(db))) return
    const silentIds = await this.#updateSilences(watches, now)
    const dueWatches = watches.filter((watch) => needsTrafficCheck(watch, silentIds.has(watch.id)))
    if (dueWatches.length > 0) await requestChecks(db, dueWatches, now)
  }

  #forgetOthers(watches: readonly Watch[]): void {
    const watchesById = new Map(watches.map((watch) => [watch.id, watch]))
    for (const [id, state] of this.#states) {
      const watch = watchesById.get(id)
      // The fit depends on the time zone and on the quiet days, so a change of either makes a new fit due.
      const isSame = watch?.timeZone === state.timeZone && fingerprintQuietDays(watch) === state.quietDaysFingerprint
      if (watch !== undefined && !isSame) watch.fittedAt = null
      // Another node may have computed a newer fit.
      if (watch?.fittedAt?.getTime() !== state.fittedAt) this.#states.delete(id)
    }
  }

  /** Computes the fits that are due, and reads what this node doesn't remember. */
  async #prepare(watches: Watch[], now: Date, signal?: AbortSignal): Promise<void> {
    const { db } = this.#deps
    const deadline = performance.now() + MAX_FIT_MS
    const isTimeUp = () => signal?.aborted === true || performance.now() > deadline
    const knownUntil = floorToSlot(now.getTime() - SETTLE_MS)
    const options = { hours: this.#hours, tables: this.#tables, knownUntil, now }
    const renewFit = async (watch: Watch) => {
      if (isTimeUp()) return
      const state = await fitWebsite(db, watch, options)
      watch.hasFit = state !== undefined
      if (state === undefined) this.#states.delete(watch.id)
      else this.#states.set(watch.id, state)
    }
    for (const watch of selectDueFits(watches, now)) await renewFit(watch)
    const watchesWithoutState = watches.filter(({ id, hasFit }) => hasFit && !this.#states.has(id))
    for (let first = 0; first < watchesWithoutState.length && !isTimeUp(); first += OPENED_PER_CHUNK) {
      const chunk = watchesWithoutState.slice(first, first + OPENED_PER_CHUNK)
      const states = await openStates(db, chunk, options)
      for (const [id, state] of states) this.#states.set(id, state)
      // The fits of another version of Belfry can't be used.
      for (const watch of chunk) if (!states.has(watch.id)) await renewFit(watch)
    }
  }

  /** Adds the slots that have ended since the last run. Returns the websites with at least one new slot. */
  async #addSlots(watches: readonly Watch[], now: Date): Promise<WatchedState[]> {
    const { db } = this.#deps
    const end = floorToSlot(now.getTime() - SETTLE_MS)
    const statesBehind = watches.flatMap((watch) => {
      const state = this.#states.get(watch.id)
      return state !== undefined && state.knownUntil < end ? [{ watch, state }] : []
    })
    if (statesBehind.length === 0) return []
    const downIds = await this.#listWebsitesDown(watches)
    const from = new Date(Math.min(...statesBehind.map(({ state }) => state.knownUntil)))
    const gaps = await listCollectionGaps(db, from, now)
    const isGap = (at: number) =>
      gaps.some(({ startedAt, endedAt }) => startedAt.getTime() < at + SLOT_MS && endedAt.getTime() > at)
    for (let first = 0; first < statesBehind.length; first += COUNTED_PER_CHUNK) {
      const chunk = statesBehind.slice(first, first + COUNTED_PER_CHUNK)
      const counts = await this.#countVisits(chunk, now)
      for (const { watch, state } of chunk) {
        const isExcluded = watch.silentAfter !== null || downIds.has(watch.id) || this.#previousDownIds.has(watch.id)
        const isQuiet = (at: number) => isQuietDay(watch, localDayAt(watch.timeZone, at).day)
        while (state.knownUntil < end) {
          const { knownUntil } = state
          const isSlotExcluded = isExcluded || isGap(knownUntil) || isQuiet(knownUntil)
          state.addSlot(counts.get(watch.id)?.get(knownUntil) ?? 0, isSlotExcluded)
        }
      }
    }
    this.#previousDownIds = downIds
    return statesBehind
  }

  async #alertAboutSpikes(advancedStates: readonly WatchedState[], now: Date): Promise<void> {
    const { db, onAlerts } = this.#deps
    let alertCount = 0
    for (const { watch, state } of advancedStates) {
      if (watch.watchesSpikes) alertCount += await alertAboutSpike(db, watch, state, now)
    }
    if (alertCount > 0) onAlerts()
  }

  /** Returns the visits of each website by the beginning of their slot, and notes the last visits. */
  async #countVisits(chunk: readonly WatchedState[], now: Date): Promise<Map<number, Map<number, number>>> {
    const websites = chunk.map(({ watch, state }) => ({ id: watch.id, from: state.knownUntil }))
    const counts = new Map<number, Map<number, number>>()
    for (const { websiteId, slot, visits, lastVisitAt } of await countVisitsBySlot(this.#deps.db, websites, now)) {
      const bySlot = counts.get(websiteId) ?? new Map<number, number>()
      counts.set(websiteId, bySlot.set(slot * SLOT_MS, visits))
      this.#states.get(websiteId)?.addVisit(lastVisitAt.getTime())
    }
    return counts
  }

  async #listWebsitesDown(watches: readonly Watch[]): Promise<Set<number>> {
    const monitors = await listMonitorsDown(this.#deps.db)
    const toKey = (teamId: number, host: string) => `${teamId} ${removeWwwLabel(host)}`
    const hosts = new Set(monitors.map((monitor) => toKey(monitor.teamId, parseMonitorHost(monitor) ?? '')))
    return new Set(watches.filter(({ teamId, domain }) => hosts.has(toKey(teamId, domain))).map(({ id }) => id))
  }

  /** Stores which silences have begun and ended. Returns the ids of the websites that are silent now. */
  async #updateSilences(watches: readonly Watch[], now: Date): Promise<Set<number>> {
    const { db } = this.#deps
    const silentWatches = watches.filter((watch): watch is Watch & { silentAfter: Date } => watch.silentAfter !== null)
    const visitsAfter = silentWatches.length === 0 ? new Map() : await countVisitsAfterSilences(db, silentWatches, now)
    const endedWatches = silentWatches.filter((watch) =>
      isSilenceOver(watch, this.#states.get(watch.id), visitsAfter.get(watch.id), now),
    )
    if (endedWatches.length > 0) await endSilences(db, endedWatches)
    const newSilences = await this.#findNewSilences(watches, now)
    if (newSilences.length > 0) await saveSilences(db, newSilences)
    const endedIds = new Set(endedWatches.map(({ id }) => id))
    const stillSilentWatches = silentWatches.filter(({ id }) => !endedIds.has(id))
    return new Set([...stillSilentWatches, ...newSilences.map(({ watch }) => watch)].map(({ id }) => id))
  }

  async #findNewSilences(watches: readonly Watch[], now: Date): Promise<NewSilence[]> {
    const { db } = this.#deps
    const listCandidates = () =>
      watches.flatMap((watch) => {
        if (!watch.watchesSilence || watch.silentAfter !== null) return []
        // Time on a quiet day doesn't count towards a silence, so no silence begins on such a day.
        if (isQuietDay(watch, localDayAt(watch.timeZone, now.getTime()).day)) return []
        const state = this.#states.get(watch.id)
        return state !== undefined && state.findAlarm(watch.alarmsAYear) <= now.getTime() ? [{ watch, state }] : []
      })
    const candidates = listCandidates()
    if (candidates.length === 0) return []
    // The states know only the visits of complete slots. Later visits have already ended most of these gaps.
    const ids = candidates.map(({ watch }) => watch.id)
    const lastVisits = await readLastVisits(db, ids, addMs(now, -DAY_MS), now)
    for (const { watch, state } of candidates) state.addVisit(lastVisits.get(watch.id)?.getTime() ?? 0)
    const silences: NewSilence[] = []
    for (const { watch, state } of listCandidates()) {
      const silence = await findSilence(db, { watch, state, hours: this.#hours.get(watch.timeZone), now })
      if (silence !== undefined) silences.push(silence)
    }
    return silences
  }
}

/** The source of visitors who followed no link. */
const DIRECT_SOURCE = 'Direct'

/** Call it after a slot was added. Returns the number of new alerts. */
async function alertAboutSpike(db: Database, watch: Watch, state: WatchState, now: Date): Promise<number> {
  const spike = state.findSpike()
  if (spike === undefined) return 0
  const { day } = localDayAt(watch.timeZone, now.getTime())
  if (watch.spikeDay === day) return 0
  const until = new Date(state.knownUntil)
  const since = addMs(until, -HOUR_MS)
  const details = toDetails(spike, await findTopSource(db, watch.id, since, until), since)
  const { friendlyName, monitorUrl: url } = watch
  return insertSpikeAlerts(db, watch, { day, details, ...formatSpikeAlert({ friendlyName, url, details, now }) }, now)
}

function toDetails({ actual, expected }: Spike, top: TopSource | undefined, since: Date): SpikeDetails {
  const isNamedSource = top !== undefined && top.source !== DIRECT_SOURCE
  const roundedExpected = Number(expected.toFixed(1))
  return {
    visits: actual,
    expected: roundedExpected,
    factor: roundedExpected === 0 ? null : Number((actual / roundedExpected).toFixed(1)),
    source: isNamedSource ? top.source : null,
    source_visits: isNamedSource ? top.visits : null,
    since: since.toISOString(),
  }
}
