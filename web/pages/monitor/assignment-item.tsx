import { Link } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { DelaySelect } from '../../components/delay-select.tsx'
import { CheckField } from '../../components/field.tsx'
import type { Assignment } from '../../lib/assignments.ts'
import { canSend } from '../../lib/boot.ts'
import { getProviderName, type Provider, providerTypeLabels } from '../../lib/providers.ts'

interface AssignmentItemProps {
  assignment: Assignment
  /** Undefined if the channel was deleted in the meantime. */
  provider: Provider | undefined
  onEnabled: (enabled: boolean) => void
  onDelay: (minutes: number) => void
  onRemove: () => void
}

export function AssignmentItem({ assignment, provider, onEnabled, onDelay, onRemove }: AssignmentItemProps) {
  const { provider_id, provider_type, enabled, delay_minutes } = assignment
  const name = provider === undefined ? providerTypeLabels[provider_type] : getProviderName(provider)
  return (
    <li>
      <div class="monitor-assignment">
        <CheckField
          label={name}
          checked={enabled}
          onValue={onEnabled}
          hint={
            <>
              {providerTypeLabels[provider_type]} · {enabled ? 'enabled' : 'disabled'} ·{' '}
              <Link href={`/providers/${provider_id}`} aria-label={`Settings for ${name}`}>
                Settings
              </Link>
              <ChannelWarning provider={provider} />
            </>
          }
        />
        {enabled && <DelaySelect channel={name} value={delay_minutes} onValue={onDelay} />}
      </div>
      <Button kind="quiet" small onClick={onRemove} aria-label={`Remove ${name}`}>
        Remove
      </Button>
    </li>
  )
}

function ChannelWarning({ provider }: { provider: Provider | undefined }) {
  if (provider === undefined) return null
  const text = canSend(provider.provider_type)
    ? provider.failure && `Last notification failed: ${provider.failure}`
    : `${providerTypeLabels[provider.provider_type]} isn't configured on this server.`
  return text ? <span class="monitor-channel-warning">{text}</span> : null
}
