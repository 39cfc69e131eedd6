/**
 * Checks a website whose visits have stopped. The job 'watch for silence and spikes' decides that visits have been missing for
 * too long, and makes the check due. The check decides why, and whether that is an incident.
 */
import { OtherWebsites } from '../../impact/other-websites.ts'
import {
  findVisitAfter,
  hasOpenHostIncident,
  hasUncountedEvents,
  readTrafficMonitor,
  type SilentWebsite,
  type TrafficMonitor,
} from '../../impact/silence-store.ts'
import { addMs, type Clock } from '../../lib/clock.ts'
import type { Diagnosis } from '../../shared/impact.ts'
import { DAY_MS } from '../../shared/time.ts'
import type { Queries } from '../../storage/client.ts'
import { createFailure } from './failure.ts'
import {
  emptyResult,
  type HttpTarget,
  type Inconclusive,
  type ProbeResult,
  type RunProbe,
  type TrafficTarget,
  type Unchanged,
  type Unsupported,
} from './probe.ts'
import { fetchHomePage, type HomePage } from './traffic/home-page.ts'

/** Counts the events of a website that were collected but not counted yet. */
export interface VisitRollup {
  rollUpWebsite(websiteId: number): Promise<void>
}

interface Deps {
  clock: Clock
  db: Queries
  rollup: VisitRollup
  checkHttp: RunProbe<HttpTarget>
}

type Outcome = ProbeResult | Unchanged | Inconclusive | Unsupported

/** Without silence, a check only shows that the watch works, so one a day is enough. */
const CHECK_INTERVAL_MS = DAY_MS

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
    const { userId, monitorId } = target
    if (monitorId === null) return { inconclusive: 'The website is not watched yet' }
    const monitor = await readTrafficMonitor(db, userId, monitorId)
    if (monitor === undefined) return { inconclusive: 'The website is not watched any more' }
    if (!monitor.hasFit) return toUnchanged('Two weeks of visits are needed')
    if (monitor.silence === null || !monitor.isSilenceWatched) return toSuccess()
    return checkSilence(target, monitor.silence, monitor)
  }

  async function checkSilence(
    target: TrafficTarget,
    website: SilentWebsite,
    { status, diagnosis: priorDiagnosis }: TrafficMonitor,
  ): Promise<Outcome> {
    const { websiteId, lastVisitAt } = website
    const isCounted = await rollup.rollUpWebsite(websiteId).then(
      () => true,
      () => false,
    )
    if (!isCounted || (await hasUncountedEvents(db, websiteId, lastVisitAt)))
      return toUnchanged('Events are waiting to be counted')
    // The end of an incident is decided by the watch, which sees whether as many visits as usual are back.
    if (status !== 'down' && (await findVisitAfter(db, websiteId, lastVisitAt)) !== undefined) return toSuccess()
    if (await hasOpenHostIncident(db, website)) return toUnchanged('Another monitor of the website is down')
    if (priorDiagnosis === 'collector' && (await otherWebsites.areSilent(websiteId)))
      return toUnchanged('Other websites are still silent, too')
    const page = await fetchHomePage(target, checkHttp)
    if ('inconclusive' in page || 'unsupported' in page) return page
    const areOthersSilent = page.failure === null && (await otherWebsites.areSilent(websiteId))
    const diagnosis = diagnose(page, areOthersSilent)
    return {
      ...emptyResult,
      failure: createFailure('silence', describeSilence(diagnosis, page)),
      traffic: {
        nextDueAt: addMs(clock.now(), CHECK_INTERVAL_MS),
        silence: { diagnosis, since: lastVisitAt, page: page.result },
      },
    }
  }

  return { check }
}

/** A website whose home page fails is down, even if other websites are silent, too: they may be on the same server. */
function diagnose({ failure, hasTracker }: HomePage, areOthersSilent: boolean): Diagnosis {
  if (failure !== null) return 'site_down'
  if (areOthersSilent) return 'collector'
  return hasTracker === false ? 'snippet_missing' : 'site_silent'
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
