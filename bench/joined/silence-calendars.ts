/**
 * Simulates websites whose visitors are on holiday. Measures how many false alarms traffic alerts cause if the holidays
 * are listed as quiet days and if they are not, and what the replay says about these days.
 */
import { SLOT_MS, SLOTS_PER_DAY } from '../../src/impact/model/visit-history.ts'
import { exceedsBudgetOnQuietDays, findQuietPattern } from '../../src/impact/replay/quiet-pattern.ts'
import { replaySilence } from '../../src/impact/silence/replay-silence.ts'
import { createRandomSource, type RandomSource } from '../../tests/support/random-source.ts'
import { reportPerformancePromise } from '../support/report.ts'
import { findPoissonInterval } from './silence-report.ts'
import { simulateYears } from './silence-simulation.ts'
import { type WatchedTraffic, watchTraffic } from './silence-traffic.ts'
import type { TrafficShape } from './traffic-shapes.ts'

const calendars = ['public holidays', 'school'] as const
type Calendar = (typeof calendars)[number]

const shapesByCalendar: Record<Calendar, TrafficShape> = { 'public holidays': 'office', school: 'weekly rhythm' }
const HOLIDAYS_A_YEAR = 11
const schoolHolidayDays = [16, 9, 16, 44, 12]
const YEAR_WEEKS = 60
const ALARM_BUDGET_A_YEAR = 1
/** Simulated years begin at a random time in the week that begins on this Monday. */
const MONDAY = Date.parse('2025-01-06T00:00:00Z')

interface CalendarYear {
  traffic: WatchedTraffic
  startsAt: Date
}

/**
 * Creates a year with quiet days. Public holidays have 2 to 15 % of the usual visits, and days of school holidays have
 * 1 to 10 %.
 */
function createYear(calendar: Calendar, random: RandomSource, isListed: boolean): CalendarYear {
  let startsAt = new Date(MONDAY)
  const quietDays = new Set<number>()
  const traffic = watchTraffic(shapesByCalendar[calendar], random, YEAR_WEEKS, (localSlots) => {
    startsAt = new Date(MONDAY + (localSlots[0] ?? 0) * SLOT_MS)
    const firstDay = Math.floor((localSlots[0] ?? 0) / SLOTS_PER_DAY)
    const days = YEAR_WEEKS * 7
    if (calendar === 'school') {
      let day = firstDay + 20
      for (const length of schoolHolidayDays) {
        for (let n = 0; n < length; n++) quietDays.add(day + n)
        day += length + 55
      }
    } else {
      while (quietDays.size < (HOLIDAYS_A_YEAR * YEAR_WEEKS) / 52) {
        const day = firstDay + Math.floor(random.uniform() * days)
        if (day % 7 < 5) quietDays.add(day)
      }
    }
    const [low, high] = calendar === 'school' ? [0.01, 0.1] : [0.02, 0.15]
    const factor = low + (high - low) * random.uniform()
    return (_, localSlot) => (quietDays.has(Math.floor(localSlot / SLOTS_PER_DAY)) ? factor : 1)
  })
  if (isListed) {
    for (let slot = 0; slot < traffic.localSlots.length; slot++)
      if (quietDays.has(Math.floor((traffic.localSlots[slot] ?? 0) / SLOTS_PER_DAY))) traffic.excluded[slot] = 1
  }
  return { traffic, startsAt }
}

/**
 * Returns whether the owner can turn traffic alerts on, and whether a refusal says that days with few visits are the
 * reason.
 */
function replayYear({ traffic, startsAt }: CalendarYear): 'kept' | 'explained' | 'refused' {
  const replay = replaySilence(traffic, ALARM_BUDGET_A_YEAR)
  const pattern = findQuietPattern(traffic, { startsAt, timeZone: 'UTC' }, replay.alarms)
  if (!replay.exceedsBudget && !exceedsBudgetOnQuietDays(replay, pattern, ALARM_BUDGET_A_YEAR)) return 'kept'
  return pattern.quietAlarms >= replay.alarms.length / 2 ? 'explained' : 'refused'
}

export function reportCalendars(seed: number, siteYears: number): boolean[] {
  const [, high] = findPoissonInterval(ALARM_BUDGET_A_YEAR * siteYears)
  console.log(
    `Traffic alerts for stops with holidays: ${siteYears} simulated website years per calendar, seed ${seed}, budget ${ALARM_BUDGET_A_YEAR} false alarm a year`,
  )
  console.log(
    '                            false alarms   replays: within the budget   refused for quiet days   refused otherwise',
  )
  const rows = calendars.flatMap((calendar, index) =>
    [false, true].map((isListed) => {
      const random = createRandomSource(seed + 2000 + index)
      const years = Array.from({ length: siteYears }, () => createYear(calendar, random, isListed))
      const { falseAlarms } = simulateYears(
        years.map(({ traffic }) => traffic),
        createRandomSource(seed + 3000 + index),
        { siteYears, alarmBudgetAYear: ALARM_BUDGET_A_YEAR, stopsAYear: 0, dropsAYear: 0 },
      )
      const replays = years.map(replayYear)
      const count = (result: string) => replays.filter((replayResult) => replayResult === result).length
      const name = `${calendar}, ${isListed ? 'listed' : 'not listed'}`
      console.log(
        `  ${name.padEnd(28)}${String(falseAlarms).padStart(4)} (${(falseAlarms / siteYears).toFixed(2)})` +
          `${String(count('kept')).padStart(22)}${String(count('explained')).padStart(24)}${String(count('refused')).padStart(20)}`,
      )
      return { isListed, falseAlarms, refused: count('refused') }
    }),
  )
  const listedAlarms = rows.filter(({ isListed }) => isListed).map(({ falseAlarms }) => falseAlarms)
  const refusedCount = rows.reduce((sum, row) => sum + row.refused, 0)
  return [
    reportPerformancePromise(
      `at most ${high} false alarms in ${siteYears} years if the quiet days are listed`,
      `${Math.min(...listedAlarms)} to ${Math.max(...listedAlarms)}`,
      Math.max(...listedAlarms) <= high,
    ),
    reportPerformancePromise(
      'every replayed year is within the budget, or refused because of days with few visits',
      `${refusedCount} refused otherwise`,
      refusedCount === 0,
    ),
  ]
}
