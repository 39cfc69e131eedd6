/**
 * Finds out whether the alarms of a replay were on days with few visits, such as public holidays, and which days the owner could list
 * as quiet days so that they cause no alarms.
 */
import { localDay, localDayAt } from '../../lib/local-day.ts'
import { holidayCountries } from '../../shared/holiday-countries.ts'
import { MAX_QUIET_DAYS } from '../../shared/websites.ts'
import { getHolidays } from '../../websites/holidays.ts'
import { SLOT_MS, SLOTS_PER_DAY, type VisitHistory } from '../model/visit-history.ts'
import type { ReplayedAlarm, SilenceReplay } from '../silence/replay-silence.ts'
import { WEEKS_A_YEAR } from '../silence/silence.ts'

export interface QuietPattern {
  /** The number of alarms on days with few visits. */
  quietAlarms: number
  /** The country whose public holidays match the days with few visits best. null if none matches well. */
  suggestedHolidays: string | null
  /** Days with few visits that are not among these holidays, as YYYY-MM-DD. */
  suggestedQuietDays: string[]
}

/** A day with less than this share of its usual visits is a day with few visits. */
const MAX_QUIET_SHARE = 0.5
/** A day with fewer usual visits than this is not judged, because its few visits may be chance. */
const MIN_USUAL_VISITS = 10
/**
 * A day has few visits only if they are below the usual ones by this many standard deviations of a Poisson count. A
 * smaller difference may be chance.
 */
const MIN_DIFFERENCE = 3
/** A day is judged only if at least this share of it is not excluded. */
const MIN_USABLE_SHARE = 0.8
/**
 * The usual visits are those of the same weekday in this many weeks before and after. School holidays last up to twelve
 * weeks, so these weeks also contain usual ones.
 */
const COMPARED_WEEKS = 13
/**
 * The visits of the day of an alarm are compared without the alarm's gap. If less than this share of the day's usual
 * visits is outside of the gap, the whole day is compared.
 */
const MIN_SHARE_OUTSIDE = 0.3
/**
 * The holidays of a country match if at least this many of them, and at least this share of them, are days with few visits.
 */
const MIN_MATCHING_HOLIDAYS = 3
const MIN_MATCHING_SHARE = 0.6

interface Day {
  day: string
  firstSlot: number
  endSlot: number
  isUsable: boolean
}

export function findQuietPattern(
  history: VisitHistory,
  { startsAt, timeZone }: { startsAt: Date; timeZone: string },
  alarms: readonly ReplayedAlarm[],
): QuietPattern {
  const visitSums = computeRunningSums(history.counts, (count) => count)
  const usableSums = computeRunningSums(history.excluded, (isExcluded) => (isExcluded ? 0 : 1))
  const days = listLocalDays(history.counts.length, startsAt, timeZone, usableSums)
  const countVisits = (from: number, to: number) =>
    (visitSums[Math.min(to, visitSums.length - 1)] ?? 0) - (visitSums[from] ?? 0)

  /**
   * Returns whether a day has few visits, compared with the same weekday in other weeks. The time from `gapFrom` to
   * `gapTo` is left out on all of these days.
   */
  const isQuiet = (index: number, gapFrom = 0, gapTo = 0): boolean => {
    const { firstSlot, endSlot } = days[index] as Day
    const [from, to] = [Math.max(firstSlot, gapFrom), Math.min(endSlot, gapTo)]
    const [skipFrom, skipTo] = from < to ? [from - firstSlot, to - firstSlot] : [0, 0]
    const ownVisits = countVisits(firstSlot, endSlot) - countVisits(firstSlot + skipFrom, firstSlot + skipTo)
    const otherVisits: number[] = []
    for (let week = -COMPARED_WEEKS; week <= COMPARED_WEEKS; week++) {
      const otherDay = days[index + 7 * week]
      if (week === 0 || !otherDay?.isUsable) continue
      otherVisits.push(
        countVisits(otherDay.firstSlot, otherDay.firstSlot + endSlot - firstSlot) -
          countVisits(otherDay.firstSlot + skipFrom, otherDay.firstSlot + skipTo),
      )
    }
    const usualVisits = findMedian(otherVisits)
    return (
      usualVisits >= MIN_USUAL_VISITS &&
      ownVisits < MAX_QUIET_SHARE * usualVisits &&
      usualVisits - ownVisits > MIN_DIFFERENCE * Math.sqrt(usualVisits)
    )
  }
  const findUsualVisits = (index: number, from: number, to: number): number =>
    findMedian(
      [-1, 1, -2, 2, -3, 3].flatMap((week) => {
        const otherDay = days[index + 7 * week]
        return otherDay?.isUsable ? [countVisits(otherDay.firstSlot + from, otherDay.firstSlot + to)] : []
      }),
    )

  const outageDays = new Set<number>()
  let quietAlarms = 0
  for (const { from, to, alarmAt } of alarms) {
    const index = days.findIndex(({ firstSlot, endSlot }) => alarmAt >= firstSlot && alarmAt < endSlot)
    const { firstSlot, endSlot, isUsable } = days[index] ?? { firstSlot: 0, endSlot: 0, isUsable: false }
    // A day that is not over yet, such as today, may still get its usual visits.
    if (!isUsable) continue
    const [gapFrom, gapTo] = [Math.max(firstSlot, Math.floor(from)), Math.min(endSlot, Math.ceil(to))]
    const usualVisits = findUsualVisits(index, 0, endSlot - firstSlot)
    const isPartOfDay =
      usualVisits - findUsualVisits(index, gapFrom - firstSlot, gapTo - firstSlot) >= MIN_SHARE_OUTSIDE * usualVisits
    if (isPartOfDay ? isQuiet(index, gapFrom, gapTo) : isQuiet(index)) quietAlarms++
    else outageDays.add(index)
  }
  const quietDays = days.flatMap(({ day, isUsable }, index) =>
    isUsable && !outageDays.has(index) && isQuiet(index) ? [day] : [],
  )
  const suggestedHolidays = quietAlarms === 0 ? null : findMatchingCountry(quietDays, days)
  const holidays = suggestedHolidays === null ? undefined : getHolidays(suggestedHolidays)
  return {
    quietAlarms,
    suggestedHolidays,
    suggestedQuietDays: quietAlarms === 0 ? [] : quietDays.filter((day) => !holidays?.has(day)).slice(-MAX_QUIET_DAYS),
  }
}

