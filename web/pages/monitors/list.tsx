import { useMemo, useRef } from 'preact/hooks'
import { describeResponsePoint, describeUptimePoint } from '../../charts/describe-point.ts'
import { ChartTooltips } from '../../charts/tooltips.tsx'
import { VirtualList, type VirtualListControl } from '../../components/virtual-list.tsx'
import type { Overview, OverviewMonitor } from '../../lib/queries.ts'
import { findNextRowIndex, hasModifier } from '../../lib/shortcuts.ts'
import { can } from '../../lib/team.ts'
import { ListHead } from './list-head.tsx'
import { MonitorListRow } from './list-row.tsx'
import { listIdsBetween, type SelectedIds, withSelected } from './selection.ts'
import { useListActions } from './use-list-actions.tsx'
import { useMonitorRowLayout } from './use-monitor-row-layout.ts'

const listIds = (monitors: readonly OverviewMonitor[]) => monitors.map(({ id }) => id)

interface MonitorListProps {
  shownMonitors: readonly OverviewMonitor[]
  days: Overview['days']
  selection: SelectedIds
  onSelection: (change: (before: SelectedIds) => SelectedIds) => void
  onTag: (tag: string) => void
}

export function MonitorList({ shownMonitors, days, selection, onSelection, onTag }: MonitorListProps) {
  const { dayCount, getRowHeight } = useMonitorRowLayout()
  const lastToggledId = useRef<number>()
  const selectAllRef = useRef<HTMLInputElement>(null)
  const listControl = useRef<VirtualListControl>(null)
  const selectedMonitors = useMemo(
    () => shownMonitors.filter(({ id }) => selection.has(id)),
    [shownMonitors, selection],
  )

  function toggle(id: number, isSelected: boolean, isRange: boolean) {
    const ids = isRange ? listIdsBetween(listIds(shownMonitors), lastToggledId.current, id) : [id]
    lastToggledId.current = id
    onSelection((before) => withSelected(before, ids, isSelected))
  }

  const actions = useListActions(selectedMonitors, () => {
    // Leave the focus where it is if the user has moved it in the meantime.
    if (document.activeElement?.matches('body, h1')) selectAllRef.current?.focus()
  })

  function describePoint(chart: string, id: number, point: number) {
    if (chart === 'response') return describeResponsePoint(id, point)
    const monitor = shownMonitors.find((each) => each.id === id)
    return monitor && describeUptimePoint(monitor, days, dayCount, point)
  }

  return (
    <ChartTooltips
      class={`monitors-list monitors-days-${dayCount}${can('edit') ? '' : ' monitors-read-only'}`}
      describe={describePoint}
    >
      <ListHead
        dayCount={dayCount}
        selectAllRef={selectAllRef}
        shownCount={shownMonitors.length}
        selectedCount={selectedMonitors.length}
        progressText={actions.progressText}
        onSelectAll={(isSelected) => onSelection((before) => withSelected(before, listIds(shownMonitors), isSelected))}
        onAction={actions.onAction}
        onMaintenance={actions.onMaintenance}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles keys of the links inside */}
      <div
        onKeyDown={(event) =>
          handleListKey(event, {
            rowCount: shownMonitors.length,
            focusRow: (index) => listControl.current?.focusRow(index),
            onToggle: (index, isRange) => {
              const id = shownMonitors[index]?.id
              if (id !== undefined) toggle(id, !selection.has(id), isRange)
            },
          })
        }
      >
        <VirtualList
          items={shownMonitors}
          rowHeight={getRowHeight}
          getKey={({ id }) => id}
          label="Monitors"
          spaceAbove={200}
          control={listControl}
        >
          {(monitor) => (
            <MonitorListRow
              monitor={monitor}
              dayCount={dayCount}
              isSelected={selection.has(monitor.id)}
              onToggle={(isSelected, isRange) => toggle(monitor.id, isSelected, isRange)}
              onTag={onTag}
            />
          )}
        </VirtualList>
      </div>
      {actions.dialog}
    </ChartTooltips>
  )
}

interface ListControl {
  rowCount: number
  focusRow: (index: number) => void
  onToggle: (index: number, isRange: boolean) => void
}

/**
 * Handles the keys of the list: arrow keys move between rows, and Space selects a row. Enter needs no code, because a
 * row is a link.
 */
function handleListKey(event: KeyboardEvent, { rowCount, focusRow, onToggle }: ListControl): void {
  const target = event.target instanceof HTMLElement ? event.target : undefined
  const row = target?.closest<HTMLElement>('[data-index]')
  if (!row || hasModifier(event)) return
  const index = Number(row.dataset['index'])
  // On the checkbox itself, the browser handles Space.
  if (event.key === ' ' && target?.tagName === 'A' && can('edit')) {
    event.preventDefault()
    onToggle(index, event.shiftKey)
  }
  const next = findNextRowIndex(event.key, index, rowCount)
  if (next === undefined) return
  event.preventDefault()
  focusRow(next)
}
