/** Before anything was counted: how counting begins, and a sign as soon as it has. */
import { CodeLine } from '../../components/copy-button.tsx'
import { Panel } from '../../components/page.tsx'
import { buildTrackingSnippet } from '../../lib/boot.ts'

export function Waiting({ domain }: { domain: string }) {
  return (
    <Panel title="No visit has been counted yet">
      <div class="stack">
        <p>
          Put this line into the <code>&lt;head&gt;</code> of every page of {domain}. Then open one of them.
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
