/**
 * The usual week of a website: expected visits per slot for each local hour of the week, from the last 8 weeks. The
 * visits of each hour are compared with the level of its day, so that a holiday or a growing website doesn't distort
 * single hours.
 */
import { HOURS_PER_WEEK, SLOTS_PER_DAY, SLOTS_PER_HOUR, type VisitHistory } from '../model/visit-history.ts'

/**
 * The weight of the prior (hour of the day × weekday), in visits: if an hour of the week has this many visits, its own
 * count and the prior weigh the same. `findPriorVisits` chooses a weight between these limits.
 */
const MIN_PRIOR_VISITS = 8
const MAX_PRIOR_VISITS = 60
/** If an hour of the day has this many visits, its own count and the rates of its neighboring hours weigh the same. */
const PRIOR_NEIGHBOR_VISITS = 15
/**
 * If this many visits are expected on a day, its actual visits and the usual level weigh the same in the day's level.
 */
const PRIOR_DAY_VISITS = 5
/**
 * The visits of an hour count up to this multiple of its expected visits, plus a margin for chance, so that one burst
 * doesn't become usual.
 */
const MAX_HOUR_FACTOR = 2

export interface HourTotals {
  /** There is one element for each hour, or part of an hour, that has slots which are not excluded. */
  visits: number[]
  slots: number[]
  hourOfWeek: number[]
  /** The day of each element: the number of days, of 24 hours each, since the first slot that was read. */
  day: number[]
}

export function sumHours(history: VisitHistory, from: number, to: number): HourTotals {
  const totals: HourTotals = { visits: [], slots: [], hourOfWeek: [], day: [] }
  let slot = from
  while (slot < to) {
    const hour = history.hourOfWeek[slot] ?? 0
    const day = Math.floor((slot - from) / SLOTS_PER_DAY)
    const end = Math.min(to, slot + SLOTS_PER_HOUR)
    let visits = 0
    let slots = 0
    for (; slot < end && history.hourOfWeek[slot] === hour; slot++) {
      if (history.excluded[slot]) continue
      visits += history.counts[slot] ?? 0
      slots++
    }
    if (slots === 0) continue
    totals.visits.push(visits)
    totals.slots.push(slots)
    totals.hourOfWeek.push(hour)
    totals.day.push(day)
  }
  return totals
}

export interface DayLevel {
  actual: number
  expected: number
}

/**
 * Returns the level of each day, and the expected visits per slot by hour of the week, at the mean level of the last
 * two weeks.
 */
export function fitProfile(totals: HourTotals): { rates: number[]; days: DayLevel[] } {
  const flatRates = new Array<number>(HOURS_PER_WEEK).fill(mean(totals))
  const firstShape = shapeWeek(totals, flatRates, undefined)
  const secondShape = shapeWeek(totals, firstShape, measureDays(totals, firstShape).map(shrinkLevel))
  const days = measureDays(totals, secondShape)
  const levels = days.slice(-14).map(shrinkLevel)
  const level = levels.reduce((sum, value) => sum + value, 0) / Math.max(1, levels.length)
  return { rates: secondShape.map((rate) => rate * level), days }
}

/** Returns the level of a day. If few visits are expected on the day, its level is pulled towards 1. */
function shrinkLevel({ actual, expected }: DayLevel): number {
  return Math.max(0.05, (actual + PRIOR_DAY_VISITS) / (expected + PRIOR_DAY_VISITS))
}

function mean({ visits, slots }: HourTotals): number {
  let visitSum = 0
  let slotSum = 0
  for (let index = 0; index < visits.length; index++) {
    visitSum += visits[index] ?? 0
    slotSum += slots[index] ?? 0
  }
  return slotSum > 0 ? visitSum / slotSum : 0
}

function measureDays({ visits, slots, hourOfWeek, day }: HourTotals, rates: readonly number[]): DayLevel[] {
  const days = (day.at(-1) ?? 0) + 1
  const actual = new Float64Array(days)
  const expected = new Float64Array(days)
  for (let index = 0; index < visits.length; index++) {
    const at = day[index] ?? 0
    const usualVisits = (rates[hourOfWeek[index] ?? 0] ?? 0) * (slots[index] ?? 0)
    actual[at] =
      (actual[at] ?? 0) + Math.min(visits[index] ?? 0, MAX_HOUR_FACTOR * usualVisits + 3 * Math.sqrt(usualVisits) + 1)
    expected[at] = (expected[at] ?? 0) + usualVisits
  }
  return Array.from(actual, (value, index) => ({ actual: value, expected: expected[index] ?? 0 }))
}

