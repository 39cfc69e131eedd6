/** Shown until the first visit arrives: how to install the snippet. */
import { CodeLine } from '../../components/copy-button.tsx'
import { Panel } from '../../components/page.tsx'
import { buildTrackingSnippet } from '../../lib/boot.ts'

export function WaitingPanel({ domain }: { domain: string }) {
  return (
    <Panel title="No visits yet">
      <div class="stack">
        <p>
          Add this snippet to the <code>&lt;head&gt;</code> of every page on {domain}, then open one of those pages.
        </p>
        <CodeLine text={buildTrackingSnippet(domain)} />
        <p class="website-waiting muted" role="status">
          <span class="website-pulse" aria-hidden="true" />
          Waiting for the first visit…
        </p>
      </div>
    </Panel>
  )
}
