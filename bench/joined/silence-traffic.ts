/** Simulated traffic for traffic alerts. Downtime of Belfry, and the launch of a product that brings many visitors, can be added. */
import { SLOTS_PER_DAY, SLOTS_PER_HOUR, SLOTS_PER_WEEK } from '../../src/impact/model/visit-history.ts'
import type { RandomSource } from '../../tests/support/random-source.ts'
import { type RateChange, simulateTraffic, type TrafficShape } from './traffic-shapes.ts'

/** How often Belfry can't count for some hours. */
const DOWNTIMES_A_YEAR = 6
const LAUNCH_FACTOR = 10

export interface WatchedTraffic {
  counts: Uint32Array
  excluded: Uint8Array
  hourOfWeek: Uint8Array
  /** The local time of each slot, in slots since a Monday at midnight. */
  localSlots: Uint32Array
  rates: Float64Array
  /** Returns the sum of `rates` between two times, without excluded slots. */
  sumExpectedVisits(from: number, to: number): number
}

export function watchTraffic(
  shape: TrafficShape,
  random: RandomSource,
  weeks: number,
  findChange?: (localSlots: Uint32Array) => RateChange,
): WatchedTraffic {
  const { counts, hourOfWeek, localSlots, rates } = simulateTraffic(shape, random, weeks, findChange)
  const excluded = new Uint8Array(counts.length)
  let sums: Float64Array | undefined
  function sumUntil(time: number): number {
    sums ??= sumRates(rates, excluded)
    const slot = Math.min(Math.floor(time), rates.length - 1)
    return (sums[slot] ?? 0) + (excluded[slot] ? 0 : (time - slot) * (rates[slot] ?? 0))
  }
  const sumExpectedVisits = (from: number, to: number) => sumUntil(to) - sumUntil(from)
  return { counts, excluded, hourOfWeek, localSlots, rates, sumExpectedVisits }
}

function sumRates(rates: Float64Array, excluded: Uint8Array): Float64Array {
  const sums = new Float64Array(rates.length + 1)
  for (let slot = 0; slot < rates.length; slot++)
    sums[slot + 1] = (sums[slot] ?? 0) + (excluded[slot] ? 0 : (rates[slot] ?? 0))
  return sums
}

/**
 * Adds six downtimes of Belfry a year on average, of 10 minutes to 12 hours. Their slots have no visits and are
 * excluded.
 */
export function addDowntime({ counts, excluded }: WatchedTraffic, random: RandomSource): void {
  const downtimeCount = random.poisson((DOWNTIMES_A_YEAR * counts.length) / SLOTS_PER_WEEK / 52)
  for (let downtime = 0; downtime < downtimeCount; downtime++) {
    const from = Math.floor(random.uniform() * counts.length)
    const to = from + Math.ceil(2 + random.uniform() ** 2 * 12 * SLOTS_PER_HOUR)
    counts.fill(0, from, to)
    excluded.fill(1, from, to)
  }
}

/**
 * Adds a product launch at a random time: ten times the visits for a day, and 1.5 times the visits after that. Returns
 * the slot in which it begins.
 */
export function addLaunch(
  { counts, rates, excluded }: WatchedTraffic,
  random: RandomSource,
  afterWeeks: number,
): number {
  const first = afterWeeks * SLOTS_PER_WEEK
  const start = first + Math.floor(random.uniform() * (counts.length - first - 4 * SLOTS_PER_WEEK))
  for (let slot = start; slot < counts.length; slot++) {
    const factor = slot < start + SLOTS_PER_DAY ? LAUNCH_FACTOR : 1.5
    rates[slot] = (rates[slot] ?? 0) * factor
    if (!excluded[slot]) counts[slot] = (counts[slot] ?? 0) + random.poisson((rates[slot] ?? 0) * (1 - 1 / factor))
  }
  return start
}
