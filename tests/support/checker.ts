/** A checker on the database of a server, run by hand: time stands still unless a test moves it. */
import { Checker } from '../../src/checker/checker.ts'
import { Examiner } from '../../src/checker/examiner.ts'
import { Recorder } from '../../src/checker/recorder.ts'
import type { Config } from '../../src/config/config.ts'
import { Lease } from '../../src/nodes/lease.ts'
import { parsePrivateTargets } from '../../src/outgoing/private-targets.ts'
import type { TestServer } from './server.ts'

export interface TestChecker {
  lease: Lease
  checker: Checker
  examiner: Examiner
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
  await lease.start()
  const examiner = new Examiner({
    config: { canaries: [], privateTargets: parsePrivateTargets('allow'), ...config },
    clock,
    db,
    log,
    pingPath,
  })
  const recorder = new Recorder({ db, lease, log, onAlerts: () => {} })
  const checker = new Checker({ db, clock, log, secret, lease, examiner, recorder, metrics })
  return {
    lease,
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
