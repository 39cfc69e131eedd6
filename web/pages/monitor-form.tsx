import { useSearchParams } from 'wouter-preact'
import { Page } from '../components/page.tsx'
import { ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { useMonitor } from '../lib/queries.ts'
import { MonitorForm } from './monitor-form/form.tsx'
import { newValues, valuesOf } from './monitor-form/values.ts'
import './monitor-form.css'

export default function MonitorFormPage({ id }: { id?: number }) {
  return id === undefined ? <NewMonitor /> : <EditMonitor id={id} />
}

function NewMonitor() {
  const [query] = useSearchParams()
  return (
    <Page title="New monitor" isNarrow>
      <MonitorForm initial={newValues(query.get('url') ?? '')} />
    </Page>
  )
}

function EditMonitor({ id }: { id: number }) {
  const { data, error, refetch } = useMonitor(id)
  return (
    <Page title={data ? `Edit ${data.friendly_name}` : 'Edit monitor'} isNarrow>
      {data ? (
        <MonitorForm id={id} initial={valuesOf(data)} />
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <Loading what="the monitor">
          <Skeleton height="24rem" />
          <Skeleton height="4rem" />
          <Skeleton height="8rem" />
        </Loading>
      )}
    </Page>
  )
}