/**
 * Returns whether the alarms on days with few visits exceed the budget. Holidays come every year, so two such alarms
 * are not due to chance, and will come again. Alarms on other days must exceed the budget by far, which the Poisson
 * test of the replay decides.
 */
export function exceedsBudgetOnQuietDays(
  { weeksReplayed }: Pick<SilenceReplay, 'weeksReplayed'>,
  { quietAlarms }: Pick<QuietPattern, 'quietAlarms'>,
  alarmBudgetAYear: number,
): boolean {
  return quietAlarms >= 2 && quietAlarms > Math.ceil((alarmBudgetAYear * weeksReplayed) / WEEKS_A_YEAR)
}

/** Lists the local days, oldest first. The first and the last day may be incomplete. */
function listLocalDays(slotCount: number, startsAt: Date, timeZone: string, usableSums: Float64Array): Day[] {
  const toSlot = (at: number) => Math.min(slotCount, Math.max(0, Math.round((at - startsAt.getTime()) / SLOT_MS)))
  const days: Day[] = []
  let next = localDayAt(timeZone, startsAt.getTime())
  while (toSlot(next.startsAt) < slotCount) {
    const [firstSlot, endSlot] = [toSlot(next.startsAt), toSlot(next.endsAt)]
    const usableSlots = (usableSums[endSlot] ?? 0) - (usableSums[firstSlot] ?? 0)
    days.push({ day: next.day, firstSlot, endSlot, isUsable: usableSlots >= MIN_USABLE_SHARE * SLOTS_PER_DAY })
    next = localDay(timeZone, Temporal.PlainDate.from(next.day).add({ days: 1 }).toString())
  }
  return days
}

/**
 * Finds the country whose public holidays on working days match the days with few visits best. Returns null if none
 * matches well.
 */
function findMatchingCountry(quietDays: readonly string[], days: readonly Day[]): string | null {
  const quietWorkdays = new Set(quietDays.filter(isWorkday))
  if (quietWorkdays.size < MIN_MATCHING_HOLIDAYS) return null
  const workdays = days.filter(({ day, isUsable }) => isUsable && isWorkday(day)).map(({ day }) => day)
  let bestMatch: { country: string; score: number } | undefined
  for (const country of holidayCountries) {
    const holidays = workdays.filter((day) => getHolidays(country).has(day))
    const matchCount = holidays.filter((day) => quietWorkdays.has(day)).length
    if (matchCount < MIN_MATCHING_HOLIDAYS || matchCount < MIN_MATCHING_SHARE * holidays.length) continue
    const score = matchCount - (holidays.length - matchCount)
    if (bestMatch === undefined || score > bestMatch.score) bestMatch = { country, score }
  }
  return bestMatch?.country ?? null
}

const isWorkday = (day: string) => Temporal.PlainDate.from(day).dayOfWeek <= 5

/** Returns running sums: the difference between two of them is the sum of the values between their positions. */
function computeRunningSums(values: ArrayLike<number>, toNumber: (value: number) => number): Float64Array {
  const sums = new Float64Array(values.length + 1)
  for (let index = 0; index < values.length; index++)
    sums[index + 1] = (sums[index] ?? 0) + toNumber(values[index] ?? 0)
  return sums
}

function findMedian(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}
