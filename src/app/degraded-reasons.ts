/** Lists every kind of problem that doesn't prevent a node from serving requests, for `/readyz` and the metrics. */
import type { Services } from './services.ts'

type Deps = Pick<Services, 'checkService' | 'cluster' | 'databaseClock' | 'deliveryHealth' | 'diskSpace'>

/** By the value of the label `reason` in the metric `belfry_degraded`. Each returns sentences that say what is wrong. */
const sources = {
  checks: ({ checkService }) => checkService.degradedReasons,
  roles: ({ cluster }) => cluster.degradedReasons,
  clock: ({ databaseClock: { problem } }) => (problem === undefined ? [] : [problem]),
  disk: ({ diskSpace: { problem } }) => (problem === undefined ? [] : [problem]),
  delivery: ({ deliveryHealth }) => deliveryHealth.degradedReasons,
} satisfies Record<string, (deps: Deps) => readonly string[]>

type DegradedKind = keyof typeof sources

/** Returns an entry for each kind, with an empty list if there is no such problem. */
export function findDegradedReasons(deps: Deps): Map<DegradedKind, readonly string[]> {
  const kinds = Object.keys(sources) as DegradedKind[]
  return new Map(kinds.map((kind) => [kind, sources[kind](deps)]))
}

/** Returns one sentence for each problem. */
export function listDegradedReasons(deps: Deps): string[] {
  return [...findDegradedReasons(deps).values()].flat()
}
