import { Link } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { CheckField } from '../../components/field.tsx'
import { boot } from '../../lib/boot.ts'
import { nameOf, type Provider, typeWords } from './providers.ts'
import type { Assignment } from './queries.ts'

interface AssignmentItemProps {
  assignment: Assignment
  /** Not there if it was deleted a moment ago. */
  provider: Provider | undefined
  onEnabled: (enabled: boolean) => void
  onRemove: () => void
}

export function AssignmentItem({ assignment, provider, onEnabled, onRemove }: AssignmentItemProps) {
  const { provider_id, provider_type, enabled } = assignment
  const name = provider === undefined ? typeWords[provider_type] : nameOf(provider)
  return (
    <li>
      <CheckField
        label={name}
        checked={enabled}
        onValue={onEnabled}
        hint={
          <>
            {typeWords[provider_type]} · {enabled ? 'told' : 'switched off'} ·{' '}
            <Link href={`/providers/${provider_id}`} aria-label={`Settings of ${name}`}>
              Settings
            </Link>
            <Trouble provider={provider} />
          </>
        }
      />
      <Button kind="quiet" small onClick={onRemove} aria-label={`Remove ${name}`}>
        Remove
      </Button>
    </li>
  )
}

function Trouble({ provider }: { provider: Provider | undefined }) {
  if (provider === undefined) return null
  const isMissing = boot.server?.transports[provider.provider_type] === false
  const text = isMissing
    ? `${typeWords[provider.provider_type]} is not set up on this server.`
    : provider.failure && `The last message failed. ${provider.failure}`
  return text ? <span class="monitor-trouble">{text}</span> : null
}
