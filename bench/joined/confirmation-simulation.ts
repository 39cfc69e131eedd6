/** Judges whether visitors confirm a failing probe, in simulated cases whose truth is known. */
import { judgeVisitors, predictVisits } from '../../src/impact/model/model.ts'
import type { Visitors } from '../../src/shared/impact.ts'
import type { RandomSource } from '../../tests/support/random-source.ts'
import { createPseudoOutages } from './impact-simulation.ts'
import { shapes } from './traffic-shapes.ts'

/**
 * For each kind of failure, the range of the share of visitors who remain, and the label that would be wrong. If only
 * the probe is blocked, the website works and all visitors remain. The label `unknown` is never wrong, but it doesn't
 * help anybody.
 */
const failures = {
  'injected stop': { remaining: [0, 0.05], wrongLabel: 'normal' },
  'blocked probe': { remaining: [1, 1], wrongLabel: 'gone' },
  'slow site': { remaining: [0.7, 1], wrongLabel: 'gone' },
  'regional failure': { remaining: [0.5, 0.95], wrongLabel: 'gone' },
} as const

export type FailureKind = keyof typeof failures
export const failureKinds = Object.keys(failures) as FailureKind[]

export interface ConfirmationRow {
  kind: FailureKind
  cases: number
  labels: Record<Visitors, number>
  wrong: number
  /** The exact upper 95 % bound of the share of wrong labels. */
  maxWrongShare: number
}

/** Simulates cases of all traffic shapes in turn, in which the probe has failed for 2 minutes to a day. */
export function simulateConfirmation(kind: FailureKind, random: RandomSource, cases: number): ConfirmationRow {
  const { remaining, wrongLabel } = failures[kind]
  const labels = { gone: 0, normal: 0, unknown: 0 }
  const outagesByShape = shapes.map((shape) => createPseudoOutages(shape, random))
  for (let index = 0; index < cases; index++) {
    const outage = outagesByShape[index % shapes.length]?.next().value
    if (outage === undefined) throw new Error('The generator of pseudo-outages has ended.')
    const share = remaining[0] + (remaining[1] - remaining[0]) * random.uniform()
    let actual = 0
    for (let visit = 0; visit < outage.visits; visit++) if (random.uniform() < share) actual++
    labels[judgeVisitors(predictVisits(outage.history, outage.from, outage.to), actual)]++
  }
  const wrong = labels[wrongLabel]
  return { kind, cases, labels, wrong, maxWrongShare: findUpperBound(wrong, cases) }
}

/**
 * Returns the upper 95 % bound of Clopper and Pearson (1934) for the share of a label that `count` of the cases have. If
 * this were the true share, `count` or fewer of the cases would have the label with a probability of 5 %.
 */
export function findUpperBound(count: number, cases: number): number {
  let low = count / cases
  let high = 1
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2
    if (sumBinomial(count, cases, middle) > 0.05) low = middle
    else high = middle
  }
  return high
}

/** Returns the probability that `count` or fewer of the cases have a label whose true share is `share`. */
function sumBinomial(count: number, cases: number, share: number): number {
  let log = cases * Math.log1p(-share)
  let sum = Math.exp(log)
  for (let next = 1; next <= count; next++) {
    log += Math.log((cases - next + 1) / next) + Math.log(share) - Math.log1p(-share)
    sum += Math.exp(log)
  }
  return sum
}
