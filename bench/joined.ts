/**
 * Traffic and uptime joined: measures how often the statistics of outages are right, on simulated traffic whose true
 * visits are known. `--seed` simulates other traffic. `--outages`, `--condition-outages`, `--cases`, `--site-years` and
 * `--calendar-years` change how many outages, cases and years are simulated.
 */
import { parseArgs } from 'node:util'
import { createRandomSource } from '../tests/support/random-source.ts'
import { reportConditions } from './joined/condition-report.ts'
import { failureKinds, simulateConfirmation } from './joined/confirmation-simulation.ts'
import { simulateImpact } from './joined/impact-simulation.ts'
import { reportIncidentCost } from './joined/incident-cost.ts'
import { reportCalendars } from './joined/silence-calendars.ts'
import { reportSilence } from './joined/silence-report.ts'
import { shapes } from './joined/traffic-shapes.ts'
import { reportWatchCost } from './joined/watch-cost.ts'
import { reportPerformancePromise } from './support/report.ts'

const MIN_COVERAGE = 0.88
const MAX_COVERAGE = 0.92
const MAX_UNUSUAL_SHARE = 0.01
const MAX_WRONG_SHARE = 0.01

export async function bench(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    // With only 1,000 outages, the coverage in one of 20 tables would be 2 percentage points off by chance, which is
    // all that the promise tolerates.
    options: {
      seed: { type: 'string', default: '1000000' },
      outages: { type: 'string', default: '3000' },
      'condition-outages': { type: 'string', default: '300' },
      cases: { type: 'string', default: '1000' },
      'site-years': { type: 'string', default: '16' },
      'calendar-years': { type: 'string', default: '8' },
    },
  })
  const seed = Number(values.seed)
  // Each section prints one table, and returns whether the promises about it hold.
  const sections = [
    () => reportImpact(seed, Number(values.outages)),
    () => reportConditions(seed, Number(values['condition-outages'])),
    () => reportConfirmation(seed, Number(values.cases)),
    () => reportSilence(seed, Number(values['site-years'])),
    () => reportCalendars(seed, Number(values['calendar-years'])),
    () => reportWatchCost(),
    () => reportIncidentCost(seed),
  ]
  const promises: boolean[] = []
  for (const section of sections) promises.push(...(await section()))
  return promises.every(Boolean)
}

const formatPercent = (share: number) => `${(100 * share).toFixed(1)} %`

/** Prints the first column on the left, and numbers on the right. */
function printTableRow(first: string, ...others: (string | number)[]): void {
  console.log(`  ${first.padEnd(16)}${others.map((text) => String(text).padStart(13)).join('')}`)
}

function reportImpact(seed: number, outages: number): boolean[] {
  console.log(`Visits missed: ${outages} pseudo-outages of 2 minutes to 1 day per shape, 90 % range, seed ${seed}`)
  console.log('"Same hour last week" is the count a week before, with a Poisson range around it.')
  printTableRow(
    '',
    'in range',
    'below',
    'above',
    'pinball loss',
    'last week',
    'its range',
    'no estimate',
    'unusual',
    'CPU',
  )
  const rows = shapes.map((shape, index) => {
    const row = simulateImpact(shape, createRandomSource(seed + index), outages)
    printTableRow(
      shape,
      ...[row.covered, row.below, row.above].map(formatPercent),
      row.pinballLoss.toFixed(2),
      `${row.naivePinballLoss.toFixed(2)} (${(row.naivePinballLoss / row.pinballLoss).toFixed(1)}×)`,
      formatPercent(row.naiveCovered),
      row.withTooLittleTraffic,
      formatPercent(row.unusual / (row.outages + row.unusual)),
      `${row.cpuMsPerPrediction.toFixed(1)} ms`,
    )
    return row
  })
  const unusualShare = Math.max(...rows.map((row) => row.unusual / (row.outages + row.unusual)))
  const coverages = rows.map(({ covered }) => covered)
  const lossRatio = Math.max(...rows.map(({ pinballLoss, naivePinballLoss }) => pinballLoss / naivePinballLoss))
  return [
    reportPerformancePromise(
      '88 to 92 % of the true visits in the 90 % range, for every shape',
      `${formatPercent(Math.min(...coverages))} to ${formatPercent(Math.max(...coverages))}`,
      coverages.every((covered) => covered >= MIN_COVERAGE && covered <= MAX_COVERAGE),
    ),
    reportPerformancePromise(
      'at most 1 % of the outages are too unusual for an estimate, for every shape',
      formatPercent(unusualShare),
      unusualShare <= MAX_UNUSUAL_SHARE,
    ),
    reportPerformancePromise(
      'a lower pinball loss than "same hour last week", for every shape',
      `at most ${lossRatio.toFixed(2)} of it`,
      lossRatio < 1,
    ),
  ]
}

function reportConfirmation(seed: number, cases: number): boolean[] {
  console.log(`Do visitors confirm a failing probe? ${cases} cases per kind, of all shapes, 2 minutes to 1 day long`)
  printTableRow('', 'gone', 'normal', 'unknown', 'wrong', '95 % bound')
  const rows = failureKinds.map((kind, index) => {
    const row = simulateConfirmation(kind, createRandomSource(seed + shapes.length + index), cases)
    const { gone, normal, unknown } = row.labels
    const shares = [gone, normal, unknown].map((count) => formatPercent(count / cases))
    printTableRow(kind, ...shares, row.wrong, `${(100 * row.maxWrongShare).toFixed(2)} %`)
    return row
  })
  const maxWrongShare = Math.max(...rows.map((row) => row.maxWrongShare))
  return [
    reportPerformancePromise(
      'at most 1 % of the labels are wrong, for every kind (upper 95 % bound)',
      `${(100 * maxWrongShare).toFixed(2)} %`,
      maxWrongShare <= MAX_WRONG_SHARE,
    ),
  ]
}
