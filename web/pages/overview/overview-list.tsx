/** The searchable list of all websites and monitors. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/states.tsx'
import { VirtualList, type VirtualListControl } from '../../components/virtual-list.tsx'
import { type Overview, queryClient, queryKeys } from '../../lib/queries.ts'
import { toggleFavorite } from './favorite.ts'
import { MonitorRowView } from './monitor-row.tsx'
import { filterRows, groupRows, type OverviewRow } from './rows.ts'
import { SetupHint } from './setup-hint.tsx'
import { ShortcutsDialog } from './shortcuts-dialog.tsx'
import type { OverviewCounts } from './summary.ts'
import { OverviewSummary, Toolbar } from './toolbar.tsx'
import { useAnnouncement } from './use-announcement.ts'
import { type ListParams, useListParams } from './use-list-params.ts'
import { useRestoreRowFocus } from './use-restore-row-focus.ts'
import { useRowHeights } from './use-row-heights.ts'
import { useShortcuts } from './use-shortcuts.ts'
import { WebsiteRowView } from './website-row.tsx'

/** Live updates don't include the uptime bars or today's visitors, so the page fetches them this often. */
const REFRESH_MS = 300_000

export function OverviewList({ overview, counts }: { overview: Overview; counts: OverviewCounts }) {
  const { days, websites, monitors } = overview
  const params = useListParams()
  const { query, filter } = params
  const groups = useMemo(() => groupRows({ websites, monitors }), [websites, monitors])
  const rows = useMemo(() => filterRows(groups, query, filter), [groups, query, filter])
  const [isHelpOpen, setHelpOpen] = useState(false)
  const listControl = useRef<VirtualListControl>(null)
  const searchInput = useRef<HTMLInputElement>(null)
  const screenReaderText = useAnnouncement(monitors)
  const heights = useRowHeights()
  const getRowHeight = useCallback((row: OverviewRow) => heights[row.kind], [heights])
  const rememberOpenedRow = useRestoreRowFocus(rows, listControl)

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
  })

  return (
    <div class="stack">
      <OverviewSummary counts={counts} hasMonitors={monitors.length > 0} hasWebsites={websites.length > 0} />
      <p class="hidden-text" role="status">
        {screenReaderText}
      </p>
      <Toolbar params={params} searchInput={searchInput} onHelp={() => setHelpOpen(true)} />
      {rows.length === 0 ? (
        <NoRows params={params} />
      ) : (
        <div class="overview-list" onClickCapture={rememberOpenedRow}>
          <VirtualList
            items={rows}
            rowHeight={getRowHeight}
            getKey={(row) => row.key}
            label="Websites and monitors"
            control={listControl}
          >
            {(row) =>
              row.kind === 'website' ? (
                <WebsiteRowView row={row} days={days} />
              ) : (
                <MonitorRowView row={row} days={days} />
              )
            }
          </VirtualList>
        </div>
      )}
      <SetupHint websites={websites} monitors={monitors} />
      {isHelpOpen && <ShortcutsDialog onClose={() => setHelpOpen(false)} />}
    </div>
  )
}

function NoRows({ params: { query, filter, set } }: { params: ListParams }) {
  const isNothingDown = query === '' && filter === 'down'
  return (
    <EmptyState title={isNothingDown ? 'No monitors are down' : 'No results'}>
      {query !== '' && <p>No website or monitor matches “{query}”.</p>}
      <Button onClick={() => set({ q: '', show: '' })}>Clear filters</Button>
    </EmptyState>
  )
}
