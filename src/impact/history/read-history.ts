/** Reads the visits of a website, or of one of its hosts, as the history that estimates and the silence watch need. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { TimeWindow } from '../../incidents/window.ts'
import { addMs } from '../../lib/clock.ts'
import { localDay, toUtcDay } from '../../lib/local-day.ts'
import { DAY_MS } from '../../shared/time.ts'
import type { Queries } from '../../storage/client.ts'
import { listQuietPeriods } from '../../websites/quiet-days.ts'
import type { VisitHistory } from '../model/visit-history.ts'
import { type CountedDayRow, type MonitorIncidentRow, readHistoryRows } from './history-store.ts'
import { ceilToSlot, floorToSlot, listHoursOfWeek, SLOT_MS } from './hours-of-week.ts'
import { SlotCounter } from './slot-counter.ts'
import { findMonitorHost, removeWwwLabel } from './website-of-host.ts'
import type { TrafficWebsite } from './website-store.ts'

export interface StoredHistory {
  /** The beginning of the first slot. */
  startsAt: Date
  history: VisitHistory
  /** The hosts whose visits are counted, as ids of `traffic_values`; 0 stands for unknown hosts. undefined: all hosts. */
  hostnameIds: readonly number[] | undefined
  /** Periods in which Belfry could not receive events. */
  gaps: readonly TimeWindow[]
  /** Days on which the owner expects few visits. Their slots are excluded. */
  quietPeriods: readonly TimeWindow[]
  /** Days whose visits are not all counted by slot. */
  incompleteDays: readonly IncompleteDay[]
}

export interface IncompleteDay extends TimeWindow {
  /**
   * `waiting`: the job 'count visits of earlier days' has not counted them yet. `lost`: the visits were deleted or imported as totals.
   * `new`: a node of an earlier version counts today's visits.
   */
  reason: 'waiting' | 'lost' | 'new'
}

/**
 * Reads the visits from `from` to `to`. With a `host`, counts only visits that began on this host, with or without `www.`. If no
 * event names it, the history is that of the whole website.
 */
export async function readVisitHistory(
  q: Queries,
  website: TrafficWebsite,
  host: string | undefined,
  from: Date,
  to: Date,
): Promise<StoredHistory> {
  const bareHost = host === undefined ? undefined : removeWwwLabel(host)
  const startsAt = floorToSlot(from.getTime())
  const slotCount = Math.round((ceilToSlot(to.getTime()) - startsAt) / SLOT_MS)
  const [rows, hourOfWeek] = await Promise.all([
    readHistoryRows(q, website, bareHost === undefined ? [] : [bareHost, `www.${bareHost}`], {
      from,
      to,
      firstDay: toUtcDay(addMs(from, -DAY_MS)),
      lastDay: toUtcDay(addMs(to, DAY_MS)),
    }),
    // Computed while PostgreSQL reads: the statements are sent first.
    yieldToEventLoop().then(() => listHoursOfWeek(website.timeZone, startsAt, slotCount)),
  ])
  const isMainHost = bareHost === website.domain
  const counter = new SlotCounter({ startsAt, slotCount, namedIds: rows.hostnameIds, isMainHost })
  const incompleteDays = rows.days
    .filter((day) => !counter.addDay(day, rows.unpackedPairs.get(day.day)))
    .map((day) => toIncompleteDay(day, website.timeZone))

  const countsHost = counter.namesHost
  const counts = countsHost ? counter.hostCounts : counter.counts
  const affectedHosts = new Set(countsHost ? [bareHost] : [bareHost, website.domain])
  const affectsHosts = ({ type, url, websiteId }: MonitorIncidentRow) =>
    websiteId === website.id || affectedHosts.has(removeWwwLabel(findMonitorHost({ type, url }) ?? ''))
  const incidents = rows.incidents
    .filter(affectsHosts)
    .map(({ startedAt, endedAt }) => ({ from: startedAt, to: endedAt ?? to }))
  const quietPeriods = listQuietPeriods(website, from, to)
  const excluded = markSlots([...incidents, ...rows.gaps, ...incompleteDays, ...quietPeriods], startsAt, slotCount)

  // Before its first visit, a website was not tracked. Visits of a host may be older than the version that stores hosts.
  const firstVisit = rows.hasEarlierDays && !countsHost ? 0 : counts.findIndex((count) => count > 0)
  const first = firstVisit === -1 ? slotCount : firstVisit
  const historyStart = startsAt + first * SLOT_MS
  return {
    startsAt: new Date(historyStart),
    history: {
      counts: counts.subarray(first),
      excluded: excluded.subarray(first),
      hourOfWeek: hourOfWeek.subarray(first),
    },
    hostnameIds: countsHost ? counter.hostnameIds : undefined,
    gaps: rows.gaps,
    quietPeriods,
    incompleteDays,
  }
}

function toIncompleteDay({ day, is_packed, visit_slots }: CountedDayRow, timeZone: string): IncompleteDay {
  const { startsAt, endsAt } = localDay(timeZone, day)
  const reason = !is_packed ? 'new' : visit_slots === null ? 'waiting' : 'lost'
  return { from: new Date(startsAt), to: new Date(endsAt), reason }
}

/** Returns 1 for every slot that one of the periods touches. */
function markSlots(periods: readonly TimeWindow[], startsAt: number, slotCount: number): Uint8Array {
  const marks = new Uint8Array(slotCount)
  for (const { from, to } of periods) {
    const first = Math.max(0, Math.floor((from.getTime() - startsAt) / SLOT_MS))
    const end = Math.min(slotCount, Math.ceil((to.getTime() - startsAt) / SLOT_MS))
    if (end > first) marks.fill(1, first, end)
  }
  return marks
}
