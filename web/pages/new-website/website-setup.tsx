/** The setup steps of one website. The steps that can be done on this page have their controls here; the others are links. */
import { ArrowRight } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { ButtonLink } from '../../components/button.tsx'
import { DomainWatch } from '../../components/domain-watch.tsx'
import { Icon } from '../../components/icon.tsx'
import { toDisplayHost } from '../../lib/address.ts'
import { useArrivals } from '../../lib/arrivals.ts'
import type { SetupStep, SetupStepKey } from '../../lib/setup-steps.ts'
import { useSetupSteps } from '../../lib/use-setup-steps.ts'
import { Arrivals } from './arrivals.tsx'
import { SnippetInstallation } from './snippet-installation.tsx'
import { Step, Steps } from './step.tsx'

/** How often the page fetches the visits that the server has received. */
const POLL_MS = 3_000

interface WebsiteSetupProps {
  website: Pick<WebsiteRecord, 'id' | 'domain'>
  hasVisit: boolean
  /** Whether the instruction for installing the snippet takes the focus. */
  takesFocus?: boolean
}

export default function WebsiteSetup({ website, hasVisit, takesFocus = false }: WebsiteSetupProps) {
  const { id, domain } = website
  const arrivals = useArrivals(id, { isEnabled: true, pollMs: POLL_MS }) ?? []
  const steps = useSetupSteps(website, { hasVisit })
  /** The steps read the result of the verification when they are rendered. */
  const [, setVerifiedAt] = useState(0)
  const contents: Partial<Record<SetupStepKey, ComponentChildren>> = {
    snippet: (
      <SnippetInstallation
        website={website}
        hasVisit={hasVisit}
        onVerified={() => setVerifiedAt(Date.now())}
        takesFocus={takesFocus}
      />
    ),
    visit: (
      <>
        <FirstVisit domain={domain} hasVisit={hasVisit} />
        <Arrivals id={id} arrivals={hasVisit ? arrivals.filter(({ reason }) => reason === 'other_host') : arrivals} />
      </>
    ),
    domain: <DomainWatch website={website} />,
  }
  return (
    <Steps>
      {steps.map((step) => (
        <SetupStepView key={step.key} step={step} content={contents[step.key]} />
      ))}
    </Steps>
  )
}

function SetupStepView({ step, content }: { step: SetupStep; content: ComponentChildren }) {
  const { title, detail, isDone = false, isCurrent, isOptional, href } = step
  const isLink = !isDone && content === undefined
  const hasDetail = !isDone && (isLink || isOptional)
  return (
    <Step
      isDone={isDone}
      isCurrent={isCurrent}
      title={
        isLink ? (
          <Link href={href} class="step-link">
            {title} <Icon icon={ArrowRight} size={14} />
          </Link>
        ) : (
          title
        )
      }
    >
      {hasDetail && <p class="muted small">{isOptional ? `${detail} Optional.` : detail}</p>}
      {content}
    </Step>
  )
}

function FirstVisit({ domain, hasVisit }: { domain: string; hasVisit: boolean }) {
  return (
    <div class={`first-visit${hasVisit ? ' first-visit-counted' : ''}`}>
      <p role="status" class="row">
        {hasVisit ? (
          <strong>First visit counted</strong>
        ) : (
          <>
            <span class="spinner" aria-hidden="true" /> Waiting for the first visit…
          </>
        )}
      </p>
      {hasVisit ? (
        <ButtonLink kind="primary" to={`/${domain}`}>
          View statistics<span class="hidden-text"> for {toDisplayHost(domain)}</span>
        </ButtonLink>
      ) : (
        <span class="muted small">Open your website in another tab. This page updates automatically.</span>
      )}
    </div>
  )
}
