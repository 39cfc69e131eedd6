/** The steps after adding a website: install the snippet, wait for the first visit, and what to set up next. */
import { ArrowRight } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { ButtonLink } from '../../components/button.tsx'
import { CodeLine } from '../../components/copy-button.tsx'
import { DomainWatch, useWatchedTargets } from '../../components/domain-watch.tsx'
import { Icon } from '../../components/icon.tsx'
import { toDisplayHost } from '../../lib/address.ts'
import { buildTrackingSnippet } from '../../lib/boot.ts'
import { queryClient, queryKeys, useOverview } from '../../lib/queries.ts'
import { useLive } from '../../lib/use-live.ts'
import { Arrivals, provesInstallation, useArrivals } from './arrivals.tsx'
import { InstallationHelp } from './installation-help.tsx'
import { Step, Steps } from './step.tsx'
import { useNextSteps } from './use-next-steps.ts'

export function AddedWebsite({ website }: { website: Pick<WebsiteRecord, 'id' | 'domain'> }) {
  const { id, domain } = website
  const instruction = useRef<HTMLParagraphElement>(null)
  // The form that had the focus is gone, so move the focus to the instruction.
  useEffect(() => instruction.current?.focus(), [])
  const hasVisit = useHasVisit(id)
  const arrivals = useArrivals(id)
  const isInstalled = hasVisit || arrivals.some(provesInstallation)
  const name = toDisplayHost(domain)
  return (
    <Steps>
      <Step title="Website added" isDone />
      <Step title="Install the tracking snippet" isDone={isInstalled} isCurrent={!isInstalled}>
        <p ref={instruction} tabIndex={-1} class="new-website-instruction">
          Add this snippet to the <code>&lt;head&gt;</code> of every page on {name}:
        </p>
        <CodeLine text={buildTrackingSnippet(domain)} label="Copy" />
        {!hasVisit && <InstallationHelp domain={domain} />}
      </Step>
      <Step title="Receive the first visit" isDone={hasVisit} isCurrent={isInstalled && !hasVisit}>
        <FirstVisit domain={domain} hasVisit={hasVisit} />
        <Arrivals id={id} arrivals={hasVisit ? arrivals.filter(({ reason }) => reason === 'other_host') : arrivals} />
      </Step>
      <NextSteps website={website} isCurrent={hasVisit} />
      <DomainWatchStep website={website} />
    </Steps>
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

function DomainWatchStep({ website }: { website: Pick<WebsiteRecord, 'id' | 'domain'> }) {
  const isDone = useWatchedTargets(website)?.every(({ monitor }) => monitor !== undefined) ?? false
  return (
    <Step title="Watch the domain and certificate" isDone={isDone}>
      {!isDone && <p class="muted small">Get alerts before they expire. Optional.</p>}
      <DomainWatch website={website} />
    </Step>
  )
}

/** The first step that isn't done is the current one. */
function NextSteps({ website, isCurrent }: { website: Pick<WebsiteRecord, 'id' | 'domain'>; isCurrent: boolean }) {
  const steps = useNextSteps(website)
  const firstOpenStep = steps.find(({ isDone }) => isDone === false)
  return (
    <>
      {steps.map((step) => {
        const { title, detail, isDone = false, href, isOptional } = step
        return (
          <Step
            key={title}
            isDone={isDone}
            isCurrent={isCurrent && step === firstOpenStep}
            title={
              isDone ? (
                title
              ) : (
                <Link href={href} class="step-link">
                  {title} <Icon icon={ArrowRight} size={14} />
                </Link>
              )
            }
          >
            {!isDone && <p class="muted small">{isOptional ? `${detail}. Optional.` : `${detail}.`}</p>}
          </Step>
        )
      })}
    </>
  )
}

/** Whether the first visit has been counted. Updates live. */
function useHasVisit(websiteId: number): boolean {
  const [isCounted, setCounted] = useState(false)
  useLive({
    websiteId,
    onTraffic: () => {
      setCounted(true)
      void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
    },
  })
  // Covers a visit that arrived before the live connection was open.
  const hadTraffic = useOverview().data?.websites.find(({ id }) => id === websiteId)?.has_traffic ?? false
  return isCounted || hadTraffic
}
