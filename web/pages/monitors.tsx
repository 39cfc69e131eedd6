/** Every monitor, the ones that are down first; searched, sorted and changed many at once. */
import { useMemo, useState } from 'preact/hooks'
import { Button, ButtonLink } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { Asked, EmptyState, Loading, Skeleton } from '../components/states.tsx'
import { useLive } from '../lib/live.ts'
import { type Overview, useOverview } from '../lib/queries.ts'
import { filterMonitors, plainView, sortMonitors } from './monitors/list-view.ts'
import { MonitorList } from './monitors/monitor-list.tsx'
import type { Selection } from './monitors/selection.ts'
import { Toolbar } from './monitors/toolbar.tsx'
import { countMonitors } from './monitors/use-bulk-action.ts'
import { useRowHeight } from './monitors/use-row-height.ts'
import { useView } from './monitors/use-list-view.ts'
import './monitors/monitors.css'

export default function MonitorsPage() {
  useLive()
  return (
    <Page
      title="Monitors"
      actions={
        <ButtonLink kind="primary" to="/monitors/new">
          Add a monitor
        </ButtonLink>
      }
    >
      <Asked query={useOverview()} waiting={<ListSkeleton />}>
        {(overview) => <Monitors overview={overview} />}
      </Asked>
    </Page>
  )
}

function Monitors({ overview: { monitors, days } }: { overview: Overview }) {
  const [view, setView] = useView()
  // Here, not in the list: what is chosen stays chosen when a search finds nothing.
  const [selection, setSelection] = useState<Selection>(new Set())
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
        <MonitorList shown={shown} days={days} selection={selection} onSelection={setSelection} />
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
