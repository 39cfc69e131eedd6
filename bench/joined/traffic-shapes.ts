/**
 * Simulated traffic of websites of several shapes, with the irregularities of real ones: a level that varies by day and
 * hour, counts with more variance than Poisson, holidays, bursts, and daylight saving time. This file uses nothing of
 * the models that the simulations test.
 */
import { HOURS_PER_WEEK, SLOTS_PER_DAY, SLOTS_PER_HOUR, SLOTS_PER_WEEK } from '../../src/impact/model/visit-history.ts'
import type { RandomSource } from '../../tests/support/random-source.ts'

export const shapes = ['steady', 'nightly zero', 'weekly rhythm', 'growing', 'bursty', 'tiny'] as const
/** Shapes that only the simulations of unusual conditions use. */
const furtherShapes = ['office'] as const
export type TrafficShape = (typeof shapes)[number] | (typeof furtherShapes)[number]

export interface SimulatedTraffic {
  /** Visits begun in each slot. Their times are uniform within the slot. */
  counts: Uint32Array
  hourOfWeek: Uint8Array
  /** The local time of each slot, in slots since a Monday at midnight. */
  localSlots: Uint32Array
  /** The mean of each count, which no model sees: profile × level × holiday × bursts. */
  rates: Float64Array
}

interface ShapeTraits {
  /** Websites of a shape differ: the mean visits a day are drawn from this range, uniformly in their logarithm. */
  visitsADay: [number, number]
  /** Weight of each local hour of the day, and of each weekday from Monday on. */
  hours: readonly number[]
  weekdays: readonly number[]
  growthAWeek: number
  /** Standard deviations of the logarithm of the level: how much days and single hours differ. */
  dayVariation: number
  hourVariation: number
  /** Extra variance of each slot's count, relative to mean². */
  slotDispersion: number
  /** A burst is sudden visits that fade within hours, for example after a newsletter or a link from a large website. */
  burstsAWeek: number
}

// biome-ignore format: 24 hours fit a line.
const dayHours = [0.35, 0.25, 0.18, 0.15, 0.15, 0.2, 0.4, 0.7, 1, 1.25, 1.4, 1.45, 1.35, 1.4, 1.45, 1.4, 1.35, 1.3, 1.35, 1.5, 1.6, 1.45, 1.1, 0.65]
// biome-ignore format: 24 hours fit a line.
const openHours = [0, 0, 0, 0, 0, 0, 0, 0.3, 1, 1.8, 2, 2.1, 1.6, 1.8, 2, 2, 1.8, 1.5, 1.2, 0.9, 0.5, 0.1, 0, 0]
// biome-ignore format: 24 hours fit a line.
const officeHours = [0.08, 0.06, 0.05, 0.05, 0.06, 0.1, 0.3, 0.9, 1.9, 2.5, 2.6, 2.4, 1.7, 2.2, 2.4, 2.3, 1.9, 1.2, 0.6, 0.4, 0.3, 0.25, 0.18, 0.1]
const flatHours = Array.from({ length: 24 }, (_, hour) => 1 + 0.2 * Math.sin(((hour - 9) / 12) * Math.PI))
const evenWeek = [1, 1, 1, 1, 1, 1, 1]
const mildWeek = [1.05, 1.08, 1.08, 1.05, 1, 0.87, 0.87]
const closedWeek = [1.3, 1.35, 1.35, 1.3, 1.15, 0.12, 0.15]
const officeWeek = [1.3, 1.35, 1.35, 1.3, 1.1, 0.3, 0.3]

const common = { growthAWeek: 0, dayVariation: 0.1, hourVariation: 0.05, slotDispersion: 0.02, burstsAWeek: 0 }

const traits: Record<TrafficShape, ShapeTraits> = {
  steady: { ...common, visitsADay: [400, 4000], hours: flatHours, weekdays: evenWeek },
  'nightly zero': { ...common, visitsADay: [200, 2000], hours: openHours, weekdays: mildWeek },
  'weekly rhythm': { ...common, visitsADay: [500, 5000], hours: dayHours, weekdays: officeWeek },
  growing: { ...common, visitsADay: [200, 1000], hours: dayHours, weekdays: mildWeek, growthAWeek: 0.035 },
  bursty: {
    ...common,
    visitsADay: [400, 4000],
    hours: dayHours,
    weekdays: mildWeek,
    dayVariation: 0.15,
    hourVariation: 0.15,
    slotDispersion: 0.15,
    burstsAWeek: 2,
  },
  tiny: { ...common, visitsADay: [10, 60], hours: dayHours, weekdays: mildWeek },
  office: { ...common, visitsADay: [200, 3000], hours: officeHours, weekdays: closedWeek },
}

const HOLIDAYS_A_YEAR = 10
/** The correlation of the level from one day to the next, and from one hour to the next. */
const DAY_PERSISTENCE = 0.7
const HOUR_PERSISTENCE = 0.6
/** Clocks change on Sundays at 2:00: after 30 weeks of daylight saving time, and after 22 weeks of standard time. */
const SUMMER_WEEKS = 30
const YEAR_WEEKS = 52
const CHANGE_SLOT_OF_WEEK = 6 * SLOTS_PER_DAY + 2 * SLOTS_PER_HOUR

/**
 * Returns the factor by which the rate of a slot is multiplied. `localSlot` is its local time, in slots since a Monday
 * at midnight.
 */
export type RateChange = (slot: number, localSlot: number) => number

