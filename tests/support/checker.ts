/** A checker on the database of a server, run by hand: time stands still unless a test moves it. */
import { CheckLoop } from '../../src/checker/check-loop.ts'
import { CheckRunner } from '../../src/checker/check-runner.ts'
import { CheckRecorder } from '../../src/checker/recorder.ts'
import type { Config } from '../../src/config/config.ts'
import { type Claimant, Lease } from '../../src/nodes/lease.ts'
import { parsePrivateTargets } from '../../src/outgoing/private-targets.ts'
import type { TestServer } from './server.ts'

export interface TestChecker {
  claimant: Claimant
  checker: CheckLoop
  examiner: CheckRunner
  /** Everything that is due is checked and written. */
  run(): Promise<void>
  stop(): Promise<void>
}

export async function startChecker(
  server: TestServer,
  { pingPath, ...config }: Partial<Config> & { pingPath?: string } = {},
): Promise<TestChecker> {
  const { services, clock } = server
  const { db, log, metrics, secret } = services
  const lease = new Lease({ db, log })
  const claimant = lease.createClaimant()
  await lease.start()
  const examiner = new CheckRunner({
    config: { reachabilityTargets: [], privateTargets: parsePrivateTargets('allow'), ...config },
    clock,
    db,
    log,
    pingPath,
  })
  const recorder = new CheckRecorder({ db, claimant, log, onAlerts: () => {} })
  const checker = new CheckLoop({ db, clock, log, secret, claimant, examiner, recorder, metrics })
  return {
    claimant,
    checker,
    examiner,
    run: async () => {
      await checker.look()
      await checker.idle()
    },
    stop: async () => {
      await checker.stop()
      await lease.stop()
      examiner.stop()
    },
  }
}
