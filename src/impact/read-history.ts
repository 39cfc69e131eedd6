/** Reads the visits of a website, or of one of its hosts, as the history that statistics need. */
import { localDay } from '../lib/local-day.ts'
import { DAY_MS } from '../shared/time.ts'
import type { Queries } from '../storage/client.ts'
import { decodeVisitSlot, findFirstSlotAt } from '../traffic/model/visit-slots.ts'
import { forEachPackedCount } from '../traffic/packing/packed-counts.ts'
import { type HistoryRows, type MonitorIncidentRow, readHistoryRows, type StoredSpan } from './history-store.ts'
import { ceilToSlot, floorToSlot, listHoursOfWeek, SLOT_MS } from './hours-of-week.ts'
import type { VisitHistory } from './visit-history.ts'
import { findMonitorHost, removeWwwLabel } from './website-of-host.ts'
import type { TrafficWebsite } from './website-store.ts'

export interface StoredHistory {
  /** The beginning of the first slot. */
  startsAt: Date
  history: VisitHistory
  /** The hosts whose visits are counted, as ids of `traffic_values`; 0 stands for unknown hosts. undefined: all hosts. */
  hostnameIds: readonly number[] | undefined
  /** Periods in which Belfry could not count visits. */
  gaps: readonly StoredSpan[]
  /** Whether days are missing because the job 'count visits of earlier days' has not counted them yet. */
  hasUncountedDays: boolean
}

/** The id of unknown hosts in counts: events of earlier versions and imported ones have no host. */
const UNKNOWN_HOST_ID = 0

/**
 * Reads the visits from `from` to `to`. With a `host`, counts only visits that began on this host, with or without `www.`. If no
 * event names it, the history is that of the whole website. `q` should be a snapshot.
 */
export async function readVisitHistory(
  q: Queries,
  website: TrafficWebsite,
  host: string | undefined,
  from: Date,
  to: Date,
): Promise<StoredHistory> {
  const bareHost = host === undefined ? undefined : removeWwwLabel(host)
  const hosts = bareHost === undefined ? [] : [bareHost, `www.${bareHost}`]
  // In every time zone, the local date differs from the date in UTC by one day at most.
  const firstDay = toUtcDate(from.getTime() - DAY_MS)
  const lastDay = toUtcDate(to.getTime() + DAY_MS)
  const rows = await readHistoryRows(q, website, hosts, { from, to, firstDay, lastDay })

  const startsAt = floorToSlot(from.getTime())
  const slotCount = Math.round((ceilToSlot(to.getTime()) - startsAt) / SLOT_MS)
  const counter = new SlotCounter(startsAt, slotCount, rows.hostnameIds, bareHost === website.domain)
  counter.addRows(rows)
  const countsHost = bareHost !== undefined && counter.namesHost
  const counts = countsHost ? counter.hostCounts : counter.counts

  const excluded = new Uint8Array(slotCount)
  const exclude = (span: { from: number; to: number }) => {
    const first = Math.max(0, Math.floor((span.from - startsAt) / SLOT_MS))
    const end = Math.ceil((Math.min(span.to, to.getTime()) - startsAt) / SLOT_MS)
    if (end > first) excluded.fill(1, first, end)
  }
  const excludedHosts = new Set(countsHost ? [bareHost] : [bareHost, website.domain])
  const concernsHosts = ({ type, url, websiteId }: MonitorIncidentRow) =>
    websiteId === website.id || excludedHosts.has(removeWwwLabel(findMonitorHost({ type, url }) ?? ''))
  for (const span of [...rows.gaps, ...rows.incidents.filter(concernsHosts)]) exclude(toMilliseconds(span))
  for (const day of counter.incompleteDays) {
    const { startsAt: dayStart, endsAt: dayEnd } = localDay(website.timeZone, day)
    exclude({ from: dayStart, to: dayEnd })
  }

  // Before its first visit, a website was not tracked. Visits of a host may be older than the version that keeps hosts.
  const firstVisit = rows.hasEarlierDays && !countsHost ? 0 : counts.findIndex((count) => count > 0)
  const first = firstVisit === -1 ? slotCount : firstVisit
  const historyStart = startsAt + first * SLOT_MS
  return {
    startsAt: new Date(historyStart),
    history: {
      counts: counts.subarray(first),
      excluded: excluded.subarray(first),
      hourOfWeek: listHoursOfWeek(website.timeZone, historyStart, slotCount - first),
    },
    hostnameIds: countsHost ? counter.hostnameIds : undefined,
    gaps: rows.gaps,
    hasUncountedDays: rows.days.some(({ is_packed, visit_slots }) => is_packed && visit_slots === null),
  }
}

const toUtcDate = (at: number) => new Date(at).toISOString().slice(0, 10)

const toMilliseconds = ({ startedAt, endedAt }: StoredSpan) => ({
  from: startedAt.getTime(),
  to: endedAt?.getTime() ?? Number.POSITIVE_INFINITY,
})

/** Adds up the counts of days. */
class SlotCounter {
  readonly counts: Uint32Array
  readonly hostCounts: Uint32Array
  readonly hostnameIds: readonly number[]
  /** Days with more visits than the counts by slot have: their visits were deleted, imported as totals, or not counted yet. */
  readonly incompleteDays: string[] = []
  /** Whether any visit has the host. */
  namesHost = false
  readonly #startsAt: number
  readonly #namedIds: ReadonlySet<number>
  readonly #hostIds: ReadonlySet<number>

  /** The main host of a website also gets the visits of unknown hosts: before hosts were kept, nearly all visits were its own. */
  constructor(startsAt: number, slotCount: number, hostnameIds: readonly number[], isMainHost: boolean) {
    this.#startsAt = startsAt
    this.counts = new Uint32Array(slotCount)
    this.hostCounts = new Uint32Array(slotCount)
    this.hostnameIds = isMainHost ? [UNKNOWN_HOST_ID, ...hostnameIds] : hostnameIds
    this.#namedIds = new Set(hostnameIds)
    this.#hostIds = new Set(this.hostnameIds)
  }

  addRows({ days, unpackedDays }: Pick<HistoryRows, 'days' | 'unpackedDays'>): void {
    const unpackedByDay = new Map(unpackedDays.map((row) => [row.day, row]))
    for (const { day, visits, visit_slots } of days) {
      let sum = 0
      const firstSlot = Math.round((findFirstSlotAt(day) - this.#startsAt) / SLOT_MS)
      const add = (count: number, value: number) => {
        sum += count
        this.#add(firstSlot, value, count)
      }
      if (visit_slots !== null) forEachPackedCount(visit_slots, add)
      const { values = '{}', counts = '{}' } = unpackedByDay.get(day) ?? {}
      const countList = parseNumberList(counts)
      for (const [index, value] of parseNumberList(values).entries()) add(countList[index] as number, value)
      if (sum < visits) this.incompleteDays.push(day)
    }
  }

  #add(firstSlot: number, value: number, count: number): void {
    const { hostnameId, slot } = decodeVisitSlot(value)
    const index = firstSlot + slot
    if (index < 0 || index >= this.counts.length) return
    this.counts[index] = (this.counts[index] as number) + count
    if (!this.#hostIds.has(hostnameId)) return
    this.hostCounts[index] = (this.hostCounts[index] as number) + count
    if (this.#namedIds.has(hostnameId)) this.namesHost = true
  }
}

/** PostgreSQL writes an array of numbers as `{1,2,3}`. */
function parseNumberList(text: string): number[] {
  return JSON.parse(`[${text.slice(1, -1)}]`)
}
