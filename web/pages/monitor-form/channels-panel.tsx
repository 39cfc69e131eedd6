/**
 * Checkboxes for the notification channels. Until the user changes a checkbox, a monitor keeps its channels, and a new
 * monitor gets the default channels.
 */
import { BellRing } from 'lucide-preact'
import type { MonitorType } from '../../../src/shared/monitors.ts'
import { ChannelIcon } from '../../components/channel-icon.tsx'
import { DelaySelect } from '../../components/delay-select.tsx'
import { CheckField } from '../../components/field.tsx'
import { Section } from '../../components/section.tsx'
import { ErrorState, Loading, Skeleton } from '../../components/states.tsx'
import { useAssignments } from '../../lib/assignments.ts'
import {
  type Channel,
  channelTypeLabels,
  getChannelDestination,
  getChannelName,
  useChannels,
} from '../../lib/channels.ts'
import { type ChannelDelays, listEnabledChannels } from './channel-assignments.ts'

interface ChannelsPanelProps {
  monitorId: number | undefined
  type: MonitorType
  /** Undefined until the user changes a channel. */
  selected: ChannelDelays | undefined
  onSelect: (selected: ChannelDelays) => void
}

export function ChannelsPanel({ monitorId, type, selected, onSelect }: ChannelsPanelProps) {
  const channels = useChannels()
  const assignments = useAssignments(monitorId)
  const failedQuery = [channels, assignments].find(({ data, isError }) => data === undefined && isError)
  // Wait for fresh assignments, because saving compares the selection with them and cached ones may be out of date.
  const isReady = channels.data !== undefined && (monitorId === undefined || assignments.isFetchedAfterMount)
  return (
    <Section
      title="Notification channels"
      icon={BellRing}
      description={
        type === 'traffic'
          ? 'Belfry notifies the selected channels when visits stop or return, and about traffic spikes.'
          : 'Belfry notifies the selected channels when the monitor goes down, when it recovers, and before its certificate expires.'
      }
    >
      {failedQuery ? (
        <ErrorState error={failedQuery.error} retry={() => void failedQuery.refetch()} />
      ) : !isReady ? (
        <Loading what="notification channels">
          <Skeleton height="3rem" />
        </Loading>
      ) : channels.data.length === 0 ? (
        <NoChannels />
      ) : (
        <ChannelCheckboxes
          channels={channels.data}
          selected={
            selected ?? (assignments.data ? listEnabledChannels(assignments.data) : listDefaultChannels(channels.data))
          }
          onSelect={onSelect}
        />
      )}
    </Section>
  )
}

const listDefaultChannels = (channels: readonly Channel[]): ChannelDelays =>
  new Map(channels.filter((channel) => channel.assign_by_default).map(({ id }) => [id, 0]))

interface ChannelCheckboxesProps {
  channels: readonly Channel[]
  selected: ChannelDelays
  onSelect: (selected: ChannelDelays) => void
}

function ChannelCheckboxes({ channels, selected, onSelect }: ChannelCheckboxesProps) {
  const withChannel = (id: number, delay: number) => new Map([...selected, [id, delay]])
  const withoutChannel = (id: number) => new Map([...selected].filter(([other]) => other !== id))
  return (
    <ul class="monitor-form-channels">
      {channels.map((channel) => (
        <li key={channel.id}>
          <CheckField
            label={getChannelName(channel)}
            hint={`${channelTypeLabels[channel.provider_type]}${channel.name === null ? '' : `: ${getChannelDestination(channel)}`}`}
            checked={selected.has(channel.id)}
            onValue={(isSelected) => onSelect(isSelected ? withChannel(channel.id, 0) : withoutChannel(channel.id))}
          />
          {selected.has(channel.id) && (
            <DelaySelect
              channel={getChannelName(channel)}
              value={selected.get(channel.id) ?? 0}
              onValue={(delay) => onSelect(withChannel(channel.id, delay))}
            />
          )}
          <ChannelIcon type={channel.provider_type} />
        </li>
      ))}
    </ul>
  )
}

/** The link opens a new tab to keep unsaved input. The list refetches when the user returns. */
function NoChannels() {
  return (
    <p>
      No notification channels yet.{' '}
      <a href="notification-channels/new" target="_blank" rel="noreferrer">
        Add a channel<span class="hidden-text"> (opens in a new tab)</span>
      </a>
      . You can also do this later.
    </p>
  )
}