/**
 * Fits the rate of each hour of the week to its own visits. The prior is the product hour of the day × weekday, which
 * is fitted to more visits. `levels` are the days' levels: an hour of a holiday with the level 0.4 counts as 0.4 usual
 * hours.
 */
function shapeWeek(totals: HourTotals, usualRates: readonly number[], levels: number[] | undefined): number[] {
  const visits = new Float64Array(HOURS_PER_WEEK)
  const exposure = new Float64Array(HOURS_PER_WEEK)
  for (let index = 0; index < totals.visits.length; index++) {
    const hour = totals.hourOfWeek[index] ?? 0
    const level = levels?.[totals.day[index] ?? 0] ?? 1
    const slots = (totals.slots[index] ?? 0) * level
    const expected = slots * (usualRates[hour] ?? 0)
    const actual = totals.visits[index] ?? 0
    visits[hour] =
      (visits[hour] ?? 0) +
      (levels ? Math.min(actual, MAX_HOUR_FACTOR * expected + 3 * Math.sqrt(expected) + 1) : actual)
    exposure[hour] = (exposure[hour] ?? 0) + slots
  }
  const prior = multiplyDayAndHour(visits, exposure)
  const priorVisits = findPriorVisits(visits, exposure, prior)
  return prior.map((rate, hour) =>
    rate > 0 ? ((visits[hour] ?? 0) + priorVisits) / ((exposure[hour] ?? 0) + priorVisits / rate) : 0,
  )
}

/**
 * Returns how many visits the prior, hour of the day × weekday, counts for. The more the hours of the week differ from
 * the prior beyond chance, the less it counts.
 */
function findPriorVisits(visits: Float64Array, exposure: Float64Array, prior: readonly number[]): number {
  let excess = 0
  let squares = 0
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
    const expected = (exposure[hour] ?? 0) * (prior[hour] ?? 0)
    excess += ((visits[hour] ?? 0) - expected) ** 2 - expected
    squares += expected ** 2
  }
  return Math.min(MAX_PRIOR_VISITS, Math.max(MIN_PRIOR_VISITS, squares / Math.max(1, excess)))
}

function multiplyDayAndHour(visits: Float64Array, exposure: Float64Array): number[] {
  const byHour = new Float64Array(24)
  const hourExposure = new Float64Array(24)
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
    byHour[hour % 24] = (byHour[hour % 24] ?? 0) + (visits[hour] ?? 0)
    hourExposure[hour % 24] = (hourExposure[hour % 24] ?? 0) + (exposure[hour] ?? 0)
  }
  const hourRate = smoothHours(byHour, hourExposure)
  const factors = Array.from({ length: 7 }, (_, weekday) => {
    let actual = PRIOR_DAY_VISITS
    let expected = PRIOR_DAY_VISITS
    for (let hour = 0; hour < 24; hour++) {
      actual += visits[weekday * 24 + hour] ?? 0
      expected += (exposure[weekday * 24 + hour] ?? 0) * (hourRate[hour] ?? 0)
    }
    return actual / expected
  })
  return Array.from(
    { length: HOURS_PER_WEEK },
    (_, hour) => (hourRate[hour % 24] ?? 0) * (factors[Math.floor(hour / 24)] ?? 1),
  )
}

function smoothHours(visits: Float64Array, exposure: Float64Array): number[] {
  const rateOf = (hour: number) => (visits[(hour + 24) % 24] ?? 0) / Math.max(1, exposure[(hour + 24) % 24] ?? 0)
  return Array.from(visits, (ownVisits, hour) => {
    const nearRate = (rateOf(hour - 1) + 2 * rateOf(hour) + rateOf(hour + 1)) / 4
    return nearRate > 0
      ? (ownVisits + PRIOR_NEIGHBOR_VISITS) / ((exposure[hour] ?? 0) + PRIOR_NEIGHBOR_VISITS / nearRate)
      : 0
  })
}
