/** The first steps, when there is nothing yet. */
import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { watchPath, withScheme } from '../../lib/address.ts'
import { AddedWebsite } from '../new-website/added-website.tsx'
import { DomainForm } from '../new-website/domain-form.tsx'

interface WelcomeProps {
  added: WebsiteRecord | undefined
  onAdded: (added: WebsiteRecord) => void
}

export function Welcome({ added, onAdded }: WelcomeProps) {
  return (
    <div class="stack">
      <p class="overview-welcome">
        {added
          ? 'One step is left: put the line into the pages of your website.'
          : 'Belfry counts who visits your websites, and tells you when they are down. Begin with either.'}
      </p>
      <div class="overview-cards">
        <Panel title={added ? added.domain : 'Count visitors'}>
          {added ? (
            <AddedWebsite website={added} />
          ) : (
            <div class="form">
              <p class="muted">Without cookies, and without anything that is kept about a person.</p>
              <DomainForm onAdded={onAdded} />
            </div>
          )}
        </Panel>
        <Panel title="Watch whether it is up">
          <FirstMonitor domain={added?.domain} />
        </Panel>
      </div>
      {added && (
        <p>
          <Link href={`/${added.domain}`}>Go to the page of {added.domain}</Link>
        </p>
      )}
    </div>
  )
}

function FirstMonitor({ domain }: { domain: string | undefined }) {
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState<string>()
  const address = typed ?? (domain === undefined ? '' : `https://${domain}/`)
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        navigate(watchPath(withScheme(address)))
      }}
    >
      <p class="muted">You are told when it is down, and when it is back.</p>
      <TextField
        label="Address"
        hint="A page or any address that answers. You can try it before it is saved."
        inputMode="url"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder="https://example.com/"
        required
        value={address}
        onValue={setTyped}
      />
      <div class="form-actions">
        <Button kind={domain === undefined ? 'plain' : 'primary'} type="submit">
          Set up the monitor
        </Button>
      </div>
    </form>
  )
}
