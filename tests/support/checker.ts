/** A checker on the database of a test server. Tests run it step by step and control its clock. */
import type { SecureContext } from 'node:tls'
import { CheckLoop } from '../../src/checker/check-loop.ts'
import { CheckRunner } from '../../src/checker/check-runner.ts'
import { CheckRecorder } from '../../src/checker/recorder.ts'
import type { Config } from '../../src/config/config.ts'
import { type Claimant, Lease } from '../../src/nodes/lease.ts'
import { parsePrivateTargets } from '../../src/outgoing/private-targets.ts'
import type { TestServer } from './server.ts'

export interface TestChecker {
  lease: Lease
  claimant: Claimant
  loop: CheckLoop
  runner: CheckRunner
  /** Runs all due checks and writes their results. */
  run(): Promise<void>
  stop(): Promise<void>
}

interface CheckerOptions extends Partial<Config> {
  pingPath?: string
  /** Contains the certificate authorities that checks trust. The default is Node's own list. */
  secureContext?: SecureContext
  maxConcurrentChecks?: number
  /** The clock of the lease. If it is set, the lease is renewed at the start, and then only when the test calls `lease.renew()`. */
  monotonicNow?: () => number
}

export async function startChecker(
  server: TestServer,
  { pingPath, secureContext, maxConcurrentChecks = 1_000, monotonicNow, ...config }: CheckerOptions = {},
): Promise<TestChecker> {
  const { services, clock } = server
  const { db, log, metrics, rollup, secret } = services
  const lease = new Lease({ db, log, ...(monotonicNow !== undefined && { now: monotonicNow }) })
  const claimant = lease.createClaimant()
  await (monotonicNow === undefined ? lease.start() : lease.renew())
  const runner = new CheckRunner({
    config: {
      reachabilityTargets: [],
      privateTargets: parsePrivateTargets('allow'),
      timeZone: 'UTC',
      rdapUrl: undefined,
      ...config,
    },
    clock,
    db,
    log,
    rollup,
    pingPath,
    secureContext,
  })
  const recorder = new CheckRecorder({ db, claimant, log, onAlerts: () => {} })
  const loop = new CheckLoop({ db, clock, log, secret, claimant, runner, recorder, metrics, maxConcurrentChecks })
  return {
    lease,
    claimant,
    loop,
    runner,
    run: async () => {
      await loop.claimDue()
      await loop.runAllClaimed()
    },
    stop: async () => {
      await loop.stop()
      await lease.stop()
      runner.stop()
    },
  }
}
