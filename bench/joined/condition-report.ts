/** Prints how often the ranges are right under unusual conditions. */

import { createRandomSource } from '../../tests/support/random-source.ts'
import { reportPerformancePromise } from '../support/report.ts'
import { simulateCondition } from './condition-simulation.ts'
import { conditions } from './traffic-conditions.ts'

const MAX_WRONG = 0.15
/** The highest share of outages without a number. Without this limit, a model that never gives a number would pass. */
const MAX_WITHOUT_NUMBER = 0.15

const formatPercent = (share: number) => `${(100 * share).toFixed(1)} %`.padStart(10)

export function reportConditions(seed: number, outages: number): boolean[] {
  console.log(`Unusual conditions: ${outages} pseudo-outages that begin in each window, 90 % range, seed ${seed}`)
  console.log(
    `  ${''.padEnd(34)}${['in range', 'no number', 'wrong', 'below', 'above', 'ratio', 'pinball'].map((text) => text.padStart(10)).join('')}`,
  )
  const rows = conditions.flatMap((condition, index) => {
    const conditionRows = simulateCondition(condition, createRandomSource(seed + 5000 + index), outages)
    for (const row of conditionRows) {
      console.log(
        `  ${`${row.condition}, ${row.window.name}`.padEnd(34)}` +
          [row.inRange, row.withoutNumber, row.wrong, row.below, row.above].map(formatPercent).join('') +
          row.ratio.toFixed(2).padStart(10) +
          row.pinballLoss.toFixed(2).padStart(10),
      )
    }
    return conditionRows
  })
  const maxWrong = Math.max(...rows.map(({ wrong }) => wrong))
  const maxWithoutNumber = Math.max(...rows.map(({ withoutNumber }) => withoutNumber))
  return [
    reportPerformancePromise(
      `at most ${100 * MAX_WRONG} % of the outages get a wrong range, in every condition and window`,
      formatPercent(maxWrong).trim(),
      maxWrong <= MAX_WRONG,
    ),
    reportPerformancePromise(
      `at most ${100 * MAX_WITHOUT_NUMBER} % of the outages get no number, in every condition and window`,
      formatPercent(maxWithoutNumber).trim(),
      maxWithoutNumber <= MAX_WITHOUT_NUMBER,
    ),
  ]
}
