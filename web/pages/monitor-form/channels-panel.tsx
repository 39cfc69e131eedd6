/** Checkboxes for the notification channels. Until the user changes one, the server's assignments or defaults apply. */
import { BellRing } from 'lucide-preact'
import { ChannelIcon } from '../../components/channel-icon.tsx'
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
import { listEnabledChannelIds } from './channel-assignments.ts'

interface ChannelsPanelProps {
  monitorId: number | undefined
  /** Undefined until the user changes a checkbox. */
  selectedIds: readonly number[] | undefined
  onSelect: (ids: readonly number[]) => void
}

export function ChannelsPanel({ monitorId, selectedIds, onSelect }: ChannelsPanelProps) {
  const providers = useProviders()
  const assignments = useAssignments(monitorId)
  const failedQuery = [providers, assignments].find(({ data, isError }) => data === undefined && isError)
  // Wait for fresh assignments, because saving compares the selection with them and cached ones may be out of date.
  const isReady = providers.data !== undefined && (monitorId === undefined || assignments.isFetchedAfterMount)
  return (
    <Section
      title="Notifications"
      icon={BellRing}
      description="Belfry notifies the selected channels when the monitor goes down, when it recovers, and before its certificate expires."
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
          selectedIds={
            selectedIds ??
            (assignments.data ? listEnabledChannelIds(assignments.data) : listDefaultChannelIds(providers.data))
          }
          onSelect={onSelect}
        />
      )}
    </Section>
  )
}

const listDefaultChannelIds = (providers: readonly Provider[]) =>
  providers.filter((provider) => provider.assign_by_default).map(({ id }) => id)

interface ChannelCheckboxesProps {
  providers: readonly Provider[]
  selectedIds: readonly number[]
  onSelect: (ids: readonly number[]) => void
}

function ChannelCheckboxes({ providers, selectedIds, onSelect }: ChannelCheckboxesProps) {
  return (
    <ul class="monitor-form-channels">
      {providers.map((provider) => (
        <li key={provider.id}>
          <CheckField
            label={getProviderName(provider)}
            hint={`${providerTypeLabels[provider.provider_type]}${provider.name === null ? '' : `: ${getProviderDestination(provider)}`}`}
            checked={selectedIds.includes(provider.id)}
            onValue={(isSelected) =>
              onSelect(isSelected ? [...selectedIds, provider.id] : selectedIds.filter((id) => id !== provider.id))
            }
          />
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
