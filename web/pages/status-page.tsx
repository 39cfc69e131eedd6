/** Creates or changes a status page, with a live preview. */

import { NotFoundPage } from '../components/not-found-page.tsx'
import { Page } from '../components/page.tsx'
import { Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { isNotFound } from '../lib/api.ts'
import { useStatusPage } from '../lib/status-pages.ts'
import { useLive } from '../lib/use-live.ts'
import { StatusPageEditor } from './status-page/editor.tsx'

export default function StatusPageEditorPage({ id }: { id?: number }) {
  useLive()
  return id === undefined ? <StatusPageEditor /> : <EditStatusPage id={id} />
}

function EditStatusPage({ id }: { id: number }) {
  const query = useStatusPage(id)
  if (query.data === undefined && isNotFound(query.error)) return <NotFoundPage />
  if (query.data !== undefined) return <StatusPageEditor page={query.data} />
  return (
    <Page title="Status page">
      <QueryContent
        query={query}
        loading={
          <Loading what="status page">
            <Skeleton height="2.5rem" />
            <Skeleton height="16rem" />
            <Skeleton height="24rem" />
          </Loading>
        }
      >
        {() => null}
      </QueryContent>
    </Page>
  )
}
