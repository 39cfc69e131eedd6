/** Reads the visits of a website, or of one of its hosts, as counts per slot, for estimates and for traffic alerts. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { TimeWindow } from '../../incidents/window.ts'
import { addMs } from '../../lib/clock.ts'
import { localDay, toUtcDay } from '../../lib/local-day.ts'
import { parseMonitorHost } from '../../monitors/target.ts'
import { DAY_MS } from '../../shared/time.ts'
import type { Queries } from '../../storage/transaction.ts'
import { decodeVisitSlot, findFirstSlotAt, SLOTS_PER_HOST } from '../../traffic/model/visit-slots.ts'
import { openPackedCounts } from '../../traffic/packing/packed-counts.ts'
import { listQuietPeriods } from '../../websites/quiet-days.ts'
import { ceilToSlot, floorToSlot, listHoursOfWeek, SLOT_MS, type VisitHistory } from '../model/visit-history.ts'
import { type CountedDayRow, type MonitorIncidentRow, readHistoryRows } from './store.ts'
import { removeWwwLabel, type TrafficWebsite } from './website-store.ts'

export interface StoredHistory {
  /** The beginning of the first slot. */
  startsAt: Date
  history: VisitHistory
  /**
   * Ids in `traffic_values` of the hosts whose visits are counted. 0 stands for unknown hosts, undefined for all hosts.
   */
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

interface HistoryScope extends TimeWindow {
  website: TrafficWebsite
  /**
   * If this is set, only visits that began on this host count, with or without `www.`. Otherwise, all visits of the
   * website count.
   */
  host?: string | undefined
}

/** Reads the visits from `from` to `to`. If the host occurs in no event, the history is that of the whole website. */
export async function readVisitHistory(q: Queries, { website, host, from, to }: HistoryScope): Promise<StoredHistory> {
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
    // The event loop sends the statements first. So this computes the hours while PostgreSQL reads.
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
    websiteId === website.id || affectedHosts.has(removeWwwLabel(parseMonitorHost({ type, url }) ?? ''))
  const incidents = rows.incidents
    .filter(affectsHosts)
    .map(({ startedAt, endedAt }) => ({ from: startedAt, to: endedAt ?? to }))
  const quietPeriods = listQuietPeriods(website, from, to)
  const excluded = markSlots([...incidents, ...rows.gaps, ...incompleteDays, ...quietPeriods], startsAt, slotCount)

  // The history starts with the first visit, because the website may not have been tracked before it. A host's history
  // does so even if the website has earlier visits, because events of earlier versions have no host.
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

/** Returns an element for each slot: 1 if one of the periods overlaps with it, otherwise 0. */
function markSlots(periods: readonly TimeWindow[], startsAt: number, slotCount: number): Uint8Array {
  const marks = new Uint8Array(slotCount)
  for (const { from, to } of periods) {
    const first = Math.max(0, Math.floor((from.getTime() - startsAt) / SLOT_MS))
    const end = Math.min(slotCount, Math.ceil((to.getTime() - startsAt) / SLOT_MS))
    if (end > first) marks.fill(1, first, end)
  }
  return marks
}

/** The id of unknown hosts in counts: events of earlier versions and imported ones have no host. */
const UNKNOWN_HOST_ID = 0
/** A day is complete if its counts by slot contain this share of its visits. */
const MIN_COUNTED_SHARE = 0.98

interface SlotCounterOptions {
  /** The beginning of the first slot, in epoch milliseconds. */
  startsAt: number
  slotCount: number
  /** Ids of the host with and without `www.`. */
  namedIds: readonly number[]
  /** The main host of a website also gets the visits of unknown hosts: before hosts were stored, nearly all visits were its own. */
  isMainHost: boolean
}

/** Adds up the visits per host and slot of many days. */
class SlotCounter {
  readonly counts: Uint32Array
  readonly hostCounts: Uint32Array
  /** The ids of the hosts whose visits are in `hostCounts`. */
  readonly hostnameIds: readonly number[]
  /** Whether any visit names the host. */
  namesHost = false
  readonly #startsAt: number
  readonly #namedIds: ReadonlySet<number>
  readonly #hostnameIds: ReadonlySet<number>

  constructor({ startsAt, slotCount, namedIds, isMainHost }: SlotCounterOptions) {
    this.#startsAt = startsAt
    this.counts = new Uint32Array(slotCount)
    this.hostCounts = new Uint32Array(slotCount)
    this.hostnameIds = isMainHost ? [UNKNOWN_HOST_ID, ...namedIds] : namedIds
    this.#namedIds = new Set(namedIds)
    this.#hostnameIds = new Set(this.hostnameIds)
  }

  /**
   * Adds the visits of a day. Returns whether the day is complete (see `MIN_COUNTED_SHARE`). A day can have both packed
   * and unpacked counts.
   */
  addDay({ day, visits, visit_slots }: CountedDayRow, unpackedPairs: ArrayLike<number> = []): boolean {
    const firstSlot = Math.round((findFirstSlotAt(day) - this.#startsAt) / SLOT_MS)
    let sum = visit_slots === null ? 0 : this.#addPacked(firstSlot, visit_slots)
    for (let pair = 0; pair < unpackedPairs.length; pair += 2) {
      const count = unpackedPairs[pair + 1] as number
      this.#add(firstSlot, unpackedPairs[pair] as number, count)
      sum += count
    }
    return sum >= visits * MIN_COUNTED_SHARE
  }

  /** Adds the packed counts of a day. Returns their sum. */
  #addPacked(firstSlot: number, packed: string): number {
    const { counts, hostCounts } = this
    const pairs = openPackedCounts(packed)
    let sum = 0
    let value = 0
    // Values are in ascending order, so the host rarely changes and is looked up only when it does. This loop runs
    // 30,000 times for a busy website.
    let hostStart = 0
    let hostEnd = 0
    let isHost = false
    while (!pairs.isAtEnd) {
      value += pairs.next()
      const count = pairs.next()
      sum += count
      if (value >= hostEnd) {
        const { hostnameId, slot } = decodeVisitSlot(value)
        hostStart = value - slot
        hostEnd = hostStart + SLOTS_PER_HOST
        isHost = this.#hostnameIds.has(hostnameId)
        if (this.#namedIds.has(hostnameId)) this.namesHost = true
      }
      const index = firstSlot + value - hostStart
      if (index < 0 || index >= counts.length) continue
      counts[index] = (counts[index] as number) + count
      if (isHost) hostCounts[index] = (hostCounts[index] as number) + count
    }
    return sum
  }

  #add(firstSlot: number, value: number, count: number): void {
    const { hostnameId, slot } = decodeVisitSlot(value)
    if (this.#namedIds.has(hostnameId)) this.namesHost = true
    const index = firstSlot + slot
    if (index < 0 || index >= this.counts.length) return
    this.counts[index] = (this.counts[index] as number) + count
    if (this.#hostnameIds.has(hostnameId)) this.hostCounts[index] = (this.hostCounts[index] as number) + count
  }
}
