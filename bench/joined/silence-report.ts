/** Prints how many false alarms traffic alerts cause on simulated traffic, and how long they take to notice stops. */
import { findPoissonTail } from '../../src/impact/silence/replay-silence.ts'
import { createRandomSource } from '../../tests/support/random-source.ts'
import { reportPerformancePromise } from '../support/report.ts'
import { simulateSilence } from './silence-simulation.ts'
import { shapes } from './traffic-shapes.ts'

const ALARM_BUDGET_A_YEAR = 1
const MAX_DELAY_RATIO = 1.5

export function reportSilence(seed: number, siteYears: number): boolean[] {
  const [low, high] = findPoissonInterval(ALARM_BUDGET_A_YEAR * siteYears)
  console.log(
    `Traffic alerts for stops: ${siteYears} years of websites per shape, seed ${seed}, budget ${ALARM_BUDGET_A_YEAR} false alarm a year: ` +
      `exact 95 % Poisson interval ${low} to ${high}. Delays ÷ ln(visits a year ÷ budget) expected gaps, p50/p95.`,
  )
  console.log(
    '                   false alarms   stop by day   by night   since last visit (with true rates)     50 % drops   spikes a year   launches',
  )
  const rows = shapes.map((shape, index) => {
    const options = { siteYears, alarmBudgetAYear: ALARM_BUDGET_A_YEAR, stopsAYear: 40, dropsAYear: 10 }
    const row = simulateSilence(shape, createRandomSource(seed + 100 * index), options)
    const { day, night, gap, oracle } = row.delays
    console.log(
      `  ${shape.padEnd(15)}  ${String(row.falseAlarms).padStart(4)} (${(row.falseAlarms / siteYears).toFixed(2)})` +
        `     ${formatQuantiles(day)}     ${formatQuantiles(night)}  ${formatQuantiles(gap)} (${formatQuantiles(oracle)})` +
        `                    ${row.dropsFound} of ${row.drops}` +
        `     ${(row.spikes / siteYears).toFixed(1).padStart(4)}            ${row.launchesFound} of ${row.launches}`,
    )
    return row
  })
  const falseAlarms = rows.map((row) => row.falseAlarms)
  const medians = rows.map(({ delays }) => Math.max(delays.day.p50, delays.night.p50))
  const undetected = rows.reduce((sum, { delays }) => sum + delays.undetected, 0)
  return [
    reportPerformancePromise(
      `at most ${high} false alarms in ${siteYears} years, for every shape`,
      `${Math.min(...falseAlarms)} to ${Math.max(...falseAlarms)}`,
      Math.max(...falseAlarms) <= high,
    ),
    reportPerformancePromise(
      `a stop is noticed after at most ${MAX_DELAY_RATIO} × the floor (median), for every shape`,
      `${Math.min(...medians).toFixed(2)} to ${Math.max(...medians).toFixed(2)}, ${undetected} never`,
      Math.max(...medians) <= MAX_DELAY_RATIO && undetected === 0,
    ),
  ]
}

const formatQuantiles = ({ p50, p95 }: { p50: number; p95: number }) => `${p50.toFixed(2)}/${p95.toFixed(2)}`

/**
 * Returns the smallest range of counts such that a Poisson count with this mean is below it with a probability of at
 * most 2.5 %, and above it with at most 2.5 %.
 */
export function findPoissonInterval(mean: number): [number, number] {
  let low = 0
  while (1 - findPoissonTail(low + 1, mean) <= 0.025) low++
  let high = Math.ceil(mean)
  while (findPoissonTail(high + 1, mean) > 0.025) high++
  return [low, high]
}
