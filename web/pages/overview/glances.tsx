/** The list of everything, once there is something. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/states.tsx'
import { VirtualList, type VirtualListControl } from '../../components/virtual-list.tsx'
import { keys, type Overview, queryClient } from '../../lib/queries.ts'
import { toggleFavorite } from './favorite.ts'
import { Hint } from './hint.tsx'
import { KeysDialog } from './keys-dialog.tsx'
import { MonitorLine } from './monitor-line.tsx'
import { chooseRows, groupRows, type OverviewRow } from './rows.ts'
import { Summary, Toolbar } from './toolbar.tsx'
import { useAnnouncement } from './use-announcement.ts'
import { type Choice, useChoice } from './use-choice.ts'
import { useReturnToRow } from './use-return-to-row.ts'
import { useRowHeights } from './use-row-heights.ts'
import { useShortcuts } from './use-shortcuts.ts'
import { WebsiteLine } from './website-line.tsx'
import type { Counts } from './words.ts'

/** Bars and the visitors of today are not told live. */
const REFRESH_MS = 300_000

export function Glances({ overview, counts }: { overview: Overview; counts: Counts }) {
  const { days, websites, monitors } = overview
  const choice = useChoice()
  const { query, filter } = choice
  const groups = useMemo(() => groupRows({ websites, monitors }), [websites, monitors])
  const rows = useMemo(() => chooseRows(groups, query, filter), [groups, query, filter])
  const [isHelping, setHelping] = useState(false)
  const list = useRef<VirtualListControl>(null)
  const search = useRef<HTMLInputElement>(null)
  const announcement = useAnnouncement(monitors)
  const heights = useRowHeights()
  const heightOf = useCallback((row: OverviewRow) => heights[row.kind], [heights])
  const noteOpened = useReturnToRow(rows, list)

  useEffect(() => {
    const timer = setInterval(() => {
      // Whoever comes back to the page is told anew anyway.
      if (!document.hidden) void queryClient.invalidateQueries({ queryKey: keys.overview })
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  useShortcuts({
    list,
    search,
    rows: rows.length,
    onHelp: () => setHelping(true),
    onFavorite: (index) => {
      const row = rows[index]
      if (row?.kind === 'website') void toggleFavorite(row.website)
    },
  })

  return (
    <div class="stack">
      <Summary counts={counts} hasMonitors={monitors.length > 0} hasWebsites={websites.length > 0} />
      <p class="hidden-text" role="status">
        {announcement}
      </p>
      <Toolbar choice={choice} search={search} onHelp={() => setHelping(true)} />
      {rows.length === 0 ? (
        <Nothing choice={choice} />
      ) : (
        <div class="overview-list" onClickCapture={noteOpened}>
          <VirtualList
            items={rows}
            rowHeight={heightOf}
            keyOf={(row) => row.key}
            label="Websites and monitors"
            control={list}
          >
            {(row) =>
              row.kind === 'website' ? <WebsiteLine row={row} days={days} /> : <MonitorLine row={row} days={days} />
            }
          </VirtualList>
        </div>
      )}
      <Hint websites={websites} monitors={monitors} />
      {isHelping && <KeysDialog onClose={() => setHelping(false)} />}
    </div>
  )
}

function Nothing({ choice: { query, filter, set } }: { choice: Choice }) {
  const isCalm = query === '' && filter === 'down'
  return (
    <EmptyState title={isCalm ? 'Nothing is down' : 'Nothing found'}>
      {!isCalm && query !== '' && <p>No domain, name or address has “{query}” in it.</p>}
      <Button onClick={() => set({ q: '', show: '' })}>Show everything</Button>
    </EmptyState>
  )
}
