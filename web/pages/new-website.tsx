import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { WebsiteRecord } from '../../src/websites/schema.ts'
import { Page } from '../components/page.tsx'
import { toDisplayHost } from '../lib/address.ts'
import { AddedWebsite } from './new-website/added-website.tsx'
import { DomainForm } from './new-website/domain-form.tsx'

export default function NewWebsitePage() {
  const [addedWebsite, setAddedWebsite] = useState<WebsiteRecord>()
  if (addedWebsite === undefined) {
    return (
      <Page title="Add website" isNarrow>
        <div class="stack">
          <p class="muted">See how many people visit, where they come from and what they read. No cookies.</p>
          <section class="panel" aria-label="New website">
            <DomainForm onAdded={setAddedWebsite} autofocus />
          </section>
        </div>
      </Page>
    )
  }
  const { domain } = addedWebsite
  const name = toDisplayHost(domain)
  return (
    <Page title={`${name} added`} isNarrow>
      <div class="stack">
        <section class="panel" aria-label={`Set up ${name}`}>
          <h2 class="hidden-text">Set up {name}</h2>
          <AddedWebsite website={addedWebsite} />
        </section>
        <ul class="row small">
          <li>
            <Link href={`/${domain}/settings`}>Choose who can see the statistics and which visits to exclude</Link>
          </li>
          <li>
            <Link href="/">Go to overview</Link>
          </li>
        </ul>
      </div>
    </Page>
  )
}
