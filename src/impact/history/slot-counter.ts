/** Adds up the visits per host and slot of many days. */
import { decodeVisitSlot, findFirstSlotAt, SLOTS_PER_HOST } from '../../traffic/model/visit-slots.ts'
import { openPackedCounts } from '../../traffic/packing/packed-counts.ts'
import type { CountedDayRow } from './history-store.ts'
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
  /** The main host of a website also gets the visits of unknown hosts: before hosts were stored, nearly all visits were its own. */
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

  /** Returns the sum of all counts. */
  #addPacked(firstSlot: number, packed: string): number {
    const { counts, hostCounts } = this
    const pairs = openPackedCounts(packed)
    let sum = 0
    let value = 0
    // Values are in ascending order, so the host rarely changes. This runs 30,000 times for a busy website.
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
