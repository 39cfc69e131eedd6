/**
 * Lists the visits that the server receives while the website waits for its first counted visit, with a fix for each
 * problem.
 */
import { CircleCheck, Info, TriangleAlert } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { ArrivalRecord } from '../../../src/traffic/dropped/schema.ts'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Icon } from '../../components/icon.tsx'
import { toDisplayHost } from '../../lib/address.ts'
import { buildTrackingSnippet } from '../../lib/boot.ts'
import { queryClient, queryKeys, useOverview, useWebsite } from '../../lib/queries.ts'
import { describeArrival, isFromWebsite } from './arrival-text.ts'
import { addSimilarWebsite, includeBots, removeExclusion } from './fixes.ts'

export function Arrivals({ id, arrivals }: { id: number; arrivals: readonly ArrivalRecord[] }) {
  const { data: website } = useWebsite(id)
  // The settings show whether the problem of a line is fixed. They may have changed in another tab, so refetch them.
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: queryKeys.website(id), exact: true })
  }, [id, arrivals.length])
  if (website === undefined || arrivals.length === 0) return null
  return (
    <ul class="arrivals" aria-label="Received visits">
      {arrivals.map((arrival) => (
        <ArrivalLine key={JSON.stringify({ ...arrival, count: 0, last_at: '' })} arrival={arrival} website={website} />
      ))}
    </ul>
  )
}

interface LineProps {
  arrival: ArrivalRecord
  website: WebsiteRecord
}

function ArrivalLine({ arrival, website }: LineProps) {
  const { title, detail, isCounted = false } = describeArrival(arrival, website.domain)
  const fixedText = useFixedText(arrival, website)
  return (
    <li class="arrival">
      <span class={fixedText ? 'arrival-fixed' : isCounted ? 'arrival-counted' : 'arrival-missed'}>
        <Icon icon={fixedText ? CircleCheck : isCounted ? Info : TriangleAlert} size={18} />
      </span>
      <div class="arrival-text">
        <p class="arrival-title" aria-live="polite">
          {title}
        </p>
        <p class="muted small">
          {fixedText ?? detail}
          {!fixedText && arrival.is_own && describeOwnVisits(arrival)}
        </p>
      </div>
      {fixedText === undefined && <Fix arrival={arrival} website={website} />}
    </li>
  )
}

const describeOwnVisits = ({ count }: ArrivalRecord) =>
  count === 1 ? ' The visit came from your IP address.' : ' At least one visit came from your IP address.'

/** A line stays for an hour. If its problem has been fixed in the meantime, this returns a text that says so. */
function useFixedText({ reason, exclusion, suggested_domain }: ArrivalRecord, website: WebsiteRecord) {
  const { data: overview } = useOverview()
  if (reason === 'bot' && website.exclude_bots === 0) return 'Bots are counted now. Open your website again.'
  if (reason === 'ip' && exclusion !== null && !website.exclude_ips?.split('\n').includes(exclusion)) {
    return `${exclusion} is no longer excluded. Open your website again.`
  }
  const isAdded = suggested_domain !== null && overview?.websites.some(({ domain }) => domain === suggested_domain)
  return isAdded ? `${toDisplayHost(suggested_domain)} is now one of your websites.` : undefined
}

function Fix({ arrival, website }: LineProps) {
  const { reason, exclusion, suggested_domain: suggestedDomain } = arrival
  const [, navigate] = useLocation()
  const copyButton = <CopyButton text={buildTrackingSnippet(website.domain)} label="Copy the correct snippet" />
  const addButton = suggestedDomain !== null && (
    <FixButton fix={() => addSimilarWebsite(website, suggestedDomain, navigate)}>
      Add {toDisplayHost(suggestedDomain)} as a website
    </FixButton>
  )
  if (reason === 'unknown_site') {
    // A page of this website has the wrong snippet, so offer the correct one first. Any other page may belong to a
    // website that isn't added yet.
    return <Fixes>{isFromWebsite(arrival, website.domain) ? [copyButton, addButton] : [addButton, copyButton]}</Fixes>
  }
  if (reason === 'other_website') return <Fixes>{copyButton}</Fixes>
  if (reason === 'other_host' && addButton) return <Fixes>{addButton}</Fixes>
  if (reason === 'bot') return <Fixes>{<FixButton fix={() => includeBots(website)}>Count bots too</FixButton>}</Fixes>
  if (reason === 'ip' && exclusion !== null) {
    return (
      <Fixes>
        <FixButton fix={() => removeExclusion(website, exclusion)}>Remove this exclusion</FixButton>
      </Fixes>
    )
  }
  return null
}

const Fixes = ({ children }: { children: ComponentChildren }) => <div class="arrival-fixes">{children}</div>

function FixButton({ fix, children }: { fix: () => Promise<void>; children: ComponentChildren }) {
  const [isBusy, setBusy] = useState(false)
  return (
    <Button
      small
      busy={isBusy}
      onClick={() => {
        setBusy(true)
        void fix().finally(() => setBusy(false))
      }}
    >
      {children}
    </Button>
  )
}
