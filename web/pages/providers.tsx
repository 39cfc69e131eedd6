import { ButtonLink } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { EmptyState, ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { useProviders } from '../lib/providers.ts'
import { ProviderRow } from './providers/row.tsx'
import './providers.css'

/** Of more than these the monitors are not counted: each is a request of its own. */
const COUNTED_MOST = 30

export default function ProvidersPage() {
  const { data, error, refetch } = useProviders()
  return (
    <Page
      title="Notifications"
      actions={
        data &&
        data.length > 0 && (
          <ButtonLink to="/providers/new" kind="primary">
            Add a provider
          </ButtonLink>
        )
      }
    >
      {data === undefined && error === null && (
        <Loading what="providers">
          <Skeleton height="5rem" />
          <Skeleton height="5rem" />
        </Loading>
      )}
      {data === undefined && error !== null && <ErrorState error={error} retry={() => void refetch()} />}
      {data?.length === 0 && <NothingYet />}
      {data && data.length > 0 && (
        <ul class="stack">
          {data.map((provider) => (
            <ProviderRow key={provider.id} provider={provider} isCounted={data.length <= COUNTED_MOST} />
          ))}
        </ul>
      )}
    </Page>
  )
}

function NothingYet() {
  return (
    <EmptyState title="Nobody is told yet">
      <p>
        A provider carries messages to you: by e-mail, to a channel in Slack, through a Telegram bot or as a text
        message. Assign it to monitors, and it tells you when one goes down and when it is up again.
      </p>
      <ButtonLink to="/providers/new" kind="primary">
        Add a provider
      </ButtonLink>
    </EmptyState>
  )
}
