/**
 * Checks a website whose visits have stopped. The job 'watch for silence and spikes' decides that visits have been missing for
 * too long, and makes the check due. The check decides why, and whether that is an incident.
 */
import { OtherWebsites } from '../../../impact/watch/other-websites.ts'
import {
  hasUncountedEvents,
  listHostMonitors,
  readTrafficMonitor,
  saveSnippet,
  type TrafficMonitor,
} from '../../../impact/watch/traffic-monitor-store.ts'
import { hasVisitAfter } from '../../../impact/watch/visits-store.ts'
import { addMs, type Clock } from '../../../lib/clock.ts'
import { requestChecks } from '../../../monitors/due-store.ts'
import type { Diagnosis } from '../../../shared/impact.ts'
import { DAY_MS, MINUTE_MS } from '../../../shared/time.ts'
import type { Database } from '../../../storage/database.ts'
import { createFailure } from '../failure.ts'
import {
  emptyResult,
  type HttpTarget,
  type Inconclusive,
  type ProbeResult,
  type RunProbe,
  type TrafficTarget,
  type Unchanged,
  type Unsupported,
} from '../probe.ts'
import { fetchHomePage, type HomePage } from './home-page.ts'

/** Counts the events of a website that were collected but not counted yet. */
export interface VisitRollup {
  rollUpWebsite(websiteId: number): Promise<void>
}

interface Deps {
  clock: Clock
  db: Database
  rollup: VisitRollup
  checkHttp: RunProbe<HttpTarget>
}

type Outcome = ProbeResult | Unchanged | Inconclusive | Unsupported

/**
 * The usual time between two checks. While visits arrive, a check only tests whether the home page contains the
 * snippet, so once a day is enough.
 */
const CHECK_INTERVAL_MS = DAY_MS
/**
 * If the home page fails, the website's other monitors have this long to notice the failure, too. Their incident says
 * more about the cause.
 */
const MAX_CONFIRMATION_MS = 5 * MINUTE_MS

export function openTrafficProbe({ clock, db, rollup, checkHttp }: Deps): {
  check(target: TrafficTarget): Promise<Outcome>
} {
  const otherWebsites = new OtherWebsites({ db, clock })
  const toUnchanged = (unchanged: string): Unchanged => ({
    unchanged,
    nextDueAt: addMs(clock.now(), CHECK_INTERVAL_MS),
  })
  const toSuccess = (): ProbeResult => ({
    ...emptyResult,
    traffic: { nextDueAt: addMs(clock.now(), CHECK_INTERVAL_MS), silence: null },
  })

  async function check(target: TrafficTarget): Promise<Outcome> {
    const { teamId, monitorId } = target
    if (monitorId === null) return { inconclusive: 'Traffic alerts of the website are not turned on yet' }
    const monitor = await readTrafficMonitor(db, teamId, monitorId)
    if (monitor === undefined) return { inconclusive: 'Traffic alerts of the website were turned off' }
    if (!monitor.hasFit) return toUnchanged('The usual number of visits is not known yet; that takes two weeks')
    if (!monitor.hasStopAlerts) return toSuccess()
    if (monitor.silence !== null) return checkSilence(target, monitor, monitor.silence)
    const page = await fetchHomePage(target, checkHttp)
    if ('hasTracker' in page && page.hasTracker !== undefined) await saveSnippet(db, monitor, page.hasTracker)
    return toSuccess()
  }

  async function checkSilence(
    target: TrafficTarget,
    monitor: TrafficMonitor,
    { lastVisitAt, silentSince }: NonNullable<TrafficMonitor['silence']>,
  ): Promise<Outcome> {
    const { teamId, websiteId, status } = monitor
    const isCounted = await rollup.rollUpWebsite(websiteId).then(
      () => true,
      () => false,
    )
    if (!isCounted || (await hasUncountedEvents(db, websiteId, lastVisitAt)))
      return toUnchanged('Events are waiting to be counted')
    // While the monitor is down, a visit doesn't end the incident: the job 'watch for silence and spikes' does, because it knows how
    // many visits are usual.
    if (status !== 'down' && (await hasVisitAfter(db, websiteId, lastVisitAt))) return toSuccess()
    const hostMonitors = await listHostMonitors(db, monitor)
    if (hostMonitors.some((hostMonitor) => hostMonitor.status === 'down'))
      return toUnchanged('Another monitor of the website is down')
    if (monitor.diagnosis === 'collector' && (await otherWebsites.areSilent(websiteId)))
      return toUnchanged('Other websites are still silent, too')
    const page = await fetchHomePage(target, checkHttp)
    if ('inconclusive' in page || 'unsupported' in page) return page
    const now = clock.now()
    if (page.failure !== null && hostMonitors.length > 0 && now < addMs(silentSince, MAX_CONFIRMATION_MS)) {
      const monitors = hostMonitors.map(({ id }) => ({ teamId, monitorId: id }))
      await requestChecks(db, monitors, now)
      return toUnchanged('The home page fails, and another monitor of the website is being checked')
    }
    const areOthersSilent = page.failure === null && (await otherWebsites.areSilent(websiteId))
    const diagnosis = diagnose(page, { areOthersSilent, hadSnippet: monitor.hasSnippet })
    return {
      ...emptyResult,
      failure: createFailure('silence', describeSilence(diagnosis, page)),
      traffic: {
        nextDueAt: addMs(now, CHECK_INTERVAL_MS),
        // The last visit itself is not part of the silence.
        silence: { diagnosis, since: addMs(lastVisitAt, 1), page: page.result },
      },
    }
  }

  return { check }
}

/**
 * A website whose home page fails is down, even if other websites are silent, too: they may be on the same server. A
 * missing snippet explains nothing if the page never had one: then another script loads the tracker.
 */
function diagnose(
  { failure, hasTracker }: HomePage,
  { areOthersSilent, hadSnippet }: { areOthersSilent: boolean; hadSnippet: boolean | null },
): Diagnosis {
  if (failure !== null) return 'site_down'
  if (areOthersSilent) return 'collector'
  return hasTracker === false && hadSnippet !== false ? 'snippet_missing' : 'site_silent'
}

function describeSilence(diagnosis: Diagnosis, { failure }: HomePage): string {
  switch (diagnosis) {
    case 'site_down':
      return `No visits, and the home page fails: ${failure?.detail}`
    case 'collector':
      return 'No visits, but other websites have none either, so Belfry may not receive them'
    case 'snippet_missing':
      return "No visits, and the home page doesn't contain the tracking snippet"
    case 'site_silent':
      return 'No visits, although the home page responds'
  }
}
