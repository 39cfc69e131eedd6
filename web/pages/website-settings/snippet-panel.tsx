import { CodeLine } from '../../components/copy-button.tsx'
import { Panel } from '../../components/page.tsx'
import { buildTrackingSnippet } from '../../lib/boot.ts'

export function SnippetPanel({ domain }: { domain: string }) {
  return (
    <Panel title="Tracking snippet">
      <div class="stack">
        <p class="muted">
          Add this to the <code>&lt;head&gt;</code> of every page to count its visitors.
        </p>
        <CodeLine text={buildTrackingSnippet(domain)} />
      </div>
    </Panel>
  )
}
