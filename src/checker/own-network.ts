/**
 * Decides whether our own network is up. If `BELFRY_CANARIES` is set, the network is up while one of those targets is
 * reachable.
 *
 * Otherwise, any response proves that the network is up. The network counts as down only if at least five unrelated
 * hosts of five users (or of all users, if there are fewer) are unreachable, and targets that responded recently no
 * longer respond.
 */
import type { Logger } from 'pino'
import type { Cause } from '../shared/causes.ts'
import { type FallbackTarget, FallbackTargets, type MonitorKey } from './fallback-targets.ts'
import { type NetworkGroup, toNetworkGroup } from './network-groups.ts'
import type { CombinedProbe, ProbeResult, Target } from './probes/probe.ts'
import { hasEnoughGroups, ReachabilityHistory } from './reachability-history.ts'
import { isAnyReachable, type ReachabilityTarget, waitForAnySuccess } from './reachability-targets.ts'
import type { PriorState } from './verdict.ts'

/** How many fallback targets to probe first. If none of them responds, more are probed, up to the maximum. */
const FIRST_FALLBACK_PROBES = 2
const MAX_FALLBACK_PROBES = 8
const FALLBACK_TIMEOUT_MS = 5_000
const OFFLINE_RECHECK_INTERVAL_MS = 2_000
/**
 * A response this shortly before a failure proves that the network was up. After an older response, the network may
 * have gone down.
 */
const RECENT_RESPONSE_MS = 1_000
/** Checks that fail within this time share one test of the reachability targets. */
const REACHABILITY_CACHE_MS = 500

const unreachableCauses: readonly Cause[] = ['dns', 'connect', 'timeout', 'ping']

/** Whether a network problem, at the target or on our side, may be the cause of a failure. */
export const isUnreachable = ({ failure, responded }: ProbeResult) =>
  failure !== null && !responded && unreachableCauses.includes(failure.cause)

/**
 * Whether a response shows that our network is up. A DNS server of this machine or of the local network also responds while we are
 * offline, from its cache.
 */
const provesConnectivity = (target: Target) => target.type !== 'dns' || target.dns.resolver !== null

/** The monitor that a check belongs to. */
export interface CheckedMonitor extends MonitorKey {
  priorState: Pick<PriorState, 'status'>
}

interface Deps {
  reachabilityTargets: readonly ReachabilityTarget[]
  probe: CombinedProbe['check']
  log: Logger
  /** Removes targets whose monitor was deleted, paused or changed to another URL. */
  filterActiveTargets(targets: FallbackTarget[]): Promise<FallbackTarget[]>
}

export class OwnNetwork {
  readonly #deps: Deps
  readonly #history = new ReachabilityHistory()
  readonly #fallbackTargets = new FallbackTargets()
  #offlineReason: string | undefined
  /** When the network came back. Failed checks that started earlier don't count. */
  #onlineSince = Number.NEGATIVE_INFINITY
  #recheckTimer: NodeJS.Timeout | undefined
  #isStopped = false
  #fallbackProbesInProgress: Promise<void> | undefined
  #reachabilityTest: { at: number; result: Promise<boolean> } | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A sentence that says why we seem to be offline; undefined while we are online. */
  get offlineReason(): string | undefined {
    return this.#offlineReason
  }

