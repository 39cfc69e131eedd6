import { CodeXml } from 'lucide-preact'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { CodeLine } from '../../components/copy-button.tsx'
import { Section } from '../../components/section.tsx'
import { SnippetNotice } from '../../components/snippet-notice.tsx'
import { buildTrackingSnippet } from '../../lib/boot.ts'
import { InstallationGuides } from '../new-website/installation-guides.tsx'
import { VerifyInstallation } from '../new-website/verify-installation.tsx'

export function SnippetPanel({ website }: { website: Pick<WebsiteRecord, 'id' | 'domain'> }) {
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
        <CodeLine text={buildTrackingSnippet(website.domain)} />
        <SnippetNotice />
        <InstallationGuides domain={website.domain} />
        <VerifyInstallation websiteId={website.id} />
      </div>
    </Section>
  )
}
