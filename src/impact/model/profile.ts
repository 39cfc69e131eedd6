/**
 * The profile: how many visits a slot usually has in each local hour of the week, while nothing is wrong. Visits are
 * compared with how busy their day was, so that growth, holidays and gaps in the history don't distort the profile. A
 * profile has one rate per hour. The rates of slots are interpolated between the rates of hours.
 */
import { HOURS_PER_WEEK, SLOTS_PER_DAY, SLOTS_PER_HOUR, SLOTS_PER_WEEK, type VisitHistory } from './visit-history.ts'

export interface ProfileTally {
  firstSlot: number
  /** The slot after the last one. */
  endSlot: number
  weeks: number
  usableSlots: number
  /** Visits by week and hour of the week. Week 0 is the last one, which ends at `endSlot`. */
  visits: Float64Array
  /**
   * Usable slots by week and hour of the week. Each slot counts as much as the level of its day: 0.5 if the day has
   * half of the usual visits.
   */
  exposure: Float64Array
}

/**
 * This number is added to the visits and to the expected visits of each day, so that the level of a day with few visits
 * stays near 1.
 */
const DAY_LEVEL_PRIOR_VISITS = 10
/** Each hour of the day gets this many further visits at the rate of its neighboring hours, which smooths the profile of small websites. */
const NEIGHBOR_PRIOR_VISITS = 10

export function tallyHistory(history: VisitHistory, firstSlot: number, endSlot: number): ProfileTally {
  const hours = collectHours(history, firstSlot, endSlot)
  const hourVisits = new Float64Array(HOURS_PER_WEEK)
  const hourSlots = new Float64Array(HOURS_PER_WEEK)
  for (const { hourOfWeek, visits, slots } of hours) {
    addAt(hourVisits, hourOfWeek, visits)
    addAt(hourSlots, hourOfWeek, slots)
  }

  const days = Math.ceil((endSlot - firstSlot) / SLOTS_PER_DAY)
  const dayVisits = new Float64Array(days).fill(DAY_LEVEL_PRIOR_VISITS)
  const dayExpected = new Float64Array(days).fill(DAY_LEVEL_PRIOR_VISITS)
  for (const { hourOfWeek, slotsBeforeEnd, visits, slots } of hours) {
    const day = Math.floor(slotsBeforeEnd / SLOTS_PER_DAY)
    addAt(dayVisits, day, visits)
    addAt(dayExpected, day, (slots * (hourVisits[hourOfWeek] ?? 0)) / (hourSlots[hourOfWeek] ?? 1))
  }

  const weeks = Math.ceil((endSlot - firstSlot) / SLOTS_PER_WEEK)
  const tally = {
    firstSlot,
    endSlot,
    weeks,
    usableSlots: hourSlots.reduce((sum, slots) => sum + slots, 0),
    visits: new Float64Array(weeks * HOURS_PER_WEEK),
    exposure: new Float64Array(weeks * HOURS_PER_WEEK),
  }
  for (const { hourOfWeek, slotsBeforeEnd, visits, slots } of hours) {
    const day = Math.floor(slotsBeforeEnd / SLOTS_PER_DAY)
    const cell = Math.floor(slotsBeforeEnd / SLOTS_PER_WEEK) * HOURS_PER_WEEK + hourOfWeek
    addAt(tally.visits, cell, visits)
    addAt(tally.exposure, cell, (slots * (dayVisits[day] ?? 1)) / (dayExpected[day] ?? 1))
  }
  return tally
}

interface HourTally {
  hourOfWeek: number
  /** Slots from the hour's last slot to the end of the tally. */
  slotsBeforeEnd: number
  visits: number
  /** Usable slots of the hour. */
  slots: number
}

/** Adds up the usable slots of each hour. Hours without any are left out. */
function collectHours({ counts, excluded, hourOfWeek }: VisitHistory, firstSlot: number, endSlot: number): HourTally[] {
  const hours: HourTally[] = []
  let visits = 0
  let slots = 0
  for (let slot = firstSlot; slot < endSlot; slot++) {
    if (!excluded[slot]) {
      visits += counts[slot] ?? 0
      slots++
    }
    if (slot + 1 < endSlot && hourOfWeek[slot + 1] === hourOfWeek[slot]) continue
    if (slots > 0) hours.push({ hourOfWeek: hourOfWeek[slot] ?? 0, slotsBeforeEnd: endSlot - 1 - slot, visits, slots })
    visits = 0
    slots = 0
  }
  return hours
}