  /** `monitor` is undefined for trial checks. Their targets never become fallback targets. */
  recordResponse(target: Target, { address }: ProbeResult, monitor?: MonitorKey): void {
    if (!provesConnectivity(target)) return
    const now = performance.now()
    this.#history.addResponse(now)
    if (monitor !== undefined) this.#fallbackTargets.add(monitor, target, address, now)
    if (this.#offlineReason !== undefined && this.#deps.reachabilityTargets.length === 0) this.#goOnline()
  }

  /**
   * Records a failed check, and returns whether our own network caused the failure, not the target. `startedAt` comes from
   * `performance.now`. `monitor` is undefined for trial checks. Their failures say nothing about our network, because a user can
   * try any target.
   */
  async recordFailure(
    target: Target,
    { address }: ProbeResult,
    startedAt: number,
    monitor?: CheckedMonitor,
  ): Promise<boolean> {
    if (this.#offlineReason !== undefined || startedAt < this.#onlineSince) return true
    // The failure of a target that was already down says nothing about our network.
    if (monitor?.priorState.status === 'down') return false
    const group = toNetworkGroup(target, address)
    const now = performance.now()
    if (monitor !== undefined) this.#history.addFailure(monitor.teamId, group, now)
    await this.#testNetwork(group, Math.max(startedAt, now - RECENT_RESPONSE_MS))
    if (this.#offlineReason !== undefined) return true
    if (monitor !== undefined) this.#fallbackTargets.remove(monitor.teamId, group)
    return false
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#recheckTimer)
  }

  /** Goes offline if the checks that ended after `since` show that our own network is down. */
  async #testNetwork(failedGroup: NetworkGroup, since: number): Promise<void> {
    if (this.#deps.reachabilityTargets.length > 0) {
      if (!(await this.#testReachability())) this.#goOffline('No target of BELFRY_CANARIES is reachable.')
      return
    }
    // Another failed check may have started probes already. Wait for their responses.
    await this.#fallbackProbesInProgress
    const judgeNetwork = () => {
      const now = performance.now()
      return this.#history.judge(since, now, this.#fallbackTargets.listTeamIds(now))
    }
    if (judgeNetwork() === 'online') return
    // Many dead targets look like an outage of our own network. Fallback targets that still respond prove that our network is up.
    this.#fallbackProbesInProgress ??= this.#probeFallbackTargets(failedGroup, judgeNetwork() === 'offline').finally(
      () => {
        this.#fallbackProbesInProgress = undefined
      },
    )
    await this.#fallbackProbesInProgress
    if (judgeNetwork() === 'offline') this.#goOffline('No monitored target is reachable.')
  }

  /** Probes only a few targets at first, because one response is enough and the targets are other people's servers. */
  async #probeFallbackTargets(failedGroup: NetworkGroup, seemsOffline: boolean): Promise<void> {
    const startedAt = performance.now()
    const unrelatedTargets = this.#fallbackTargets.list(startedAt, failedGroup)
    if (!seemsOffline && !hasEnoughGroups(unrelatedTargets.length + 1)) return
    const targets = await this.#deps.filterActiveTargets(unrelatedTargets.slice(0, MAX_FALLBACK_PROBES))
    for (const batch of [targets.slice(0, FIRST_FALLBACK_PROBES), targets.slice(FIRST_FALLBACK_PROBES)]) {
      if (await this.#isAnyFallbackReachable(batch)) return
    }
  }

  #isAnyFallbackReachable(targets: readonly FallbackTarget[]): Promise<boolean> {
    return waitForAnySuccess(targets.map((fallback) => this.#probeFallback(fallback)))
  }

  /** Returns whether the target responded. */
  async #probeFallback({ monitor, target, group }: FallbackTarget): Promise<boolean> {
    const result = await this.#deps.probe({ ...target, timeoutMs: FALLBACK_TIMEOUT_MS })
    if (!('responded' in result)) return false
    if (result.responded) this.recordResponse(target, result, monitor)
    else if (isUnreachable(result)) this.#history.addFailure(monitor.teamId, group, performance.now())
    return result.responded
  }

  #testReachability(): Promise<boolean> {
    const now = performance.now()
    if (this.#reachabilityTest === undefined || now - this.#reachabilityTest.at > REACHABILITY_CACHE_MS) {
      this.#reachabilityTest = { at: now, result: isAnyReachable(this.#deps.reachabilityTargets) }
    }
    return this.#reachabilityTest.result
  }

  #goOffline(reason: string): void {
    if (this.#offlineReason !== undefined) return
    this.#offlineReason = `${reason} The network of the Belfry server seems to be down: checks don't count until it is back.`
    this.#deps.log.error({ reason }, "our own network seems to be down: checks don't count until it is back")
    this.#scheduleRecheck()
  }

  #goOnline(): void {
    this.#offlineReason = undefined
    this.#onlineSince = performance.now()
    clearTimeout(this.#recheckTimer)
    this.#history.clear()
    this.#deps.log.info('our own network is back')
  }

  #scheduleRecheck(): void {
    this.#recheckTimer = setTimeout(() => void this.#recheck(), OFFLINE_RECHECK_INTERVAL_MS).unref()
  }

  async #recheck(): Promise<void> {
    const { reachabilityTargets, filterActiveTargets } = this.#deps
    if (reachabilityTargets.length === 0) {
      const targets = await filterActiveTargets(
        this.#fallbackTargets.list(performance.now()).slice(0, MAX_FALLBACK_PROBES),
      )
      await this.#isAnyFallbackReachable(targets)
    } else if (await isAnyReachable(reachabilityTargets)) this.#goOnline()
    if (this.#offlineReason !== undefined && !this.#isStopped) this.#scheduleRecheck()
  }
}
