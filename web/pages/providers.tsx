import { ButtonLink } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { Asked, EmptyState, Loading, Skeleton } from '../components/states.tsx'
import { useProviders } from '../lib/providers.ts'
import { ProviderRow } from './providers/row.tsx'
import './providers/providers.css'

/** Of more than these the monitors are not counted: each is a request of its own. */
const COUNTED_MOST = 30

export default function ProvidersPage() {
  const providers = useProviders()
  return (
    <Page
      title="Notifications"
      actions={
        providers.data?.length ? (
          <ButtonLink to="/providers/new" kind="primary">
            Add a provider
          </ButtonLink>
        ) : undefined
      }
    >
      <Asked
        query={providers}
        waiting={
          <Loading what="providers">
            <Skeleton height="5rem" />
            <Skeleton height="5rem" />
          </Loading>
        }
      >
        {(all) =>
          all.length === 0 ? (
            <NothingYet />
          ) : (
            <ul class="stack">
              {all.map((provider) => (
                <ProviderRow key={provider.id} provider={provider} isCounted={all.length <= COUNTED_MOST} />
              ))}
            </ul>
          )
        }
      </Asked>
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
