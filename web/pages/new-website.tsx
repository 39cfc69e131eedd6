import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { WebsiteRecord } from '../../src/websites/schema.ts'
import { Page, Panel } from '../components/page.tsx'
import { newMonitorPathForDomain } from '../lib/address.ts'
import { AddedWebsite } from './new-website/added-website.tsx'
import { DomainForm } from './new-website/domain-form.tsx'

export default function NewWebsitePage() {
  const [added, setAdded] = useState<WebsiteRecord>()
  if (added === undefined) {
    return (
      <Page title="Add a website" isNarrow>
        <div class="stack">
          <p class="muted">Who visits it, from where, and what they read. Without cookies.</p>
          <section class="panel" aria-label="New website">
            <DomainForm onAdded={setAdded} autofocus />
          </section>
        </div>
      </Page>
    )
  }
  const { domain } = added
  return (
    <Page title={`${domain} is added`} isNarrow>
      <div class="stack">
        <Panel title="Count its visitors">
          <AddedWebsite website={added} />
        </Panel>
        <ul class="row">
          <li>
            <Link href={`/${domain}/settings`}>Settings: who may see it, what is left out</Link>
          </li>
          <li>
            <Link href={newMonitorPathForDomain(domain)}>Watch whether it is up</Link>
          </li>
          <li>
            <Link href="/">Overview</Link>
          </li>
        </ul>
      </div>
    </Page>
  )
}
