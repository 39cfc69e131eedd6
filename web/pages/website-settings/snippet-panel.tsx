import { CodeXml } from 'lucide-preact'
import { CodeLine } from '../../components/copy-button.tsx'
import { Section } from '../../components/section.tsx'
import { SnippetNotice } from '../../components/snippet-notice.tsx'
import { buildTrackingSnippet } from '../../lib/boot.ts'

export function SnippetPanel({ domain }: { domain: string }) {
  return (
    <Section
      title="Tracking snippet"
      icon={CodeXml}
      description={
        <>
          Add this to the <code>&lt;head&gt;</code> of every page to count its visitors.
        </>
      }
    >
      <div class="form">
        <CodeLine text={buildTrackingSnippet(domain)} />
        <SnippetNotice />
      </div>
    </Section>
  )
}
