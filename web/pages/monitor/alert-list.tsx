/** What was sent about one incident, to whom, and what came of it. */
import { DateTime } from '../../components/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { providerTypeLabels, getProviderName, type Provider } from '../../lib/providers.ts'
import type { Alert } from './queries.ts'
import { eventWords } from './labels.ts'

interface SentListProps {
  sent: readonly Alert[]
  total: number
  providers: readonly Provider[]
}

export function SentList({ sent, total, providers }: SentListProps) {
  if (sent.length === 0) {
    return (
      <p class="small muted">
        No provider was assigned and switched on when it happened, or the log is older than a year.
      </p>
    )
  }
  return (
    <>
      {total > sent.length && (
        <p class="small muted">
          The newest {formatNumber(sent.length)} of {formatNumber(total)} messages:
        </p>
      )}
      <ul class="monitor-sent small">
        {sent.map((alert) => (
          <li key={alert.id}>
            <span class={`monitor-sent-state monitor-sent-${alert.state}`}>{stateWords[alert.state]}</span>
            <span>
              <strong>{eventWords[alert.event]}</strong> to {recipientOf(alert, providers)} (
              {providerTypeLabels[alert.provider_type]})<span class="muted"> · {whenOf(alert)}</span>
              {alert.state !== 'sent' && alert.answer !== null && <span class="monitor-answer">{alert.answer}</span>}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

const stateWords: Record<Alert['state'], string> = { sent: 'Sent', waiting: 'Waiting', failed: 'Failed' }

function recipientOf({ provider_id, provider_name, provider_type }: Alert, providers: readonly Provider[]): string {
  if (provider_name !== null) return provider_name
  const provider = providers.find(({ id }) => id === provider_id)
  return provider === undefined ? providerTypeLabels[provider_type] : getProviderName(provider)
}

function whenOf({ state, attempts, created_at, last_attempt_at, next_attempt_at }: Alert) {
  const tries = attempts === 1 ? 'once' : `${attempts} times`
  if (state === 'sent') return <DateTime at={last_attempt_at ?? created_at} hasSeconds />
  if (state === 'failed') {
    return (
      <>
        tried {tries}, last <DateTime at={last_attempt_at ?? created_at} hasSeconds />
      </>
    )
  }
  return (
    <>
      {attempts > 0 && `tried ${tries}, `}
      next attempt <DateTime at={next_attempt_at ?? created_at} hasSeconds />
    </>
  )
}
