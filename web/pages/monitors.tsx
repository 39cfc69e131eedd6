/** Lists every monitor, with search, filters and bulk actions. */
import { Plus } from 'lucide-preact'
import { useMemo, useState } from 'preact/hooks'
import { Button, ButtonLink } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { EmptyState, Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { type Overview, useOverview } from '../lib/queries.ts'
import { countTags, mergeTags } from '../lib/tags.ts'
import { useLive } from '../lib/use-live.ts'
import { MonitorList } from './monitors/list.tsx'
import { defaultListOptions, filterMonitors, sortMonitors, useMonitorListOptions } from './monitors/list-view.ts'
import type { SelectedIds } from './monitors/selection.ts'
import { MonitorsToolbar } from './monitors/toolbar.tsx'
import { formatMonitorCount } from './monitors/use-bulk-action.ts'
import { useMonitorRowLayout } from './monitors/use-monitor-row-layout.ts'
import './monitors/monitors.css'

export default function MonitorsPage() {
  useLive()
  return (
    <Page
      title="Monitors"
      actions={
        <ButtonLink kind="primary" to="/monitors/new" needs="edit">
          <Icon icon={Plus} />
          Add monitor
        </ButtonLink>
      }
    >
      <QueryContent query={useOverview()} loading={<ListSkeleton />}>
        {(overview) => <Monitors overview={overview} />}
      </QueryContent>
    </Page>
  )
}

function Monitors({ overview: { monitors, days } }: { overview: Overview }) {
  const [listOptions, changeListOptions] = useMonitorListOptions()
  // This state isn't in MonitorList, because MonitorList unmounts when a search has no results and would lose it.
  const [selection, setSelection] = useState<SelectedIds>(new Set())
  const sortedMonitors = useMemo(() => sortMonitors(monitors, listOptions.sort), [monitors, listOptions.sort])
  const { shownMonitors, countByStatus } = useMemo(
    () => filterMonitors(sortedMonitors, listOptions),
    [sortedMonitors, listOptions],
  )
  const tagCounts = useMemo(() => countTags(monitors), [monitors])
  const setTags = (tags: readonly string[]) => changeListOptions({ tags })
  if (monitors.length === 0) return <NoMonitors />
  return (
    <>
      <MonitorsToolbar
        options={listOptions}
        countByStatus={countByStatus}
        tagCounts={tagCounts}
        onChange={changeListOptions}
      />
      <p class="hidden-text" role="status">
        {formatMonitorCount(shownMonitors.length)} shown
      </p>
      {monitors.some(({ is_sample }) => is_sample) && (
        <p class="muted small monitors-note">The numbers leave out the sample shop.</p>
      )}
      {shownMonitors.length > 0 ? (
        <MonitorList
          shownMonitors={shownMonitors}
          days={days}
          selection={selection}
          onSelection={setSelection}
          onTag={(tag) => setTags(mergeTags(listOptions.tags, [tag]))}
        />
      ) : (
        <EmptyState title="No matching monitors">
          <p>Try a different search or filter.</p>
          <Button onClick={() => changeListOptions({ ...defaultListOptions, sort: listOptions.sort })}>
            Clear filters
          </Button>
        </EmptyState>
      )}
    </>
  )
}

function NoMonitors() {
  return (
    <EmptyState title="No monitors yet">
      <p>
        A monitor checks a website, API or host at regular intervals. Belfry notifies you when it goes down and when it
        recovers.
      </p>
      <ButtonLink kind="primary" to="/monitors/new" needs="edit">
        Add your first monitor
      </ButtonLink>
    </EmptyState>
  )
}

const SKELETON_ROWS = 10

function ListSkeleton() {
  const { placeholderHeight } = useMonitorRowLayout()
  return (
    <Loading what="monitors">
      <div class="monitors-toolbar">
        <Skeleton height="2.35rem" />
      </div>
      <Skeleton height={`${placeholderHeight * SKELETON_ROWS}px`} />
    </Loading>
  )
}
