/** Figures of all nodes together and of this node, read when Prometheus asks for the metrics. */
import { countWaitingAlerts } from '../alerts/waiting-store.ts'
import { countOverdueForMetrics } from '../checker/overdue-store.ts'
import type { Role } from '../config/config.ts'
import { type Clock, waitAtMost } from '../lib/clock.ts'
import type { Lease } from '../nodes/lease.ts'
import type { Database } from '../storage/database.ts'
import type { PoolUsage } from '../storage/pool-usage.ts'
import { findDegradedReasons, type HealthDeps } from './degraded-reasons.ts'

/** Rows beyond this number are not counted, so that a backlog doesn't slow down the scrape. */
const MAX_COUNTED = 10_000
/**
 * If the database doesn't respond within this time, its figures are unknown (NaN). Prometheus itself waits for 10 s by
 * default.
 */
const DATABASE_TIMEOUT_MS = 1_000

/** NaN stands for an unknown value. */
export interface Figures {
  nodesByRole: Map<Role, number>
  leases: number
  leaseAgeSeconds: number
  clockOffsetSeconds: number
  diskFreeBytes: number
  isDiskFull: boolean
  waitingAlerts: number
  oldestAlertSeconds: number
  overdueAlertSeconds: number
  overdueChecks: number
  mostOverdueSeconds: number
  /** Each kind of problem, and whether /readyz reports a problem of this kind. */
  degradedKinds: [string, boolean][]
  /** The usage of each pool, by its name. */
  poolUsage: [string, PoolUsage][]
}

interface Deps extends HealthDeps {
  clock: Clock
  db: Database
  lease: Lease
}

export async function readFigures(deps: Deps): Promise<Figures> {
  const { clock, cluster, databaseClock, db, deliveryHealth, diskSpace, lease } = deps
  const now = clock.now()
  const storedFigures = Promise.all([countWaitingAlerts(db, MAX_COUNTED), countOverdueForMetrics(db, now, MAX_COUNTED)])
  const [alerts, checks] = (await waitAtMost(DATABASE_TIMEOUT_MS, storedFigures).catch(() => undefined)) ?? []
  const secondsSince = (time: Date | null) => (time === null ? 0 : Math.max(0, (now.getTime() - time.getTime()) / 1000))
  return {
    nodesByRole: cluster.countNodesByRole(),
    leases: cluster.countLeases(),
    leaseAgeSeconds: lease.ageMs / 1000,
    clockOffsetSeconds: databaseClock.localOffsetMs / 1000,
    diskFreeBytes: diskSpace.freeBytes,
    isDiskFull: diskSpace.isFull,
    waitingAlerts: alerts?.count ?? Number.NaN,
    oldestAlertSeconds: alerts === undefined ? Number.NaN : secondsSince(alerts.oldestAt),
    overdueAlertSeconds: deliveryHealth.overdueSeconds,
    overdueChecks: checks?.count ?? Number.NaN,
    mostOverdueSeconds: checks === undefined ? Number.NaN : secondsSince(checks.firstDueAt),
    degradedKinds: [...findDegradedReasons(deps)].map(([kind, reasons]) => [kind, reasons.length > 0]),
    poolUsage: db.listPoolUsage(),
  }
}
