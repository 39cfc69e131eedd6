/** Prints how often the ranges are right under unusual conditions. */
import { reportPerformancePromise } from '../support/report.ts'
import { simulateCondition } from './condition-simulation.ts'
import { createRandomSource } from './random.ts'
import { conditions } from './traffic-conditions.ts'

/** With 300 outages, chance alone moves a coverage of 90 % by 3.5 percentage points in one of 20 rows, and there are many rows. */
const MIN_COVERAGE = 0.83
/** A range that is too wide is right, too, but it says little. */
const MIN_ANSWERED = 0.85

const formatPercent = (share: number) => `${(100 * share).toFixed(1)} %`.padStart(10)

export function reportConditions(seed: number, outages: number): boolean[] {
  console.log(`Unusual conditions: ${outages} pseudo-outages that begin in each window, 90 % range, seed ${seed}`)
  console.log(
    `  ${''.padEnd(34)}${['answered', 'in range', 'below', 'above', 'ratio', 'pinball'].map((text) => text.padStart(10)).join('')}`,
  )
  const rows = conditions.flatMap((condition, index) => {
    const conditionRows = simulateCondition(condition, createRandomSource(seed + 5000 + index), outages)
    for (const row of conditionRows) {
      console.log(
        `  ${`${row.condition}, ${row.window.name}`.padEnd(34)}` +
          [row.answered, row.covered, row.below, row.above].map(formatPercent).join('') +
          row.ratio.toFixed(2).padStart(10) +
          row.pinballLoss.toFixed(2).padStart(10) +
          (row.window.isUnseen ? '   not promised' : ''),
      )
    }
    return conditionRows
  })
  const promised = rows.filter(({ window }) => !window.isUnseen)
  const coverages = promised.map(({ covered }) => covered)
  const answered = rows.map((row) => row.answered)
  return [
    reportPerformancePromise(
      `at least ${100 * MIN_COVERAGE} % of the true visits in the range, in every condition and window (85 %, without chance)`,
      `${formatPercent(Math.min(...coverages)).trim()} to ${formatPercent(Math.max(...coverages)).trim()}`,
      coverages.every((covered) => covered >= MIN_COVERAGE),
    ),
    reportPerformancePromise(
      `at least ${100 * MIN_ANSWERED} % of the outages get a number, in every condition and window`,
      `${formatPercent(Math.min(...answered)).trim()} or more`,
      Math.min(...answered) >= MIN_ANSWERED,
    ),
  ]
}
