/** The searchable list of all websites and monitors. */

import { ChevronsDownUp, ChevronsUpDown } from 'lucide-preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { MonitorStatus } from '../../../src/shared/monitors.ts'
import { describeResponsePoint, describeUptimePoint, describeVisitorsPoint } from '../../charts/describe-point.ts'
import { ChartTooltips } from '../../charts/tooltips.tsx'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { lazyPart } from '../../components/lazy-page.tsx'
import { EmptyState, Loading, Skeleton } from '../../components/states.tsx'
import { VirtualList, type VirtualListControl } from '../../components/virtual-list.tsx'
import { type Overview, type OverviewMonitor, queryClient, queryKeys } from '../../lib/queries.ts'
import { countTags, mergeTags } from '../../lib/tags.ts'
import { can } from '../../lib/team.ts'
import { Figures } from './figures.tsx'
import { MonitorRowView } from './monitor-row-view.tsx'
import { useRowLayout } from './row-layout.ts'
import { filterRows, groupRows } from './rows.ts'
import { SetupHint } from './setup-hint.tsx'
import { describeStatusChanges, type OverviewFigures } from './summary.ts'
import { toggleFavorite } from './toggle-favorite.ts'
import { Toolbar } from './toolbar.tsx'
import { useCollapsedGroups } from './use-collapsed-groups.ts'
import { type ListParams, useListParams } from './use-list-params.ts'
import { useRestoreRowFocus } from './use-restore-row-focus.ts'
import { useShortcuts } from './use-shortcuts.ts'
import { WebsiteRowView } from './website-row-view.tsx'

const ShortcutsDialog = lazyPart(() => import('./shortcuts-dialog.tsx'), '0')

/** Live updates don't include the uptime bars or today's visitors, so the page fetches them this often. */
const REFRESH_MS = 300_000