/**
 * Returns the visits per slot for each hour of the week, fitted to all weeks except one. Each rate is between the
 * hour's own mean and the product of two factors: hour of the day × weekday. The more the hours of this website differ
 * from that product beyond chance, the closer the rates are to the hours' own means. A prediction calls this function
 * once per week, so it and its helpers use plain loops, which take half the time of map and reduce.
 */
export function fitVisitProfile(tally: ProfileTally, exceptWeek: number | undefined): Float64Array {
  const visits = new Float64Array(HOURS_PER_WEEK)
  const exposure = new Float64Array(HOURS_PER_WEEK)
  const weeks: number[] = []
  for (let week = 0; week < tally.weeks; week++) if (week !== exceptWeek) weeks.push(week)
  for (const week of weeks)
    for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
      addAt(visits, hour, tally.visits[week * HOURS_PER_WEEK + hour] ?? 0)
      addAt(exposure, hour, tally.exposure[week * HOURS_PER_WEEK + hour] ?? 0)
    }
  const product = fitHoursTimesWeekdays(visits, exposure)
  const noise = estimateWeekDispersion(tally, weeks, visits, exposure) / Math.max(1, weeks.length)

  let excess = 0
  let weight = 0
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
    const expected = (product[hour] ?? 0) * (exposure[hour] ?? 0)
    if (expected <= 0) continue
    excess += expected * (((visits[hour] ?? 0) / expected - 1) ** 2 - 1 / expected - noise)
    weight += expected
  }
  const difference = weight > 0 ? Math.max(0, excess / weight) : 0
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
    const rate = product[hour] ?? 0
    const expected = rate * (exposure[hour] ?? 0)
    if (expected <= 0) continue
    const trust = difference / (difference + 1 / expected + noise)
    product[hour] = rate * (1 + trust * ((visits[hour] ?? 0) / expected - 1))
  }
  return product
}

/**
 * Returns how much the visits of the same hour differ between weeks beyond chance: their variance beyond that of
 * Poisson counts, divided by mean².
 */
function estimateWeekDispersion(
  tally: ProfileTally,
  weeks: readonly number[],
  visits: Float64Array,
  exposure: Float64Array,
): number {
  let excess = 0
  let squares = 0
  for (const week of weeks)
    for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
      if (!((exposure[hour] ?? 0) > 0)) continue
      const share = (tally.exposure[week * HOURS_PER_WEEK + hour] ?? 0) / (exposure[hour] ?? 0)
      const mean = (visits[hour] ?? 0) * share
      // The mean contains the visits of this week, which makes the difference from it smaller. The factor 1 − share
      // corrects that.
      excess += ((tally.visits[week * HOURS_PER_WEEK + hour] ?? 0) - mean) ** 2 - mean * (1 - share)
      squares += mean ** 2 * (1 - share)
    }
  return squares > 0 ? Math.max(0, excess / squares) : 0
}

function fitHoursTimesWeekdays(visits: Float64Array, exposure: Float64Array): Float64Array {
  const weekdays = new Float64Array(7).fill(1)
  let hours = new Float64Array(24)
  // Two rounds are enough: over whole weeks, each hour of the day occurs about equally often on each weekday.
  for (let round = 0; round < 2; round++) {
    hours = fitHours(visits, exposure, weekdays)
    for (let weekday = 0; weekday < 7; weekday++) {
      let actual = NEIGHBOR_PRIOR_VISITS
      let expected = NEIGHBOR_PRIOR_VISITS
      for (let hour = 0; hour < 24; hour++) {
        actual += visits[weekday * 24 + hour] ?? 0
        expected += (exposure[weekday * 24 + hour] ?? 0) * (hours[hour] ?? 0)
      }
      weekdays[weekday] = actual / expected
    }
  }
  const product = new Float64Array(HOURS_PER_WEEK)
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++)
    product[hour] = (hours[hour % 24] ?? 0) * (weekdays[Math.floor(hour / 24)] ?? 0)
  return product
}

