import { Pencil, Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button, ButtonLink } from '../../components/button.tsx'
import { ChannelIcon } from '../../components/channel-icon.tsx'
import { pluralize } from '../../lib/format.ts'
import { getProviderDestination, getProviderName, type Provider, providerTypeLabels } from '../../lib/providers.ts'
import { DeleteProvider } from './delete-provider.tsx'
import { FailureNote } from './failure-note.tsx'
import { TestButton, TestResult, useProviderTest } from './test-button.tsx'
import { TransportNote } from './transport-note.tsx'
import { useMonitorCount } from './use-monitor-count.ts'

interface ProviderCardProps {
  provider: Provider
  showsMonitorCount: boolean
}

export function ProviderCard({ provider, showsMonitorCount }: ProviderCardProps) {
  const [isDeleting, setDeleting] = useState(false)
  const test = useProviderTest(provider.id)
  const title = getProviderName(provider)
  return (
    <li class="panel provider-card">
      <div class="provider-card-head">
        <ChannelIcon type={provider.provider_type} />
        <div class="provider-card-text">
          <h2>
            <Link href={`/providers/${provider.id}`}>{title}</Link>
          </h2>
          <p class="muted row small">
            <span class="tag">{providerTypeLabels[provider.provider_type]}</span>
            {provider.name !== null && <span class="provider-destination">{getProviderDestination(provider)}</span>}
            {showsMonitorCount && <MonitorCount providerId={provider.id} />}
            {provider.assign_by_default && <span class="tag">Default for new monitors</span>}
          </p>
        </div>
        <div class="row">
          <TestButton test={test} name={title} small />
          <ButtonLink to={`/providers/${provider.id}`} small icon={Pencil}>
            Edit<span class="hidden-text"> {title}</span>
          </ButtonLink>
          <Button kind="danger" small icon={Trash2} onClick={() => setDeleting(true)} aria-label={`Delete ${title}`}>
            Delete
          </Button>
        </div>
      </div>
      <TransportNote type={provider.provider_type} />
      <FailureNote provider={provider} />
      <TestResult test={test} />
      {isDeleting && <DeleteProvider provider={provider} onClose={() => setDeleting(false)} />}
    </li>
  )
}

function MonitorCount({ providerId }: { providerId: number }) {
  const { data: count } = useMonitorCount(providerId)
  return (
    <span class="numbers">{count === undefined ? '…' : count === 0 ? 'No monitors' : pluralize(count, 'monitor')}</span>
  )
}
