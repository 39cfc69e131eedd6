/** A small version of `npm run bench -- joined`, which has more cases and prints a table by shape. */
import { describe, expect, it } from 'vitest'
import { type ConditionRow, simulateCondition } from '../../bench/joined/condition-simulation.ts'
import { failureKinds, findUpperBound, simulateConfirmation } from '../../bench/joined/confirmation-simulation.ts'
import { simulateImpact } from '../../bench/joined/impact-simulation.ts'
import { conditions } from '../../bench/joined/traffic-conditions.ts'
import { shapes } from '../../bench/joined/traffic-shapes.ts'
import { createRandomSource } from '../support/random-source.ts'

const SEED = 31
const OUTAGES_PER_SHAPE = 35
const CASES_PER_KIND = 40

describe('the predicted visits of simulated outages', () => {
  const rows = shapes.map((shape, index) => simulateImpact(shape, createRandomSource(SEED + index), OUTAGES_PER_SHAPE))
  const average = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

  it('have a 90 % range that contains the true visits about nine times out of ten', () => {
    // With 210 cases, this share has a standard deviation of 2.1 percentage points, so limits of 88 and 92 % would fail
    // by chance.
    const coveredShare = average(rows.map((row) => row.covered))
    expect(coveredShare).toBeGreaterThanOrEqual(0.86)
    expect(coveredShare).toBeLessThanOrEqual(0.94)
  })

  it.each(rows)('are closer to the truth than "same hour last week": $shape', ({ pinballLoss, naivePinballLoss }) => {
    expect(pinballLoss).toBeLessThan(naivePinballLoss)
  })
})

describe('the predicted visits after unusual changes of traffic', () => {
  const names = ['step −40 %', 'viral spike', 'closure']
  const rows = conditions
    .filter(({ name }) => names.includes(name))
    .flatMap((condition, index) => simulateCondition(condition, createRandomSource(SEED + 200 + index), 15))
  const average = (pick: (row: ConditionRow) => number) => rows.reduce((sum, row) => sum + pick(row), 0) / rows.length

  it('are seldom wrong, even in the first hours', () => {
    // The benchmark allows at most 15 % wrong predictions in every row. Here, only the average of all rows has to keep
    // this limit.
    expect(average(({ wrong }) => wrong)).toBeLessThanOrEqual(0.15)
    // A single row may have more wrong predictions, because it has only 15 outages, and each website has three of them.
    for (const { wrong } of rows) expect(wrong).toBeLessThanOrEqual(0.35)
  })

  it('exist for nearly all outages', () => {
    expect(average(({ withoutNumber }) => withoutNumber)).toBeLessThan(0.05)
  })
})

describe('visitors of simulated failures', () => {
  const rows = failureKinds.map((kind, index) =>
    simulateConfirmation(kind, createRandomSource(SEED + 100 + index), CASES_PER_KIND),
  )

  it.each(rows)('get no wrong label: $kind', ({ wrong }) => {
    expect(wrong).toBe(0)
  })

  it('get a label where there is enough traffic', () => {
    const labelsOf = (kind: string) => rows.find((row) => row.kind === kind)?.labels
    expect(labelsOf('injected stop')?.gone).toBeGreaterThan(CASES_PER_KIND / 4)
    expect(labelsOf('blocked probe')?.normal).toBeGreaterThan(CASES_PER_KIND / 4)
  })
})

describe('the upper bound of a share', () => {
  it('has the values of published tables', () => {
    // If the count is 0, the bound is 1 − 0.05^(1 / cases).
    expect(findUpperBound(0, 300)).toBeCloseTo(1 - 0.05 ** (1 / 300), 6)
    // Published tables of the binomial distribution contain this value: 5 of 20, one-sided.
    expect(findUpperBound(5, 20)).toBeCloseTo(0.4556, 4)
  })
})
