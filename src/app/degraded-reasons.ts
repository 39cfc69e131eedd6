/** Lists every kind of problem that doesn't prevent a node from serving requests, for `/readyz` and the metrics. */
import type { DeliveryHealth } from '../alerts/delivery-health.ts'
import type { CheckService } from '../checker/check-service.ts'
import type { Cluster } from '../nodes/cluster.ts'
import type { DatabaseClock } from '../nodes/database-clock.ts'
import type { DiskSpace } from '../nodes/disk-space.ts'

export interface HealthDeps {
  checkService: CheckService
  cluster: Cluster
  databaseClock: DatabaseClock
  deliveryHealth: DeliveryHealth
  diskSpace: DiskSpace
}

/**
 * The keys are values of the label `reason` in the metric `belfry_degraded`. Each function returns sentences that say
 * what is wrong.
 */
const sources = {
  checks: ({ checkService }) => checkService.degradedReasons,
  lateness: ({ checkService: { latenessMessage } }) => (latenessMessage === undefined ? [] : [latenessMessage]),
  roles: ({ cluster }) => cluster.degradedReasons,
  clock: ({ databaseClock: { problem } }) => (problem === undefined ? [] : [problem]),
  disk: ({ diskSpace: { problem } }) => (problem === undefined ? [] : [problem]),
  delivery: ({ deliveryHealth }) => deliveryHealth.degradedReasons,
} satisfies Record<string, (deps: HealthDeps) => readonly string[]>

type DegradedKind = keyof typeof sources

/** Returns an entry for each kind, with an empty list if there is no such problem. */
export function findDegradedReasons(deps: HealthDeps): Map<DegradedKind, readonly string[]> {
  const kinds = Object.keys(sources) as DegradedKind[]
  return new Map(kinds.map((kind) => [kind, sources[kind](deps)]))
}

/** Returns one sentence for each problem. */
export function listDegradedReasons(deps: HealthDeps): string[] {
  return [...findDegradedReasons(deps).values()].flat()
}
