/** Adds up the visits per host and slot of many days. */
import { decodeVisitSlot, findFirstSlotAt } from '../traffic/model/visit-slots.ts'
import { forEachPackedCount } from '../traffic/packing/packed-counts.ts'
import type { CountedDayRow, UnpackedDayRow } from './history-store.ts'
import { SLOT_MS } from './hours-of-week.ts'

/** The id of unknown hosts in counts: events of earlier versions and imported ones have no host. */
const UNKNOWN_HOST_ID = 0
/** A day counts as complete with this share of its visits. */
const MIN_COUNTED_SHARE = 0.98

interface SlotCounterOptions {
  /** Of the first slot, in milliseconds since 1970. */
  startsAt: number
  slotCount: number
  /** Ids of the host with and without `www.`. */
  namedIds: readonly number[]
  /** The main host of a website also gets the visits of unknown hosts: before hosts were kept, nearly all visits were its own. */
  isMainHost: boolean
}

export class SlotCounter {
  readonly counts: Uint32Array
  readonly hostCounts: Uint32Array
  /** The hosts of `hostCounts`. */
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

  /** Returns whether the counts by slot have all visits of the day. A day can be packed and have new counts, too. */
  addDay({ day, visits, visit_slots }: CountedDayRow, unpacked: UnpackedDayRow | undefined): boolean {
    const firstSlot = Math.round((findFirstSlotAt(day) - this.#startsAt) / SLOT_MS)
    let sum = 0
    const add = (count: number, value: number) => {
      sum += count
      this.#add(firstSlot, value, count)
    }
    if (visit_slots !== null) forEachPackedCount(visit_slots, add)
    if (unpacked !== undefined) {
      const counts = parseNumberList(unpacked.counts)
      for (const [index, value] of parseNumberList(unpacked.values).entries()) add(counts[index] as number, value)
    }
    return sum >= visits * MIN_COUNTED_SHARE
  }

  #add(firstSlot: number, value: number, count: number): void {
    const { hostnameId, slot } = decodeVisitSlot(value)
    const index = firstSlot + slot
    if (index < 0 || index >= this.counts.length) return
    this.counts[index] = (this.counts[index] as number) + count
    if (!this.#hostnameIds.has(hostnameId)) return
    this.hostCounts[index] = (this.hostCounts[index] as number) + count
    if (this.#namedIds.has(hostnameId)) this.namesHost = true
  }
}

/** PostgreSQL writes an array of numbers as `{1,2,3}`. */
function parseNumberList(text: string): number[] {
  return JSON.parse(`[${text.slice(1, -1)}]`)
}
