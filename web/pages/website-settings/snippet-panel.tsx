import { CodeLine } from '../../components/copy-button.tsx'
import { Panel } from '../../components/page.tsx'
import { buildTrackingSnippet } from '../../lib/boot.ts'

export function SnippetPanel({ domain }: { domain: string }) {
  return (
    <Panel title="Snippet">
      <div class="stack">
        <p class="muted">Put this into the head of every page, and visitors are counted.</p>
        <CodeLine text={buildTrackingSnippet(domain)} />
      </div>
    </Panel>
  )
}
