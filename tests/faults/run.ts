/** Injects faults into a cluster, one after the other, and measures from outside what they did to its clients. */
import { setTimeout as delay } from 'node:timers/promises'
import { type ApiAttempt, isServed } from './api-clients.ts'
import type { ClusterMonitor, FaultCluster } from './cluster.ts'
import { type ClusterFault, clusterFaults, type FaultName } from './cluster-faults.ts'
import { waitUntil } from './support.ts'

interface Measurement {
  /** How long the fault lasted. */
  faultMs: number
  /**
   * The time from the end of the fault until everything works again: every node serves requests and has its lease,
   * checks are recorded, and events are rolled up.
   */
  recoveryMs: number
  /** A time of `performance.now()`. */
  recoveredAt: number
  /** The names of the requests, events or jobs that were the last to work again. */
  lastMissing: string[]
  slowestMs: number
}

export interface FaultReport extends Measurement {
  name: FaultName
  /** The same measurement without a fault, for comparison: on a busy machine, everything takes longer. */
  calm: Measurement
  /** API requests that were not served. */
  refusedRequestCount: number
  /** Events that were answered with 503. */
  refusedEventCount: number
  /** API requests that were refused although everything worked again. */
  lateRefusals: ApiAttempt[]
}

/** The longest time to wait for a recovery. Tests expect a much shorter one. */
const MAX_WAIT_MS = 60_000
/** Each poll can open a connection to PostgreSQL, which takes several milliseconds of processor time. */
const POLL_INTERVAL_MS = 250
/** Refusals within this time after the recovery are counted. */
const OBSERVATION_MS = 300
export const OUTAGES_PER_FAULT = 2

export class FaultRun {
  readonly reports: FaultReport[] = []
  /** The monitors that have gone down, in the order of their outages. Each goes down once. */
  readonly outages: ClusterMonitor[] = []
  readonly #cluster: FaultCluster
  /** The outages whose targets respond again. Belfry may not have noticed that yet. */
  readonly #endedOutages = new Set<ClusterMonitor>()
  #calm: Measurement | undefined

  constructor(cluster: FaultCluster) {
    this.#cluster = cluster
  }

  async run(name: FaultName, length: 'short' | 'long'): Promise<FaultReport> {
    const { clients, visitors } = this.#cluster
    const fault: ClusterFault = clusterFaults[name]
    const durationMs = length === 'short' ? fault.shortMs : fault.longMs
    if (length === 'long' || this.#calm === undefined) this.#calm = await this.#measure(async () => {})
    const calm = this.#calm
    const knownDown = await this.#findDown()
    const firstAttempt = clients.attempts.length
    const refusedEventCountBefore = visitors.refusedCount
    const measurement = await this.#measure(async () => {
      await Promise.all([fault.inject(this.#cluster, durationMs), this.#changeTargets(knownDown, durationMs / 2)])
    })
    const refusedEventCount = visitors.refusedCount - refusedEventCountBefore
    await delay(OBSERVATION_MS)
    const refusals = clients.attempts.slice(firstAttempt).filter((attempt) => !isServed(attempt))
    const report = {
      name,
      ...measurement,
      calm,
      refusedRequestCount: refusals.length,
      refusedEventCount,
      lateRefusals: refusals.filter((attempt) => attempt.startedAt > measurement.recoveredAt),
    }
    this.reports.push(report)
    return report
  }

  /** Measures how long it takes after `injectFault` until everything has worked once. */
  async #measure(injectFault: () => Promise<void>): Promise<Measurement> {
    const { clients, visitors } = this.#cluster
    visitors.slowestMs = 0
    const firstAttempt = clients.attempts.length
    const startedAt = performance.now()
    await injectFault()
    const endedAt = performance.now()
    const lastMissing = await this.#waitUntilWorking(endedAt)
    const recoveredAt = performance.now()
    const durations = clients.attempts.slice(firstAttempt).map((attempt) => attempt.endedAt - attempt.startedAt)
    return {
      faultMs: endedAt - startedAt,
      recoveryMs: recoveredAt - endedAt,
      recoveredAt,
      lastMissing,
      slowestMs: Math.max(visitors.slowestMs, ...durations),
    }
  }

  /** In the middle of a fault, two targets go down, and the targets with ongoing incidents recover. */
  async #changeTargets(knownDown: readonly ClusterMonitor[], delayMs: number): Promise<void> {
    const { target, outageMonitors } = this.#cluster
    await delay(delayMs)
    const failingMonitors = outageMonitors.slice(this.outages.length, this.outages.length + OUTAGES_PER_FAULT)
    for (const { name } of failingMonitors) target.fail(name)
    this.outages.push(...failingMonitors)
    for (const monitor of knownDown) {
      target.recover(monitor.name)
      this.#endedOutages.add(monitor)
    }
  }

