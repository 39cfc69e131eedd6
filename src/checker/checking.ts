/** All that checks in one process: the loop where it has the role, and single checks for whoever asks. */
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import { unavailable } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { getMonitor } from '../monitors/monitors.ts'
import { settingsOf } from '../monitors/record.ts'
import { Lease } from '../nodes/lease.ts'
import type { MonitorStatus } from '../shared/monitors.ts'
import type { Database } from '../storage/database.ts'
import type { Tenant } from '../storage/tenant.ts'
import { Checker } from './checker.ts'
import { claimOne, releaseClaim } from './claim-store.ts'
import { claimedOf, targetOf } from './claimed.ts'
import { Examiner, type Outcome } from './examiner.ts'
import type { Target } from './probes/probe.ts'
import { Recorder } from './recorder.ts'
import { resultOf } from './result.ts'

interface Needs {
  config: Config
  db: Database
  clock: Clock
  log: Logger
  secret: Secret
  metrics: Metrics
  onAlerts(): void
}

export interface Checked {
  outcome: Outcome
  /** Of the monitor, after this check. */
  status: MonitorStatus
}

export class Checking {
  readonly #needs: Needs
  readonly #lease: Lease
  readonly #recorder: Recorder
  readonly #examiner: Examiner
  readonly #checker: Checker
  #started: Promise<void> | undefined
  #hasLoop = false

  constructor(needs: Needs) {
    this.#needs = needs
    this.#lease = new Lease(needs)
    this.#examiner = new Examiner(needs)
    this.#recorder = new Recorder({ ...needs, lease: this.#lease })
    this.#checker = new Checker({
      ...needs,
      lease: this.#lease,
      examiner: this.#examiner,
      recorder: this.#recorder,
    })
  }

  /** The loop. */
  async start(): Promise<void> {
    this.#hasLoop = true
    await this.#takeLease()
    await this.#checker.start()
  }

  async stop(): Promise<void> {
    if (this.#hasLoop) await this.#checker.stop()
    if (this.#started !== undefined) await this.#lease.stop()
    this.#examiner.stop()
  }

  isBlind(): boolean {
    return this.#examiner.isBlind()
  }

  /** What of ours keeps checks from counting, in words. */
  get complaints(): string[] {
    return this.#examiner.complaints
  }

  /** A target that is no monitor, or not yet. */
  tryOut(target: Target): Promise<Outcome> {
    return this.#examiner.examine(target)
  }

  /** A monitor of the caller's, at once. It counts like any other check, but for one that is paused. */
  async checkNow(tenant: Tenant, monitorId: number): Promise<Checked> {
    await this.#takeLease()
    if (!this.#lease.isHeld()) throw unavailable('The database is not reachable.')
    const outcome = (await this.#checkClaimed(tenant, monitorId)) ?? (await this.#checkPaused(tenant, monitorId))
    return { outcome, status: (await getMonitor(tenant, monitorId)).status }
  }

  /** undefined: there is nothing to claim, because it is paused or not there. */
  async #checkClaimed(tenant: Tenant, monitorId: number): Promise<Outcome | undefined> {
    const { clock, db, secret } = this.#needs
    try {
      const row = await claimOne(tenant, this.#lease.id, monitorId, clock.now())
      if (row === undefined) return undefined
      const claimed = claimedOf(row, secret)
      const outcome = await this.#examiner.examine(claimed.target, claimed)
      if ('finding' in outcome) await this.#recorder.write([resultOf(claimed, outcome, outcome.finding)])
      else await releaseClaim(db, claimed, clock.now())
      return outcome
    } catch (error) {
      // Also where the answer to the claim was lost: nobody else could check it as long as we hold it.
      await this.#lease.abandon()
      throw error
    }
  }

  async #checkPaused(tenant: Tenant, monitorId: number): Promise<Outcome> {
    const monitor = await getMonitor(tenant, monitorId)
    return this.tryOut(targetOf(settingsOf(monitor, this.#needs.secret)))
  }

  #takeLease(): Promise<void> {
    this.#started ??= this.#lease.start()
    return this.#started
  }
}
