/** Divides a page of the list of incidents: ongoing incidents come first, then resolved ones. This module is pure. */
import type { IncidentState } from '../shared/incidents.ts'

export interface IncidentCounts {
  /** Includes acknowledged incidents. */
  open: number
  acknowledged: number
  resolved: number
  /** How many of the resolved incidents are sample data. A sample monitor checks nothing, so none of its incidents is ongoing. */
  sample: number
}

interface PagePart {
  limit: number
  offset: number
}

export interface PageParts {
  open: PagePart
  resolved: PagePart
  /** Whether the page lists only those ongoing incidents that are acknowledged. */
  isOnlyAcknowledged: boolean
}

export function countInState(counts: IncidentCounts, state: IncidentState | undefined): number {
  return state === undefined ? counts.open + counts.resolved : counts[state]
}

/**
 * Without a state, a page can contain the last open and the first resolved incidents. The limits are never higher than the number of
 * incidents, so that a query can stop when it has found the last one.
 */
export function divideIncidentPage(
  counts: IncidentCounts,
  state: IncidentState | undefined,
  { limit, offset }: PagePart,
): PageParts {
  const isOnlyAcknowledged = state === 'acknowledged'
  const openCount = state === 'resolved' ? 0 : isOnlyAcknowledged ? counts.acknowledged : counts.open
  const resolvedCount = state === undefined || state === 'resolved' ? counts.resolved : 0
  const open = limitPart({ limit, offset }, openCount)
  const resolved = limitPart({ limit: limit - open.limit, offset: Math.max(0, offset - openCount) }, resolvedCount)
  return { open, resolved, isOnlyAcknowledged }
}

function limitPart({ limit, offset }: PagePart, count: number): PagePart {
  const availableCount = Math.min(limit, Math.max(0, count - offset))
  return availableCount === 0 ? { limit: 0, offset: 0 } : { limit: availableCount, offset }
}
