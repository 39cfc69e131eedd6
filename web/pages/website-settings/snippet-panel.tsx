import { CodeLine } from '../../components/copy-button.tsx'
import { Panel } from '../../components/page.tsx'
import { boot } from '../../lib/boot.ts'

export function SnippetPanel({ domain }: { domain: string }) {
  return (
    <Panel title="Snippet">
      <div class="stack">
        <p class="muted">Put this into the head of every page, and visitors are counted.</p>
        <CodeLine text={`<script defer src="${boot.base_url}/b.js" data-domain="${domain}"></script>`} />
      </div>
    </Panel>
  )
}
