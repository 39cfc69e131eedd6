/**
 * Traffic and uptime joined: measures how often the statistics of outages are right, on simulated traffic whose truth is
 * known. `--seed` simulates other traffic, and `--outages` and `--cases` change how much.
 */
import { parseArgs } from 'node:util'
import { failureKinds, simulateConfirmation } from './joined/confirmation-simulation.ts'
import { simulateImpact } from './joined/impact-simulation.ts'
import { createRandomSource } from './joined/random.ts'
import { shapes } from './joined/traffic-shapes.ts'
import { reportPerformancePromise } from './support/report.ts'

const MIN_COVERAGE = 0.88
const MAX_COVERAGE = 0.92
const MAX_WRONG_SHARE = 0.01
const MAX_PREDICTION_MS = 5

export async function bench(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: '1000000' },
      outages: { type: 'string', default: '1000' },
      cases: { type: 'string', default: '1000' },
    },
  })
  const seed = Number(values.seed)
  // One section per table. Each prints it and returns whether its promises hold.
  const sections = [
    () => reportImpact(seed, Number(values.outages)),
    () => reportConfirmation(seed, Number(values.cases)),
  ]
  const promises: boolean[] = []
  for (const section of sections) promises.push(...(await section()))
  return promises.every(Boolean)
}

const formatPercent = (share: number) => (100 * share).toFixed(1).padStart(5)

function reportImpact(seed: number, outages: number): boolean[] {
  console.log(`Visits missed: ${outages} pseudo-outages of 2 minutes to 1 day per shape, 90 % range, seed ${seed}`)
  console.log('                  in range  below  above   mean pinball loss (same hour last week)  its range   CPU')
  const rows = shapes.map((shape, index) => {
    const row = simulateImpact(shape, createRandomSource(seed + index), outages)
    const { covered, below, above, pinballLoss, naivePinballLoss, naiveCovered, cpuMsPerPrediction } = row
    console.log(
      `  ${shape.padEnd(15)}  ${formatPercent(covered)} %  ${formatPercent(below)}  ${formatPercent(above)}` +
        `   ${pinballLoss.toFixed(2).padStart(6)} (${naivePinballLoss.toFixed(2).padStart(6)}: ${(naivePinballLoss / pinballLoss).toFixed(1)}×)` +
        `                       ${formatPercent(naiveCovered)} %  ${cpuMsPerPrediction.toFixed(1)} ms` +
        `   ${row.unanswered} more had too little traffic`,
    )
    return row
  })
  const coverages = rows.map(({ covered }) => covered)
  const lossRatio = Math.max(...rows.map(({ pinballLoss, naivePinballLoss }) => pinballLoss / naivePinballLoss))
  const cpuMs = Math.max(...rows.map(({ cpuMsPerPrediction }) => cpuMsPerPrediction))
  return [
    reportPerformancePromise(
      '88 to 92 % of the true visits in the 90 % range, for every shape',
      `${formatPercent(Math.min(...coverages))} to ${formatPercent(Math.max(...coverages))} %`,
      coverages.every((covered) => covered >= MIN_COVERAGE && covered <= MAX_COVERAGE),
    ),
    reportPerformancePromise(
      'a lower pinball loss than "same hour last week", for every shape',
      `at most ${lossRatio.toFixed(2)} of it`,
      lossRatio < 1,
    ),
    reportPerformancePromise(
      `a prediction takes at most ${MAX_PREDICTION_MS} ms of CPU time`,
      `${cpuMs.toFixed(1)} ms`,
      cpuMs <= MAX_PREDICTION_MS,
    ),
  ]
}

function reportConfirmation(seed: number, cases: number): boolean[] {
  console.log(`Do visitors confirm a failing probe? ${cases} cases per kind, of all shapes, 2 minutes to 1 day long`)
  console.log('                      gone  normal  unknown   wrong (upper 95 % bound)')
  const rows = failureKinds.map((kind, index) => {
    const row = simulateConfirmation(kind, createRandomSource(seed + shapes.length + index), cases)
    const [gone, normal, unknown] = [row.labels.gone, row.labels.normal, row.labels.unknown].map((count) =>
      formatPercent(count / cases),
    )
    console.log(
      `  ${kind.padEnd(17)}  ${gone} % ${normal} %  ${unknown} %   ${row.wrong} of ${cases} (${(100 * row.maxWrongShare).toFixed(2)} %)`,
    )
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
