/** Divides a page of the list of incidents: open incidents come first, then resolved ones. This module is pure. */
import type { IncidentState } from '../shared/incidents.ts'

export interface IncidentCounts {
  /** Includes acknowledged incidents. */
  open: number
  acknowledged: number
  resolved: number
}

interface PagePart {
  limit: number
  offset: number
}

export interface PageParts {
  open: PagePart
  resolved: PagePart
  /** Whether the page lists only those open incidents that are acknowledged. */
  isAcknowledged: boolean
}

const nothing: PagePart = { limit: 0, offset: 0 }

export function countInState(counts: IncidentCounts, state: IncidentState | undefined): number {
  return state === undefined ? counts.open + counts.resolved : counts[state]
}

/** Without a state, a page can contain the last open and the first resolved incidents. */
export function divideIncidentPage(openCount: number, state: IncidentState | undefined, page: PagePart): PageParts {
  const { limit, offset } = page
  switch (state) {
    case 'open':
    case 'acknowledged':
      return { open: page, resolved: nothing, isAcknowledged: state === 'acknowledged' }
    case 'resolved':
      return { open: nothing, resolved: page, isAcknowledged: false }
    case undefined: {
      const openLimit = Math.min(limit, Math.max(0, openCount - offset))
      return {
        open: openLimit === 0 ? nothing : { limit: openLimit, offset },
        resolved: { limit: limit - openLimit, offset: Math.max(0, offset - openCount) },
        isAcknowledged: false,
      }
    }
  }
}
