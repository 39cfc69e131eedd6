/** Checkboxes for the notification channels. Until the user changes one, the server's assignments or defaults apply. */
import { BellRing } from 'lucide-preact'
import type { MonitorType } from '../../../src/shared/monitors.ts'
import { ChannelIcon } from '../../components/channel-icon.tsx'
import { DelaySelect } from '../../components/delay-select.tsx'
import { CheckField } from '../../components/field.tsx'
import { Section } from '../../components/section.tsx'
import { ErrorState, Loading, Skeleton } from '../../components/states.tsx'
import { useAssignments } from '../../lib/assignments.ts'
import {
  getProviderDestination,
  getProviderName,
  type Provider,
  providerTypeLabels,
  useProviders,
} from '../../lib/providers.ts'
import { type ChannelDelays, listEnabledChannels } from './channel-assignments.ts'

interface ChannelsPanelProps {
  monitorId: number | undefined
  type: MonitorType
  /** Undefined until the user changes a channel. */
  selected: ChannelDelays | undefined
  onSelect: (selected: ChannelDelays) => void
}

export function ChannelsPanel({ monitorId, type, selected, onSelect }: ChannelsPanelProps) {
  const providers = useProviders()
  const assignments = useAssignments(monitorId)
  const failedQuery = [providers, assignments].find(({ data, isError }) => data === undefined && isError)
  // Wait for fresh assignments, because saving compares the selection with them and cached ones may be out of date.
  const isReady = providers.data !== undefined && (monitorId === undefined || assignments.isFetchedAfterMount)
  return (
    <Section
      title="Notifications"
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
      ) : providers.data.length === 0 ? (
        <NoChannels />
      ) : (
        <ChannelCheckboxes
          providers={providers.data}
          selected={
            selected ?? (assignments.data ? listEnabledChannels(assignments.data) : listDefaultChannels(providers.data))
          }
          onSelect={onSelect}
        />
      )}
    </Section>
  )
}

const listDefaultChannels = (providers: readonly Provider[]): ChannelDelays =>
  new Map(providers.filter((provider) => provider.assign_by_default).map(({ id }) => [id, 0]))

interface ChannelCheckboxesProps {
  providers: readonly Provider[]
  selected: ChannelDelays
  onSelect: (selected: ChannelDelays) => void
}

function ChannelCheckboxes({ providers, selected, onSelect }: ChannelCheckboxesProps) {
  const withChannel = (id: number, delay: number) => new Map([...selected, [id, delay]])
  const withoutChannel = (id: number) => new Map([...selected].filter(([other]) => other !== id))
  return (
    <ul class="monitor-form-channels">
      {providers.map((provider) => (
        <li key={provider.id}>
          <CheckField
            label={getProviderName(provider)}
            hint={`${providerTypeLabels[provider.provider_type]}${provider.name === null ? '' : `: ${getProviderDestination(provider)}`}`}
            checked={selected.has(provider.id)}
            onValue={(isSelected) => onSelect(isSelected ? withChannel(provider.id, 0) : withoutChannel(provider.id))}
          />
          {selected.has(provider.id) && (
            <DelaySelect
              channel={getProviderName(provider)}
              value={selected.get(provider.id) ?? 0}
              onValue={(delay) => onSelect(withChannel(provider.id, delay))}
            />
          )}
          <ChannelIcon type={provider.provider_type} />
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
      <a href="providers/new" target="_blank" rel="noreferrer">
        Add a channel<span class="hidden-text"> (opens in a new tab)</span>
      </a>
      . You can also do this later.
    </p>
  )
}
