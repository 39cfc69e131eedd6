import { useSearchParams } from 'wouter-preact'
import { NotFoundPage } from '../components/not-found-page.tsx'
import { Page } from '../components/page.tsx'
import { Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { isNotFound } from '../lib/api.ts'
import { useMonitor } from '../lib/queries.ts'
import { MonitorForm } from './monitor-form/form.tsx'
import { createMonitorFormValues, toMonitorFormValues } from './monitor-form/values.ts'
import './monitor-form/monitor-form.css'

export default function MonitorFormPage({ id }: { id?: number }) {
  return id === undefined ? <NewMonitor /> : <EditMonitor id={id} />
}

function NewMonitor() {
  const [query] = useSearchParams()
  return (
    <Page title="Add monitor" isNarrow>
      <MonitorForm initial={createMonitorFormValues(query.get('url') ?? '')} />
    </Page>
  )
}

function EditMonitor({ id }: { id: number }) {
  const monitor = useMonitor(id)
  const { data, error } = monitor
  if (data === undefined && isNotFound(error)) return <NotFoundPage />
  return (
    <Page title={data ? `Edit ${data.friendly_name}` : 'Edit monitor'} isNarrow>
      <QueryContent
        query={monitor}
        loading={
          <Loading what="monitor">
            <Skeleton height="24rem" />
            <Skeleton height="4rem" />
            <Skeleton height="8rem" />
          </Loading>
        }
      >
        {(monitor) => <MonitorForm id={id} initial={toMonitorFormValues(monitor)} />}
      </QueryContent>
    </Page>
  )
}
