/** Shown until the first visit is counted: the setup steps, and the visits that weren't counted as expected. */
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { Panel } from '../../components/page.tsx'
import { WebsiteSetup } from '../new-website/lazy-website-setup.tsx'

export function WaitingPanel({ website }: { website: Pick<WebsiteRecord, 'id' | 'domain'> }) {
  return (
    <Panel title="No visits yet">
      <WebsiteSetup website={website} hasVisit={false} />
    </Panel>
  )
}
