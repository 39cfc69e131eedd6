/** The first steps for a user without websites and monitors. */
import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { LoadSampleShop } from '../../components/sample-data.tsx'
import { addScheme, buildNewMonitorPath, toDisplayHost } from '../../lib/address.ts'
import { AddedWebsite } from '../new-website/added-website.tsx'
import { DomainForm } from '../new-website/domain-form.tsx'
import './welcome.css'

export interface WelcomeProps {
  addedWebsite: WebsiteRecord | undefined
  onAdded: (website: WebsiteRecord) => void
}

export default function Welcome({ addedWebsite, onAdded }: WelcomeProps) {
  return (
    <div class="stack">
      <p class="welcome-intro muted">
        {addedWebsite
          ? 'Add the tracking snippet to your website. Its visits appear on this page.'
          : "See your websites' traffic, and get alerted when they go down. Start with analytics or monitoring."}
      </p>
      <div class={`welcome-cards${addedWebsite ? ' welcome-cards-added' : ''}`}>
        <Panel title={addedWebsite ? toDisplayHost(addedWebsite.domain) : 'Web analytics'}>
          {addedWebsite ? (
            <AddedWebsite website={addedWebsite} />
          ) : (
            <div class="form">
              <p class="muted">No cookies, no personal data.</p>
              <DomainForm onAdded={onAdded} />
            </div>
          )}
        </Panel>
        <Panel title="Uptime monitoring">
          <FirstMonitor domain={addedWebsite?.domain} />
        </Panel>
      </div>
      {addedWebsite ? (
        <p>
          <Link href={`/${addedWebsite.domain}`}>Go to {toDisplayHost(addedWebsite.domain)} statistics</Link>
        </p>
      ) : (
        <section class="welcome-sample" aria-labelledby="welcome-sample-title">
          <div>
            <h2 id="welcome-sample-title">Just looking around?</h2>
            <p class="muted small">
              Explore Belfry with a sample shop that has 90 days of visits and a few incidents. You can load and remove
              it at any time.
            </p>
          </div>
          <LoadSampleShop />
        </section>
      )}
    </div>
  )
}

function FirstMonitor({ domain }: { domain: string | undefined }) {
  const [, navigate] = useLocation()
  const [typedUrl, setTypedUrl] = useState<string>()
  const url = typedUrl ?? (domain === undefined ? '' : `https://${domain}/`)
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        navigate(buildNewMonitorPath(addScheme(url)))
      }}
    >
      <p class="muted">Get alerted when a page or API goes down and when it recovers.</p>
      <TextField
        label="URL"
        hint="A web page or API endpoint. You can test it before you save the monitor."
        inputMode="url"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder="https://example.com/"
        required
        value={url}
        onValue={setTypedUrl}
      />
      <div class="form-actions">
        <Button type="submit">Set up monitor</Button>
      </div>
    </form>
  )
}