function fitHours(visits: Float64Array, exposure: Float64Array, weekdays: Float64Array): Float64Array<ArrayBuffer> {
  const actual = new Float64Array(24)
  const expected = new Float64Array(24)
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
    addAt(actual, hour % 24, visits[hour] ?? 0)
    addAt(expected, hour % 24, (exposure[hour] ?? 0) * (weekdays[Math.floor(hour / 24)] ?? 0))
  }
  const rates = new Float64Array(24)
  for (let hour = 0; hour < 24; hour++) {
    const [hourBefore, hourAfter] = [(hour + 23) % 24, (hour + 1) % 24]
    const nearExposure = (expected[hourBefore] ?? 0) + (expected[hour] ?? 0) + (expected[hourAfter] ?? 0)
    const nearVisits = (actual[hourBefore] ?? 0) + (actual[hour] ?? 0) + (actual[hourAfter] ?? 0)
    if (nearExposure <= 0 || nearVisits <= 0) continue
    const nearRate = nearVisits / nearExposure
    const prior = Math.min(NEIGHBOR_PRIOR_VISITS, nearRate * nearExposure)
    rates[hour] = ((actual[hour] ?? 0) + prior) / ((expected[hour] ?? 0) + prior / nearRate)
  }
  return rates
}

/** Returns the visits that a profile expects from `from` to `to`. Both are times in slots, as in the history. */
export function sumProfile(history: VisitHistory, profile: Float64Array, from: number, to: number): number {
  const sharpProfile = sharpenProfile(profile)
  let sum = 0
  for (let slot = Math.floor(from); slot < to; slot++) {
    const share = Math.min(to, slot + 1) - Math.max(from, slot)
    sum += share * interpolateRate(sharpProfile, history.hourOfWeek[slot] ?? 0, findSlotOfHour(history, slot))
  }
  return sum
}

/**
 * Returns the number of the slot within its local hour: 0 is the first five minutes. Counts back to the beginning of
 * the hour. When clocks go back, the same hour comes twice in a row, and each time its slots begin with 0. The history
 * may start in the middle of its first hour, so in that hour this counts ahead to the end of the hour instead.
 */
export function findSlotOfHour({ hourOfWeek }: VisitHistory, slot: number): number {
  let slotsBefore = 0
  while (
    slotsBefore < slot &&
    slotsBefore < 2 * SLOTS_PER_HOUR &&
    hourOfWeek[slot - slotsBefore - 1] === hourOfWeek[slot]
  )
    slotsBefore++
  if (slotsBefore < slot) return slotsBefore % SLOTS_PER_HOUR
  let slotsAhead = 1
  while (slotsAhead < SLOTS_PER_HOUR && hourOfWeek[slot + slotsAhead] === hourOfWeek[slot]) slotsAhead++
  return SLOTS_PER_HOUR - slotsAhead
}

/**
 * Exaggerates the peaks and dips of a profile. `interpolateRate` draws a straight line from the middle of one hour to
 * the middle of the next, which flattens them again, so that the mean of each hour stays about the same.
 */
export function sharpenProfile(rates: Float64Array): Float64Array {
  const sharpRates = new Float64Array(HOURS_PER_WEEK)
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
    const rate = rates[hour] ?? 0
    const rateBefore = rates[(hour + HOURS_PER_WEEK - 1) % HOURS_PER_WEEK] ?? 0
    const rateAfter = rates[(hour + 1) % HOURS_PER_WEEK] ?? 0
    sharpRates[hour] = Math.max(0, rate - (rateBefore - 2 * rate + rateAfter) / 8)
  }
  return sharpRates
}

/** `slotOfHour` is 0 for the first five minutes of the hour. */
export function interpolateRate(sharpRates: Float64Array, hour: number, slotOfHour: number): number {
  const position = (slotOfHour + 0.5) / SLOTS_PER_HOUR - 0.5
  const neighbor = position < 0 ? (hour === 0 ? HOURS_PER_WEEK : hour) - 1 : hour === HOURS_PER_WEEK - 1 ? 0 : hour + 1
  const share = Math.abs(position)
  return (sharpRates[hour] ?? 0) * (1 - share) + (sharpRates[neighbor] ?? 0) * share
}

export function addAt(values: Float64Array, index: number, amount: number): void {
  values[index] = (values[index] ?? 0) + amount
}
