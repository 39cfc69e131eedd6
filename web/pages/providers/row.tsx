import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button, ButtonLink } from '../../components/button.tsx'
import { formatCount } from '../../lib/format.ts'
import { providerTypeLabels, getProviderName, type Provider, getProviderDestination } from '../../lib/providers.ts'
import { DeleteProvider } from './delete-provider.tsx'
import { FailureNote } from './failure-note.tsx'
import { useMonitorCount } from './use-monitor-count.ts'
import { TestButton, TestOutcome, useProviderTest } from './test-button.tsx'
import { TransportNote } from './transport-note.tsx'

interface ProviderRowProps {
  provider: Provider
  isCounted: boolean
}

export function ProviderRow({ provider, isCounted }: ProviderRowProps) {
  const [isDeleting, setDeleting] = useState(false)
  const test = useProviderTest(provider.id)
  const title = getProviderName(provider)
  return (
    <li class="panel providers-row">
      <div class="providers-row-head">
        <div class="providers-row-words">
          <h2>
            <Link href={`/providers/${provider.id}`}>{title}</Link>
          </h2>
          <p class="muted row">
            <span class="tag">{providerTypeLabels[provider.provider_type]}</span>
            {provider.name !== null && <span class="providers-where">{getProviderDestination(provider)}</span>}
            {isCounted && <Count id={provider.id} />}
            {provider.assign_by_default && <span class="tag">For every new monitor</span>}
          </p>
        </div>
        <div class="row">
          <TestButton test={test} name={title} small />
          <ButtonLink to={`/providers/${provider.id}`} small>
            Edit<span class="hidden-text"> {title}</span>
          </ButtonLink>
          <Button kind="danger" small onClick={() => setDeleting(true)} aria-label={`Delete ${title}`}>
            Delete
          </Button>
        </div>
      </div>
      <TransportNote type={provider.provider_type} />
      <FailureNote provider={provider} />
      <TestOutcome test={test} />
      {isDeleting && <DeleteProvider provider={provider} onClose={() => setDeleting(false)} />}
    </li>
  )
}

function Count({ id }: { id: number }) {
  const { data } = useMonitorCount(id)
  return (
    <span class="numbers">
      {data === undefined ? '…' : data === 0 ? 'no monitor yet' : formatCount(data, 'monitor')}
    </span>
  )
}
