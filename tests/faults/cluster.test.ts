/** Two nodes, while their database becomes read-only, freezes, locks a table, fails over, or loses its pooler. */
import { randomInt } from 'node:crypto'
import { loadavg } from 'node:os'
import { describe, it } from 'vitest'
import { isFaultsRun } from '../support/faults-run.ts'
import { hasPgbouncer } from '../support/pgbouncer.ts'
import { FaultCluster, type FaultClusterOptions } from './cluster.ts'
import {
  expectNoErrors,
  expectNothingLost,
  expectOneAlertPerChange,
  expectPromptRecovery,
} from './cluster-expectations.ts'
import type { FaultName } from './cluster-faults.ts'
import { type FaultReport, FaultRun, OUTAGES_PER_FAULT } from './run.ts'

const rounds = process.env['BELFRY_FAULT_ROUNDS']
const seed = Number(process.env['BELFRY_FAULT_SEED'] ?? randomInt(2 ** 31))
/** The timeout is long, because the machine may be busy with other tests. */
const TIMEOUT_MS = 240_000 + Number(rounds ?? 0) * 90_000

interface Scenario {
  title: string
  options: Pick<FaultClusterOptions, 'nodeRoles' | 'access'>
  shortFaults: FaultName[]
  /** A crash comes last, because the old primary can't become a replica again. The next fault gets a new cluster. */
  longFaults: FaultName[]
}

const scenarios: Scenario[] = [
  {
    title: 'two nodes with all roles, whose DATABASE_URL lists a primary and a replica',
    options: { nodeRoles: ['web,checker,worker', 'web,checker,worker'], access: 'hosts' },
    // tests/faults/database-failover.test.ts has a planned failover, and tests/faults/database-silence.test.ts a frozen
    // database.
    shortFaults: ['crash and failover'],
    longFaults: [
      'read-only database',
      'locked table',
      'frozen database',
      'planned failover',
      'network down',
      'forgotten connections',
      'crash and failover',
    ],
  },
  {
    title: 'a web node and a node for checks and jobs, behind pgbouncer in session mode',
    options: { nodeRoles: ['checker,worker', 'web'], access: 'pooler' },
    shortFaults: ['locked table', 'restarted pooler'],
    longFaults: [
      'restarted pooler',
      'locked table',
      'read-only database',
      'planned failover',
      'frozen database',
      'network down',
      'crash and failover',
    ],
  },
]

/** In `npm run faults`, each round injects one fault. A cluster gets the faults of several rounds. */
function planClusters({ shortFaults, longFaults }: Scenario): FaultName[][] {
  if (!isFaultsRun) return [shortFaults]
  const clusterCount = Math.ceil(Number(rounds) / longFaults.length)
  const remainingFaults = Array.from({ length: clusterCount }, () => longFaults)
    .flat()
    .slice(0, Number(rounds))
  return Array.from({ length: clusterCount }, () => remainingFaults.splice(0, longFaults.length))
}

describe('clients of a cluster lose nothing, and are served again within 5 s', { concurrent: !isFaultsRun }, () => {
  for (const scenario of scenarios) {
    const isSkipped = scenario.options.access === 'pooler' && !hasPgbouncer
    it.skipIf(isSkipped)(scenario.title, { timeout: TIMEOUT_MS }, async ({ onTestFinished }) => {
      for (const faults of planClusters(scenario)) {
        const cluster = new FaultCluster({
          ...scenario.options,
          replicaCount: faults.some((name) => name.includes('failover')) ? 1 : 0,
          outageCount: faults.length * OUTAGES_PER_FAULT,
          seed,
        })
        onTestFinished(() => cluster.close())
        await cluster.start()
        await runFaults(cluster, faults, scenario.title)
        await cluster.close()
      }
    })
  }
})

async function runFaults(cluster: FaultCluster, faults: readonly FaultName[], title: string): Promise<void> {
  const run = new FaultRun(cluster)
  const formatMessage = () => [title, `seed ${seed}`, ...run.reports.map(formatReport)].join('\n')
  for (const name of faults) {
    const report = await run.run(name, isFaultsRun ? 'long' : 'short')
    if (isFaultsRun) process.stdout.write(`${formatReport(report)}\n`)
    expectPromptRecovery(report, formatMessage())
    if (isFaultsRun) await run.waitUntilSettled()
  }
  await run.waitUntilSettled()
  await cluster.stopLoad()
  expectNoErrors(cluster, formatMessage())
  await expectNothingLost(cluster, formatMessage())
  await expectOneAlertPerChange(cluster, run, formatMessage())
  if (isFaultsRun) process.stdout.write(`${formatTotals(cluster, run)}\n`)
}

function formatReport({ name, faultMs, recoveryMs, lastMissing, slowestMs, calm, ...counts }: FaultReport): string {
  return [
    `${name} for ${formatSeconds(faultMs)}: everything works again after ${formatSeconds(recoveryMs)}`,
    `(${formatSeconds(calm.recoveryMs)} without a fault, last: ${lastMissing.join()}),`,
    `slowest response ${formatSeconds(slowestMs)} (${formatSeconds(calm.slowestMs)}),`,
    `${counts.refusedRequestCount} requests and ${counts.refusedEventCount} events got a 503, load ${loadavg()[0]?.toFixed()}`,
  ].join(' ')
}

const formatSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

function formatTotals({ clients, visitors, receiver }: FaultCluster, { outages }: FaultRun): string {
  return (
    `none lost of ${visitors.acknowledgedPages.size} events and ${clients.createdNames.size} monitors that were acknowledged; ` +
    `${clients.attempts.length} API requests without an error, ${outages.length} outages, ${receiver.received.length} alerts`
  )
}