  async #findDown(): Promise<ClusterMonitor[]> {
    const rows = await this.#cluster.query<{ id: number }>(
      'select monitor_id::float8 as id from incidents where resolved_at is null',
    )
    const ids = new Set(rows.map(({ id }) => id))
    return this.outages.filter((monitor) => ids.has(monitor.id) && !this.#endedOutages.has(monitor))
  }

  /** Returns the names of the requests, events or jobs that were the last to work again. */
  async #waitUntilWorking(since: number): Promise<string[]> {
    const progressBefore = await this.#readProgress()
    for (let lastMissing: string[] = []; ; ) {
      const missingNames = await this.#listMissing(since, progressBefore)
      if (missingNames.length === 0) return lastMissing
      if (performance.now() > since + MAX_WAIT_MS) throw new Error(`Not recovered: ${missingNames.join(', ')}`)
      lastMissing = missingNames
      await delay(POLL_INTERVAL_MS)
    }
  }

  /** Lists the requests, events and jobs that have not worked after `since`. */
  async #listMissing(since: number, before: Progress): Promise<string[]> {
    const { clients, visitors, webNodes, leaseCount } = this.#cluster
    const requests = [...clients.lastAttempts].filter(([, attempt]) => attempt.startedAt < since || !isServed(attempt))
    const events = webNodes.filter(({ url }) => (visitors.lastAcknowledgedAt.get(url) ?? 0) < since)
    const missingNames = [...requests.map(([name]) => name), ...events.map(({ url }) => `events of ${url}`)]
    if (missingNames.length > 0) return missingNames
    const progress = await this.#readProgress(before.now)
    return [
      ...(progress.lease_count < leaseCount ? ['leases'] : []),
      ...(progress.checked_at === before.checked_at ? ['checks'] : []),
      ...(progress.views === before.views ? ['rollups'] : []),
    ]
  }

  /** Counts the leases that were renewed since `leasesSince`, a time of PostgreSQL. */
  async #readProgress(leasesSince = 'now'): Promise<Progress> {
    const [progress] = await this.#cluster.query<Progress>(
      `select clock_timestamp()::text as now, (select max(last_checked_at)::text from monitor_states) as checked_at,
              (select coalesce(sum(views), 0)::text from traffic_days) as views,
              (select count(*)::int from nodes where seen_at > '${leasesSince}') as lease_count`,
    )
    return progress as Progress
  }

  /** Waits until every outage has an incident, those that ended are resolved, no alert is waiting, and every node runs checks. */
  async waitUntilSettled(): Promise<void> {
    const checksBefore = await this.#cluster.countChecks()
    await waitUntil('every node runs checks', async () => {
      const checks = await this.#cluster.countChecks()
      return [...checks].every(([url, count]) => count > (checksBefore.get(url) ?? 0))
    })
    await waitUntil('every outage is known', async () => {
      const [row] = await this.#cluster.query<{ opened: number; resolved: number; waiting: number }>(
        `select count(*)::int as opened, count(resolved_at)::int as resolved,
                (select count(*)::int from alerts where state = 'waiting') as waiting from incidents`,
      )
      const { opened = 0, resolved = 0, waiting } = row ?? {}
      return opened >= this.outages.length && resolved >= this.#endedOutages.size && waiting === 0
    })
  }

  hasEnded(outage: ClusterMonitor): boolean {
    return this.#endedOutages.has(outage)
  }
}

interface Progress {
  /** PostgreSQL's time. */
  now: string
  /** When a monitor was checked last. */
  checked_at: string
  /** How many page views were rolled up. */
  views: string
  /** How many leases were renewed. */
  lease_count: number
}
