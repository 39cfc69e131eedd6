/** Shown until the first visit is counted: how to install the snippet, and the visits that weren't counted as expected. */
import { CodeLine } from '../../components/copy-button.tsx'
import { Panel } from '../../components/page.tsx'
import { toDisplayHost } from '../../lib/address.ts'
import { buildTrackingSnippet } from '../../lib/boot.ts'
import { useOverview } from '../../lib/queries.ts'
import { Arrivals, useArrivals } from '../new-website/arrivals.tsx'
import { InstallationHelp } from '../new-website/installation-help.tsx'
import '../new-website/new-website.css'

export function WaitingPanel({ domain }: { domain: string }) {
  const id = useOverview().data?.websites.find((website) => website.domain === domain)?.id
  return (
    <Panel title="No visits yet">
      <div class="stack">
        <p>
          Add this snippet to the <code>&lt;head&gt;</code> of every page on {toDisplayHost(domain)}, then open one of
          those pages.
        </p>
        <CodeLine text={buildTrackingSnippet(domain)} />
        <p class="website-waiting muted" role="status">
          <span class="website-pulse" aria-hidden="true" />
          Waiting for the first visit…
        </p>
        {id !== undefined && <ArrivalsWhileWaiting id={id} />}
        <InstallationHelp domain={domain} />
      </div>
    </Panel>
  )
}

function ArrivalsWhileWaiting({ id }: { id: number }) {
  return <Arrivals id={id} arrivals={useArrivals(id)} />
}
