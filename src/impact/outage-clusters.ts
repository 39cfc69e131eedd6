/** Combines overlapping incidents, so that several monitors of the same outage count once. Pure functions. */
import type { TimeWindow } from '../incidents/window.ts'

/** The scope of incidents that concern all visitors of the website. */
export const WHOLE_WEBSITE = '*'

export interface ScopedIncident extends TimeWindow {
  id: number
  /** Whose visitors the incident concerns: those of a host, or `WHOLE_WEBSITE`. */
  scope: string
}

export interface OutageCluster<T extends ScopedIncident> extends TimeWindow {
  scope: string
  incidents: T[]
}

/**
 * Incidents must be in the order of their start. Those that overlap become one cluster if they concern the same visitors. Everything
 * that overlaps an outage of the whole website is a part of it.
 */
export function clusterIncidents<T extends ScopedIncident>(incidents: readonly T[]): OutageCluster<T>[] {
  const ended: OutageCluster<T>[] = []
  let current: OutageCluster<T>[] = []
  for (const incident of incidents) {
    const { scope, from, to } = incident
    const groups = Object.groupBy(current, (cluster) => {
      if (cluster.to <= from) return 'ended'
      return [cluster.scope, scope].includes(WHOLE_WEBSITE) || cluster.scope === scope ? 'overlapping' : 'separate'
    })
    ended.push(...(groups.ended ?? []))
    const parts = [...(groups.overlapping ?? []), { scope, from, to, incidents: [incident] }]
    current = [...(groups.separate ?? []), joinClusters(parts)]
  }
  return [...ended, ...current]
}

function joinClusters<T extends ScopedIncident>(parts: readonly OutageCluster<T>[]): OutageCluster<T> {
  return {
    scope: parts.some(({ scope }) => scope === WHOLE_WEBSITE) ? WHOLE_WEBSITE : (parts[0] as OutageCluster<T>).scope,
    from: new Date(Math.min(...parts.map(({ from }) => from.getTime()))),
    to: new Date(Math.max(...parts.map(({ to }) => to.getTime()))),
    incidents: parts.flatMap((part) => part.incidents),
  }
}

/** Returns the periods without overlaps, in the order of their start. `periods` must be in this order, too. */
export function mergePeriods(periods: readonly TimeWindow[]): TimeWindow[] {
  const merged: TimeWindow[] = []
  for (const { from, to } of periods) {
    const last = merged.at(-1)
    if (last === undefined || last.to < from) merged.push({ from, to })
    else if (to > last.to) last.to = to
  }
  return merged
}
