/** Runs the checks of this process: the check loop if it has the checker role, and single checks on request. */
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import { invalid, isRefusal, Problem, unavailable } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { getMonitor } from '../monitors/monitors.ts'
import { toMonitorSettings } from '../monitors/record.ts'
import type { Claimant, Lease } from '../nodes/lease.ts'
import type { MonitorStatus, MonitorType } from '../shared/monitors.ts'
import { isDatabaseUnavailable } from '../storage/connection-loss.ts'
import type { Database } from '../storage/database.ts'
import type { Tenant } from '../storage/tenant.ts'
import { CheckLoop, type CheckMetrics } from './check-loop.ts'
import { type CheckRun, CheckRunner } from './check-runner.ts'
import { claimMonitor, releaseClaims, toClaimedCheck, toTarget } from './claim-store.ts'
import type { Target } from './probes/probe.ts'
import type { VisitRollup } from './probes/traffic/probe.ts'
import { CheckRecorder } from './recorder.ts'
import { completeCheck, completeUnchanged } from './verdict.ts'

/** Each running check holds a socket and about 25 KB. */
const MAX_CONCURRENT_CHECKS = 8_000

interface Deps {
  config: Config
  db: Database
  clock: Clock
  log: Logger
  secret: Secret
  metrics: CheckMetrics
  rollup: VisitRollup
  /**
   * While this lease is valid, other nodes don't take over the checks that this process has claimed. This service starts the
   * lease before its first check.
   */
  lease: Lease
  /** Called after new alerts have been stored. */
  onAlerts(): void
}

export interface MonitorCheck {
  run: CheckRun
  /** The monitor's status after the check. */
  status: MonitorStatus
  type: MonitorType
}

export class CheckService {
  readonly #deps: Deps
  readonly #claimant: Claimant
  readonly #recorder: CheckRecorder
  readonly #runner: CheckRunner
  readonly #loop: CheckLoop
  #hasStartedLoop = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#claimant = deps.lease.createClaimant()
    this.#runner = new CheckRunner(deps)
    this.#recorder = new CheckRecorder({ ...deps, claimant: this.#claimant })
    this.#loop = new CheckLoop({
      ...deps,
      claimant: this.#claimant,
      runner: this.#runner,
      recorder: this.#recorder,
      maxConcurrentChecks: MAX_CONCURRENT_CHECKS,
    })
  }

  /** Starts the check loop. Single checks work without it. */
  async start(): Promise<void> {
    this.#hasStartedLoop = true
    await this.#deps.lease.start()
    await this.#loop.start()
  }

  async stop(): Promise<void> {
    if (this.#hasStartedLoop) await this.#loop.stop()
    this.#runner.stop()
  }

  isOffline(): boolean {
    return this.#runner.isOffline()
  }

  /** Problems on the Belfry server, one sentence each. Failed checks don't count if such a problem explains them. */
  get degradedReasons(): string[] {
    return this.#runner.degradedReasons
  }

  /** Says that checks of this node start late, and what to do; undefined while they don't. */
  get latenessMessage(): string | undefined {
    return this.#loop.latenessMessage
  }

  /** Checks a target without recording the result. */
  runTrial(target: Target): Promise<CheckRun> {
    return this.#runner.run(target)
  }

  /**
   * Checks one of the caller's monitors immediately. The result counts like that of a scheduled check, unless the
   * monitor is paused.
   */
  async checkNow(tenant: Tenant, monitorId: number): Promise<MonitorCheck> {
    await this.#deps.lease.start()
    const run = (await this.#checkActive(tenant, monitorId)) ?? (await this.#checkPaused(tenant, monitorId))
    const { status, type } = await getMonitor(tenant, monitorId)
    return { run, status, type }
  }

  /** Returns undefined if the monitor is paused or does not exist. */
  async #checkActive(tenant: Tenant, monitorId: number): Promise<CheckRun | undefined> {
    const { clock, db, secret } = this.#deps
    if (!this.#claimant.isValid()) throw unavailable('The database is unavailable.')
    try {
      const row = await claimMonitor(tenant, this.#claimant.id, monitorId, clock.now())
      if (row === undefined) return undefined
      const claimedCheck = toClaimedCheck(row, secret)
      const run = await this.#runner.run(claimedCheck.target, claimedCheck)
      if ('result' in run) await this.#recorder.write([completeCheck(claimedCheck, run)])
      else if ('unchanged' in run) await this.#recorder.write([completeUnchanged(claimedCheck, run)])
      else await releaseClaims(db, [{ claim: claimedCheck, nextDueAt: clock.now(), reason: null }])
      return run
    } catch (error) {
      // The database refused the whole request, because the key or session has ended, or because of the caller's role. Nothing
      // was claimed, so there is nothing to abandon. Abandoning the claims of this node would interrupt the checks of
      // all users.
      if (error instanceof Problem && isRefusal(error)) throw error
      // The database may have stored the claim even though this process got an error. Abandon the claim; otherwise no
      // node would check the monitor. If the database is unavailable, don't wait until the claim is abandoned: the
      // request has waited long enough.
      const abandonment = this.#claimant.abandonClaims()
      if (isDatabaseUnavailable(error)) void abandonment.catch(() => {})
      else await abandonment
      throw error
    }
  }

  async #checkPaused(tenant: Tenant, monitorId: number): Promise<CheckRun> {
    const monitor = await getMonitor(tenant, monitorId)
    if (monitor.is_sample)
      throw invalid({
        id: ["The monitor of the sample shop can't be checked. Add a monitor for your own website instead."],
      })
    return this.runTrial(toTarget(toMonitorSettings(monitor, this.#deps.secret), monitor.user_id, monitor.id))
  }
}