export function OverviewList({ overview, figures }: { overview: Overview; figures: OverviewFigures }) {
  const { days, websites, monitors, is_complete } = overview
  const params = useListParams()
  const { query, filter, tags } = params
  const collapsed = useCollapsedGroups()
  const groups = useMemo(() => groupRows({ websites, monitors }), [websites, monitors])
  const rows = useMemo(
    () => filterRows(groups, query, filter, { collapsedIds: collapsed.ids, tags }),
    [groups, query, filter, collapsed.ids, tags],
  )
  const tagCounts = useMemo(() => countTags([...websites, ...monitors]), [websites, monitors])
  const groupIds = useMemo(
    () => groups.flatMap(({ website, otherMonitors }) => (website && otherMonitors.length > 0 ? [website.id] : [])),
    [groups],
  )
  const [isHelpOpen, setHelpOpen] = useState(false)
  const listControl = useRef<VirtualListControl>(null)
  const searchInput = useRef<HTMLInputElement>(null)
  const screenReaderText = useAnnouncement(monitors)
  const { dayCount, getRowHeight } = useRowLayout()
  const rememberOpenedRow = useRestoreRowFocus(rows, listControl)
  const canCollapse = filter === 'all' && query === '' && tags.length === 0 && groupIds.length > 0
  const areCollapsed = groupIds.every((id) => collapsed.ids.has(id))

  const addTag = (tag: string) => params.set({ tag: mergeTags(tags, [tag]) })

  function describePoint(chart: string, id: number, point: number) {
    if (chart === 'response') return describeResponsePoint(id, point)
    if (chart === 'visitors') {
      const website = websites.find((each) => each.id === id)
      return website && describeVisitorsPoint(website, point)
    }
    const monitor = monitors.find((each) => each.id === id)
    return monitor && describeUptimePoint(monitor, days, dayCount, point)
  }

  useEffect(() => {
    const timer = setInterval(() => {
      // A hidden page is refreshed when it becomes visible again.
      if (!document.hidden) void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  useShortcuts({
    listControl,
    searchInput,
    rowCount: rows.length,
    onHelp: () => setHelpOpen(true),
    onFavorite: (index) => {
      const row = rows[index]
      if (row?.kind === 'website') void toggleFavorite(row.website)
    },
    onToggleGroup: (index) => {
      const row = rows[index]
      const websiteId = row?.kind === 'website' ? row.website.id : row?.isIndented ? row.monitor.website_id : null
      if (canCollapse && websiteId != null && groupIds.includes(websiteId)) collapsed.toggle(websiteId)
    },
  })

  return (
    <div class="stack">
      <Figures figures={figures} hasMonitors={monitors.length > 0} hasWebsites={websites.length > 0} params={params} />
      <p class="hidden-text" role="status">
        {screenReaderText}
      </p>
      <Toolbar params={params} tagCounts={tagCounts} searchInput={searchInput} onHelp={() => setHelpOpen(true)} />
      {rows.length === 0 ? (
        is_complete ? (
          <NoRows params={params} />
        ) : (
          <Loading what="more websites and monitors">
            <Skeleton height="20rem" />
          </Loading>
        )
      ) : (
        <ChartTooltips class={`overview-list overview-days-${dayCount}`} describe={describePoint}>
          <ListHead
            dayCount={dayCount}
            groups={
              canCollapse ? { areCollapsed, onToggleAll: () => collapsed.set(areCollapsed ? [] : groupIds) } : undefined
            }
          />
          <div onClickCapture={rememberOpenedRow}>
            <VirtualList
              items={rows}
              rowHeight={getRowHeight}
              getKey={(row) => row.key}
              label="Websites and monitors"
              spaceAbove={300}
              control={listControl}
            >
              {(row) =>
                row.kind === 'website' ? (
                  <WebsiteRowView row={row} dayCount={dayCount} onToggleGroup={collapsed.toggle} onTag={addTag} />
                ) : (
                  <MonitorRowView row={row} dayCount={dayCount} onTag={addTag} />
                )
              }
            </VirtualList>
          </div>
        </ChartTooltips>
      )}
      {is_complete && <SetupHint websites={websites} monitors={monitors} />}
      {isHelpOpen && <ShortcutsDialog onClose={() => setHelpOpen(false)} />}
    </div>
  )
}

function NoRows({ params: { query, filter, tags, set } }: { params: ListParams }) {
  const isNothingDown = query === '' && tags.length === 0 && filter === 'down'
  return (
    <EmptyState title={isNothingDown ? 'No monitors are down' : 'No results'}>
      {query !== '' && <p>No website or monitor matches “{query}”.</p>}
      <Button onClick={() => set({ q: '', show: '', tag: [] })}>Clear filters</Button>
    </EmptyState>
  )
}

interface ListHeadProps {
  dayCount: number
  /** Undefined if there is no group to collapse. */
  groups: { areCollapsed: boolean; onToggleAll: () => void } | undefined
}

/**
 * The column headings, which stay at the top while the list scrolls. Screen readers skip the headings, because each row
 * names its own figures.
 */
function ListHead({ dayCount, groups }: ListHeadProps) {
  const label = groups?.areCollapsed ? 'Expand all groups' : 'Collapse all groups'
  const headings = [
    ['name', 'Name'],
    ['now', 'Now'],
    ['today', 'Today'],
    ['trend', 'Trend'],
    // Guests see no monitors.
    ...(can('browse')
      ? ([
          ['bars', `Last ${dayCount} days`],
          ['percent', 'Uptime'],
          ['response', 'Response'],
        ] as const)
      : []),
  ] as const
  return (
    <div class="overview-head">
      {groups && (
        <button type="button" class="overview-toggle" aria-label={label} onClick={groups.onToggleAll}>
          <Icon icon={groups.areCollapsed ? ChevronsUpDown : ChevronsDownUp} size={14} />
        </button>
      )}
      {headings.map(([column, heading]) => (
        <span key={column} class={`overview-${column}`} aria-hidden="true">
          {heading}
        </span>
      ))}
    </div>
  )
}

/** Status changes within this time are announced together. */
const ANNOUNCE_DELAY_MS = 1_500

const mapStatuses = (monitors: readonly OverviewMonitor[]): ReadonlyMap<number, MonitorStatus> =>
  new Map(monitors.map(({ id, status }) => [id, status]))

/** Returns the latest status changes in words. The text is for a live region, which screen readers announce. */
function useAnnouncement(monitors: readonly OverviewMonitor[]): string {
  const [screenReaderText, setScreenReaderText] = useState('')
  const latestMonitors = useRef(monitors)
  const announcedStatuses = useRef<ReadonlyMap<number, MonitorStatus> | undefined>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  latestMonitors.current = monitors

  useEffect(() => {
    announcedStatuses.current ??= mapStatuses(monitors)
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      const text = describeStatusChanges(announcedStatuses.current ?? new Map(), latestMonitors.current)
      announcedStatuses.current = mapStatuses(latestMonitors.current)
      if (text !== '') setScreenReaderText(text)
    }, ANNOUNCE_DELAY_MS)
  }, [monitors])
  useEffect(() => () => clearTimeout(timer.current), [])
  return screenReaderText
}
