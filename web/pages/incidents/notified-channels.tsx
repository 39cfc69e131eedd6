/** The notification channels with an alert about an incident, as icons. The tooltip says what each of them got. */
import { ChannelIcon } from '../../components/channel-icon.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { channelTypeLabels } from '../../lib/channels.ts'
import { formatDateTime, pluralize } from '../../lib/format.ts'
import type { AccountIncident } from '../../lib/incidents.ts'

type NotifiedChannel = AccountIncident['notified'][number]

const MAX_ICONS = 3

const stateTexts: Record<NotifiedChannel['state'], string> = {
  sent: 'notified',
  waiting: 'pending',
  failed: 'failed',
  skipped: 'skipped',
}

/** "Ops (Slack)". */
export const getNotifiedName = ({
  provider_name,
  provider_type,
}: Pick<NotifiedChannel, 'provider_name' | 'provider_type'>) =>
  provider_name === null ? channelTypeLabels[provider_type] : `${provider_name} (${channelTypeLabels[provider_type]})`

export function describeNotified(channel: NotifiedChannel): string {
  const { state, at, reminders } = channel
  const time = state === 'skipped' ? '' : ` ${formatDateTime(at)}`
  return `${stateTexts[state]}${time}${reminders === 0 ? '' : `, ${pluralize(reminders, 'reminder')}`}`
}

export function NotifiedChannels({ notified }: { notified: readonly NotifiedChannel[] }) {
  if (notified.length === 0) {
    return (
      <span class="small muted">
        No one<span class="hidden-text"> notified</span>
      </span>
    )
  }
  return (
    <Tooltip
      content={
        <ul class="incidents-notified-list">
          {notified.map((channel) => (
            <li key={channel.provider_id}>
              <strong>{getNotifiedName(channel)}</strong> <span class="muted">{describeNotified(channel)}</span>
            </li>
          ))}
        </ul>
      }
    >
      <span class="incidents-channels">
        {notified.slice(0, MAX_ICONS).map((channel) => (
          <span
            key={channel.provider_id}
            class={`incidents-channel incidents-channel-${channel.state}`}
            aria-hidden="true"
          >
            <ChannelIcon type={channel.provider_type} />
          </span>
        ))}
        {notified.length > MAX_ICONS && <span class="small muted">+{notified.length - MAX_ICONS}</span>}
        <span class="hidden-text">
          {notified.map((channel) => `${getNotifiedName(channel)} ${stateTexts[channel.state]}`).join(', ')}
        </span>
      </span>
    </Tooltip>
  )
}
