/** Every monitor, the ones that are down first; searched, sorted and changed many at once. */
import { useMemo } from 'preact/hooks'
import { Button, ButtonLink } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { EmptyState, ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { useLive } from '../lib/live.ts'
import { type Overview, useOverview } from '../lib/queries.ts'
import { filterMonitors, plainView, sortMonitors } from './monitors/arrange.ts'
import { MonitorList } from './monitors/monitor-list.tsx'
import { Toolbar } from './monitors/toolbar.tsx'
import { countMonitors } from './monitors/use-bulk.ts'
import { useRowHeight } from './monitors/use-row-height.ts'
import { useView } from './monitors/use-view.ts'
import './monitors/monitors.css'

export default function MonitorsPage() {
  useLive()
  const { data, error, refetch } = useOverview()
  return (
    <Page
      title="Monitors"
      actions={
        <ButtonLink kind="primary" to="/monitors/new">
          Add a monitor
        </ButtonLink>
      }
    >
      {data !== undefined ? (
        <Monitors overview={data} />
      ) : error !== null ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <ListSkeleton />
      )}
    </Page>
  )
}

function Monitors({ overview: { monitors, days } }: { overview: Overview }) {
  const [view, setView] = useView()
  const sorted = useMemo(() => sortMonitors(monitors, view.sort), [monitors, view.sort])
  const { shown, counts } = useMemo(() => filterMonitors(sorted, view), [sorted, view])
  if (monitors.length === 0) return <NothingYet />
  return (
    <>
      <Toolbar view={view} counts={counts} onView={setView} />
      <p class="hidden-text" role="status">
        {countMonitors(shown.length)} shown
      </p>
      {shown.length > 0 ? (
        <MonitorList shown={shown} days={days} />
      ) : (
        <EmptyState title="No monitor is like that">
          <p>Another search or another status may find more.</p>
          <Button onClick={() => setView({ ...plainView, sort: view.sort })}>Show all monitors</Button>
        </EmptyState>
      )}
    </>
  )
}

function NothingYet() {
  return (
    <EmptyState title="Nothing is watched yet">
      <p>
        A monitor asks a website, an API or a host every minute or so, and tells you when it stops answering and when it
        is back.
      </p>
      <ButtonLink kind="primary" to="/monitors/new">
        Add the first monitor
      </ButtonLink>
    </EmptyState>
  )
}

const SKELETON_ROWS = 10

function ListSkeleton() {
  const rowHeight = useRowHeight()
  return (
    <Loading what="monitors">
      <div class="monitors-tools">
        <Skeleton height="2.35rem" />
      </div>
      <Skeleton height={`${rowHeight * SKELETON_ROWS}px`} />
    </Loading>
  )
}
