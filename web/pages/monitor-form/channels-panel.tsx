/** Check boxes of the providers. Nothing is chosen until somebody does: then the server has its own idea. */
import { CheckField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { ErrorState, Loading, Skeleton } from '../../components/states.tsx'
import { useAssignments } from '../../lib/assignments.ts'
import { providerTypeLabels, getProviderName, type Provider, useProviders, getProviderDestination } from '../../lib/providers.ts'
import { enabledOf } from './channel-assignments.ts'

interface ToldPanelProps {
  monitorId: number | undefined
  chosen: readonly number[] | undefined
  onChosen: (ids: readonly number[]) => void
}

export function ToldPanel({ monitorId, chosen, onChosen }: ToldPanelProps) {
  const providers = useProviders()
  const told = useAssignments(monitorId)
  const failed = [providers, told].find(({ data, isError }) => data === undefined && isError)
  // What was known before may be old, and whatever is chosen here is built on it.
  const isReady = providers.data !== undefined && (monitorId === undefined || told.isFetchedAfterMount)
  return (
    <Panel title="Who gets told">
      {failed ? (
        <ErrorState error={failed.error} retry={() => void failed.refetch()} />
      ) : !isReady ? (
        <Loading what="providers">
          <Skeleton height="3rem" />
        </Loading>
      ) : providers.data.length === 0 ? (
        <NoProvider />
      ) : (
        <Choices
          providers={providers.data}
          chosen={chosen ?? (told.data ? enabledOf(told.data) : defaultsOf(providers.data))}
          onChosen={onChosen}
        />
      )}
    </Panel>
  )
}

const defaultsOf = (providers: readonly Provider[]) =>
  providers.filter((provider) => provider.assign_by_default).map(({ id }) => id)

interface ChoicesProps {
  providers: readonly Provider[]
  chosen: readonly number[]
  onChosen: (ids: readonly number[]) => void
}

function Choices({ providers, chosen, onChosen }: ChoicesProps) {
  return (
    <div class="form">
      <p class="muted">When it goes down, when it is up again, and before its certificate ends.</p>
      <ul class="monitor-form-told">
        {providers.map((provider) => (
          <li key={provider.id}>
            <CheckField
              label={getProviderName(provider)}
              hint={`${providerTypeLabels[provider.provider_type]}${provider.name === null ? '' : `: ${getProviderDestination(provider)}`}`}
              checked={chosen.includes(provider.id)}
              onValue={(isChosen) =>
                onChosen(isChosen ? [...chosen, provider.id] : chosen.filter((id) => id !== provider.id))
              }
            />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** In a tab of its own, so that nothing typed here is lost; coming back finds the new one. */
function NoProvider() {
  return (
    <p>
      Nobody yet: there is no provider that could carry a message.{' '}
      <a href="providers/new" target="_blank" rel="noreferrer">
        Add one<span class="hidden-text"> (opens in a new tab)</span>
      </a>
      , or do it later.
    </p>
  )
}
