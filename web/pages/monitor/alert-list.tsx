/** Lists the alerts about one incident, each with its recipient and delivery state. */
import { DateTime } from '../../components/time.tsx'
import { type Channel, channelTypeLabels, getChannelName } from '../../lib/channels.ts'
import { formatNumber, pluralize } from '../../lib/format.ts'
import { describeCombination, isCombined } from './alert-summary.ts'
import { alertEventLabels } from './labels.ts'
import type { Alert } from './queries.ts'

interface AlertListProps {
  alerts: readonly Alert[]
  total: number
  channels: readonly Channel[]
}

export function AlertList({ alerts, total, channels }: AlertListProps) {
  if (alerts.length === 0) {
    return (
      <p class="small muted">
        No notifications to show. Either no channel was enabled when the incident opened, or the notifications were
        deleted after a year.
      </p>
    )
  }
  return (
    <>
      {total > alerts.length && (
        <p class="small muted">
          Latest {formatNumber(alerts.length)} of {formatNumber(total)} notifications:
        </p>
      )}
      <ul class="monitor-alerts small">
        {alerts.map((alert) => (
          <li key={alert.id}>
            <span class={`monitor-alert-state monitor-alert-${alert.state}`}>{stateLabels[alert.state]}</span>
            <span>
              <strong>{alertEventLabels[alert.event]}</strong> to {getRecipientName(alert, channels)} (
              {channelTypeLabels[alert.provider_type]})<span class="muted"> · {describeAttempts(alert)}</span>
              {isCombined(alert) && <span class="muted"> · {describeCombination(alert)}</span>}
              {alert.state !== 'sent' && alert.answer !== null && (
                <span class="monitor-alert-response">{alert.answer}</span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

const stateLabels: Record<Alert['state'], string> = {
  sent: 'Sent',
  waiting: 'Pending',
  failed: 'Failed',
  skipped: 'Skipped',
}

/** The name of the channel, even if it was deleted. */
export function getRecipientName({ provider_id, provider_name, provider_type }: Alert, channels: readonly Channel[]) {
  if (provider_name !== null) return provider_name
  const channel = channels.find(({ id }) => id === provider_id)
  return channel === undefined ? channelTypeLabels[provider_type] : getChannelName(channel)
}

function describeAttempts({ state, attempts, created_at, last_attempt_at, next_attempt_at }: Alert) {
  const attemptsText = pluralize(attempts, 'attempt')
  if (state === 'sent') return <DateTime at={last_attempt_at ?? created_at} hasSeconds />
  if (state === 'skipped')
    return <>Not sent: the incident ended, or the channel was removed, before the delay was over</>
  if (state === 'failed') {
    return (
      <>
        {attemptsText}, last on <DateTime at={last_attempt_at ?? created_at} hasSeconds />
      </>
    )
  }
  return (
    <>
      {attempts > 0 && `${attemptsText}, next on `}
      {attempts === 0 && 'First attempt on '}
      <DateTime at={next_attempt_at ?? created_at} hasSeconds />
    </>
  )
}
