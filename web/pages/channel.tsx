import { NotFoundPage } from '../components/not-found-page.tsx'
import { Page } from '../components/page.tsx'
import { ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { isNotFound } from '../lib/api.ts'

import { useChannel } from '../lib/channels.ts'
import { EditChannel } from './channel/edit-channel.tsx'
import { NewChannel } from './channel/new-channel.tsx'
import './channels/channels.css'
import './channel/channel.css'

export default function ChannelPage({ id }: { id?: number }) {
  return id === undefined ? <NewChannel /> : <ExistingChannel id={id} />
}

function ExistingChannel({ id }: { id: number }) {
  const { data, error, refetch } = useChannel(id)
  if (data !== undefined) return <EditChannel channel={data} />
  if (isNotFound(error)) return <NotFoundPage />
  return (
    <Page title="Notification channel">
      {error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <Loading what="notification channel">
          <Skeleton height="6rem" />
          <Skeleton height="18rem" />
          <Skeleton height="18rem" />
        </Loading>
      )}
    </Page>
  )
}
