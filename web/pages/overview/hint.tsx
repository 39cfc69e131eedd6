import { Link } from 'wouter-preact'
import { watchDomainPath } from '../../lib/address.ts'
import type { OverviewMonitor, OverviewWebsite } from '../../lib/queries.ts'

interface HintProps {
  websites: readonly OverviewWebsite[]
  monitors: readonly OverviewMonitor[]
}

/** Who has one half does not know of the other. */
export function Hint({ websites, monitors }: HintProps) {
  if (monitors.length === 0) {
    return (
      <p class="muted">
        Nothing is watched yet.{' '}
        <Link href={websites[0] === undefined ? '/monitors/new' : watchDomainPath(websites[0].domain)}>
          Add a monitor
        </Link>
        , and you are told when a website is down.
      </p>
    )
  }
  if (websites.length === 0) {
    return (
      <p class="muted">
        No visitors are counted yet. <Link href="/websites/new">Add a website</Link> to see who comes, beside whether it
        is up.
      </p>
    )
  }
  return null
}