/** `findChange` gets the local time of each slot, and returns how the rates of this website change. */
export function simulateTraffic(
  shape: TrafficShape,
  random: RandomSource,
  weeks: number,
  findChange?: (localSlots: Uint32Array) => RateChange,
): SimulatedTraffic {
  const slots = Math.ceil(weeks * SLOTS_PER_WEEK)
  const trait = traits[shape]
  const localSlots = simulateLocalSlots(slots, random)
  const change = findChange?.(localSlots)
  const levels = simulateLevels(trait, localSlots, random)
  const bursts = simulateBursts(trait, slots, random)
  const [min, max] = trait.visitsADay
  const meanPerSlot = (min * (max / min) ** random.uniform()) / SLOTS_PER_DAY
  const meanWeight = (sum(trait.hours) / 24) * (sum(trait.weekdays) / 7)
  const traffic = {
    counts: new Uint32Array(slots),
    hourOfWeek: new Uint8Array(slots),
    localSlots,
    rates: new Float64Array(slots),
  }
  for (let slot = 0; slot < slots; slot++) {
    const hourOfWeek = Math.floor((localSlots[slot] ?? 0) / SLOTS_PER_HOUR) % HOURS_PER_WEEK
    const weight = interpolateHours(trait, localSlots[slot] ?? 0) / meanWeight
    const growth = (1 + trait.growthAWeek) ** (slot / SLOTS_PER_WEEK)
    const usualRate = meanPerSlot * weight * growth * (levels[slot] ?? 1) * (1 + (bursts[slot] ?? 0))
    const rate = usualRate * (change?.(slot, localSlots[slot] ?? 0) ?? 1)
    traffic.hourOfWeek[slot] = hourOfWeek
    traffic.rates[slot] = rate
    traffic.counts[slot] = random.negativeBinomial(rate, trait.slotDispersion)
  }
  return traffic
}

/** The local time of each slot, in slots since a Monday at midnight. It jumps where the clocks change. */
function simulateLocalSlots(slots: number, random: RandomSource): Uint32Array {
  const start = Math.floor(random.uniform() * SLOTS_PER_WEEK)
  const startWeek = Math.floor(random.uniform() * YEAR_WEEKS)
  return Uint32Array.from({ length: slots }, (_, slot) => {
    const localSlot = start + slot
    const changes = Math.floor((localSlot + SLOTS_PER_WEEK - CHANGE_SLOT_OF_WEEK) / SLOTS_PER_WEEK)
    return localSlot + ((startWeek + changes) % YEAR_WEEKS < SUMMER_WEEKS ? SLOTS_PER_HOUR : 0)
  })
}

/** Real traffic doesn't jump at full hours, so the weight is interpolated from the middle of one hour to the middle of the next. */
function interpolateHours({ hours, weekdays }: ShapeTraits, localSlot: number): number {
  const position = localSlot / SLOTS_PER_HOUR - 0.5 + 1 / (2 * SLOTS_PER_HOUR)
  const hour = Math.floor(position)
  const weightOf = (hour: number) =>
    (hours[(hour + HOURS_PER_WEEK) % 24] ?? 0) *
    (weekdays[Math.floor(((hour + HOURS_PER_WEEK) % HOURS_PER_WEEK) / 24)] ?? 0)
  return weightOf(hour) * (1 - position + hour) + weightOf(hour + 1) * (position - hour)
}

/**
 * Returns the level of each slot: the product of a level of its day, one of its hour, and a factor for holidays, which
 * are whole local days with 30 to 70 % of the visits.
 */
function simulateLevels(trait: ShapeTraits, localSlots: Uint32Array, random: RandomSource): Float64Array {
  const levels = new Float64Array(localSlots.length)
  let hourLevel = random.normal()
  let dayLevel = random.normal()
  let nextDayLevel = random.normal()
  let holiday = 1
  let localDay = -1
  for (let slot = 0; slot < levels.length; slot++) {
    const localSlot = localSlots[slot] ?? 0
    const day = Math.floor(localSlot / SLOTS_PER_DAY)
    if (day !== localDay) {
      localDay = day
      dayLevel = nextDayLevel
      nextDayLevel = stepLevel(nextDayLevel, DAY_PERSISTENCE, random)
      holiday = random.uniform() < HOLIDAYS_A_YEAR / 365 ? 0.3 + 0.4 * random.uniform() : 1
    }
    if (slot % SLOTS_PER_HOUR === 0) hourLevel = stepLevel(hourLevel, HOUR_PERSISTENCE, random)
    const dayPart = (localSlot % SLOTS_PER_DAY) / SLOTS_PER_DAY
    const smoothDayLevel = dayLevel * (1 - dayPart) + nextDayLevel * dayPart
    levels[slot] = holiday * Math.exp(trait.dayVariation * smoothDayLevel + trait.hourVariation * hourLevel)
  }
  return levels
}

/** Returns the next level: an autoregressive step that keeps mean 0 and variance 1. */
function stepLevel(level: number, persistence: number, random: RandomSource): number {
  return persistence * level + Math.sqrt(1 - persistence ** 2) * random.normal()
}

/** Each burst multiplies the rate by 2 to 6 at first, and fades with a time constant of 1 to 4 hours. */
function simulateBursts({ burstsAWeek }: ShapeTraits, slots: number, random: RandomSource): Float64Array {
  const bursts = new Float64Array(slots)
  const count = random.poisson((burstsAWeek * slots) / SLOTS_PER_WEEK)
  for (let burst = 0; burst < count; burst++) {
    const start = Math.floor(random.uniform() * slots)
    const height = 1 + 4 * random.uniform()
    const fadeSlots = (1 + 3 * random.uniform()) * SLOTS_PER_HOUR
    for (let slot = start; slot < Math.min(slots, start + 6 * fadeSlots); slot++)
      bursts[slot] = (bursts[slot] ?? 0) + height * Math.exp((start - slot) / fadeSlots)
  }
  return bursts
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
