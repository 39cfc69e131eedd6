import { Link } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { DelaySelect } from '../../components/delay-select.tsx'
import { CheckField } from '../../components/field.tsx'
import type { Assignment } from '../../lib/assignments.ts'
import { canSend } from '../../lib/boot.ts'
import { type Channel, channelTypeLabels, getChannelName } from '../../lib/channels.ts'
import { can } from '../../lib/team.ts'

interface AssignmentItemProps {
  assignment: Assignment
  /** Undefined if the channel was deleted in the meantime. */
  channel: Channel | undefined
  onEnabled: (enabled: boolean) => void
  onDelay: (minutes: number) => void
  onRemove: () => void
}

export function AssignmentItem({ assignment, channel, onEnabled, onDelay, onRemove }: AssignmentItemProps) {
  const { provider_id, provider_type, enabled, delay_minutes } = assignment
  const canEdit = can('edit')
  const name = channel === undefined ? channelTypeLabels[provider_type] : getChannelName(channel)
  return (
    <li id={`assignment-${provider_id}`}>
      <div class="monitor-assignment">
        <CheckField
          label={name}
          checked={enabled}
          onValue={onEnabled}
          disabled={!canEdit}
          hint={
            <>
              {channelTypeLabels[provider_type]} · {enabled ? 'enabled' : 'disabled'}
              {canEdit && (
                <>
                  {' · '}
                  <Link href={`/notification-channels/${provider_id}`} aria-label={`Settings for ${name}`}>
                    Settings
                  </Link>
                </>
              )}
              <ChannelWarning channel={channel} />
            </>
          }
        />
        {enabled && canEdit && <DelaySelect channel={name} value={delay_minutes} onValue={onDelay} />}
      </div>
      <Button needs="edit" kind="quiet" small onClick={onRemove} aria-label={`Remove ${name}`}>
        Remove
      </Button>
    </li>
  )
}

function ChannelWarning({ channel }: { channel: Channel | undefined }) {
  if (channel === undefined) return null
  const text = canSend(channel.provider_type)
    ? channel.failure && `Last notification failed: ${channel.failure}`
    : `${channelTypeLabels[channel.provider_type]} isn't configured on this server.`
  return text ? <span class="monitor-channel-warning">{text}</span> : null
}
