import type { OverviewMonitor } from '../lib/queries.ts'
import { DurationSince } from './duration-since.tsx'
import { RowLink } from './row-link.tsx'

/** How long a monitor has been down, and why. The text wraps, and `useRowHeights` reserves space for its lines. */
export function OngoingIncident({ monitor }: { monitor: OverviewMonitor }) {
  const { id, incident_id, acknowledged_at, type, status_changed_at, down_since, last_error } = monitor
  return (
    <p class="ongoing-incident small">
      <RowLink
        href={incident_id === null ? `/incidents?state=open&monitor=${id}` : `/incidents/${incident_id}`}
        class="numbers"
      >
        {type === 'traffic' ? 'Silent' : 'Down'} for <DurationSince since={down_since ?? status_changed_at} />
      </RowLink>
      {acknowledged_at !== null && ' · Acknowledged'}
      {last_error && ` · ${last_error}`}
    </p>
  )
}
