import { Link } from 'wouter-preact'
import { buildNewMonitorPathForDomain } from '../../lib/address.ts'
import type { OverviewMonitor, OverviewWebsite } from '../../lib/queries.ts'

interface SetupHintProps {
  websites: readonly OverviewWebsite[]
  monitors: readonly OverviewMonitor[]
}

/** Suggests the missing feature to users who have only websites or only monitors. */
export function SetupHint({ websites, monitors }: SetupHintProps) {
  if (monitors.length === 0) {
    return (
      <p class="muted">
        No monitors yet.{' '}
        <Link href={websites[0] === undefined ? '/monitors/new' : buildNewMonitorPathForDomain(websites[0].domain)}>
          Add a monitor
        </Link>{' '}
        to get alerted when a website goes down.
      </p>
    )
  }
  if (websites.length === 0) {
    return (
      <p class="muted">
        No websites yet. <Link href="/websites/new">Add a website</Link> to see its visitors next to its uptime.
      </p>
    )
  }
  return null
}
