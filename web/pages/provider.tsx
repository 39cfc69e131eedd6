import { Page } from '../components/page.tsx'
import { ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { useProvider } from '../lib/providers.ts'
import { EditProvider } from './provider/edit-provider.tsx'
import { NewProvider } from './provider/new-provider.tsx'
import './providers.css'
import './provider.css'

export default function ProviderPage({ id }: { id?: number }) {
  return id === undefined ? <NewProvider /> : <KnownProvider id={id} />
}

function KnownProvider({ id }: { id: number }) {
  const { data, error, refetch } = useProvider(id)
  if (data) return <EditProvider provider={data} />
  return (
    <Page title="Provider" isNarrow>
      {error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <Loading what="the provider">
          <Skeleton height="6rem" />
          <Skeleton height="18rem" />
          <Skeleton height="18rem" />
        </Loading>
      )}
    </Page>
  )
}
