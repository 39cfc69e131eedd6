/** Shown until the first visit is counted: the setup steps, and the visits that weren't counted as expected. */
import { Panel } from '../../components/page.tsx'
import type { ShownWebsite } from '../../lib/website-by-domain.ts'
import { WebsiteSetup } from '../new-website/setup-list.tsx'

export function WaitingPanel({ website }: { website: Pick<ShownWebsite, 'id' | 'domain' | 'isSample'> }) {
  if (website.isSample) {
    return (
      <Panel title="Generating visits…">
        <p role="status">This takes a few seconds. The statistics then appear automatically.</p>
      </Panel>
    )
  }
  return (
    <Panel title="No visits yet">
      <WebsiteSetup website={website} hasVisit={false} />
    </Panel>
  )
}
