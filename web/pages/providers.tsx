import { BellRing, Plus } from 'lucide-preact'
import { ButtonLink } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { EmptyState, Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { useProviders } from '../lib/providers.ts'
import { ProviderCard } from './providers/provider-card.tsx'
import './providers/providers.css'

/** Longer lists show no monitor counts, because each count is a separate request. */
const MAX_CHANNELS_WITH_COUNTS = 30

export default function ProvidersPage() {
  const providers = useProviders()
  return (
    <Page
      title="Notification channels"
      actions={
        providers.data?.length ? (
          <ButtonLink to="/providers/new" kind="primary" icon={Plus}>
            Add channel
          </ButtonLink>
        ) : undefined
      }
    >
      <QueryContent
        query={providers}
        loading={
          <Loading what="notification channels">
            <Skeleton height="5rem" />
            <Skeleton height="5rem" />
          </Loading>
        }
      >
        {(providers) =>
          providers.length === 0 ? (
            <NoProviders />
          ) : (
            <ul class="stack">
              {providers.map((provider) => (
                <ProviderCard
                  key={provider.id}
                  provider={provider}
                  showsMonitorCount={providers.length <= MAX_CHANNELS_WITH_COUNTS}
                />
              ))}
            </ul>
          )
        }
      </QueryContent>
    </Page>
  )
}

function NoProviders() {
  return (
    <div class="panel">
      <EmptyState title="No notification channels yet" icon={BellRing}>
        <p>
          Get alerts by email, chat, push notification or SMS, or in your own program. Add a channel and assign it to
          your monitors. Belfry then notifies you when a monitor goes down and when it recovers.
        </p>
        <ButtonLink to="/providers/new" kind="primary" icon={Plus}>
          Add channel
        </ButtonLink>
      </EmptyState>
    </div>
  )
}
