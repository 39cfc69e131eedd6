/** Creates or changes a status page, with a live preview. */

import { NotFoundPage } from '../components/not-found-page.tsx'
import { ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { isNotFound } from '../lib/api.ts'
import { useStatusPage } from '../lib/status-pages.ts'
import { useLive } from '../lib/use-live.ts'
import { StatusPageEditor } from './status-page/editor.tsx'

export default function StatusPageEditorPage({ id }: { id?: number }) {
  useLive()
  return id === undefined ? <StatusPageEditor /> : <EditStatusPage key={id} id={id} />
}

function EditStatusPage({ id }: { id: number }) {
  const { data, error, refetch } = useStatusPage(id)
  if (data === undefined && isNotFound(error)) return <NotFoundPage />
  const loading =
    error === null ? (
      <Loading what="status page">
        <Skeleton height="19rem" />
        <Skeleton height="24rem" />
      </Loading>
    ) : (
      <ErrorState error={error} retry={() => void refetch()} />
    )
  return <StatusPageEditor id={id} page={data} loading={loading} />
}
