import { Page } from '../components/page.tsx'
import { ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { isNotFound } from '../lib/api.ts'
import { useProvider } from '../lib/providers.ts'
import { NotFoundPage } from './not-found.tsx'
import { EditProvider } from './provider/edit-provider.tsx'
import { NewProvider } from './provider/new-provider.tsx'
import './providers/providers.css'
import './provider/provider.css'

export default function ProviderPage({ id }: { id?: number }) {
  return id === undefined ? <NewProvider /> : <ExistingProvider id={id} />
}

function ExistingProvider({ id }: { id: number }) {
  const { data, error, refetch } = useProvider(id)
  if (data !== undefined) return <EditProvider provider={data} />
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
