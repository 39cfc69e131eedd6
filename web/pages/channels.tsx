import { BellRing, Plus } from 'lucide-preact'
import { ButtonLink } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { EmptyState, Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { useChannels } from '../lib/channels.ts'
import { ChannelCard } from './channels/card.tsx'
import './channels/channels.css'

/** Longer lists show no monitor counts, because each count is a separate request. */
const MAX_CHANNELS_WITH_COUNTS = 30

export default function ChannelsPage() {
  const channels = useChannels()
  return (
    <Page
      title="Notification channels"
      actions={
        channels.data?.length ? (
          <ButtonLink to="/notification-channels/new" kind="primary" icon={Plus} needs="edit">
            Add channel
          </ButtonLink>
        ) : undefined
      }
    >
      <QueryContent
        query={channels}
        loading={
          <Loading what="notification channels">
            <Skeleton height="5rem" />
            <Skeleton height="5rem" />
          </Loading>
        }
      >
        {(channels) =>
          channels.length === 0 ? (
            <NoChannels />
          ) : (
            <ul class="stack">
              {channels.map((channel) => (
                <ChannelCard
                  key={channel.id}
                  channel={channel}
                  showsMonitorCount={channels.length <= MAX_CHANNELS_WITH_COUNTS}
                />
              ))}
            </ul>
          )
        }
      </QueryContent>
    </Page>
  )
}

function NoChannels() {
  return (
    <div class="panel">
      <EmptyState title="No notification channels yet" icon={BellRing}>
        <p>
          Get alerts by email, chat, push notification or SMS, or in your own program. Add a channel and assign it to
          your monitors. Belfry then notifies you when a monitor goes down and when it recovers.
        </p>
        <ButtonLink to="/notification-channels/new" kind="primary" icon={Plus} needs="edit">
          Add channel
        </ButtonLink>
      </EmptyState>
    </div>
  )
}
