import { useMemo, useRef, useState } from 'preact/hooks'
import type { BulkAction } from '../../../src/monitors/schema.ts'
import { ChartTooltips } from '../../charts/chart-tooltips.tsx'
import { describeResponsePoint, describeUptimePoint } from '../../charts/describe-point.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { showToast } from '../../components/toasts.tsx'
import { VirtualList, type VirtualListControl } from '../../components/virtual-list.tsx'
import type { Overview, OverviewMonitor } from '../../lib/queries.ts'
import { ListHead } from './list-head.tsx'
import { handleListKey } from './list-keyboard.ts'
import { MonitorListRow } from './monitor-list-row.tsx'
import { useMonitorRowLayout } from './row-layout.ts'
import { listIdsBetween, type SelectedIds, withSelected } from './selection.ts'
import { formatMonitorCount, listAffectedIds, useBulkAction } from './use-bulk-action.ts'

const listIds = (monitors: readonly OverviewMonitor[]) => monitors.map(({ id }) => id)

interface MonitorListProps {
  shownMonitors: readonly OverviewMonitor[]
  days: Overview['days']
  selection: SelectedIds
  onSelection: (change: (before: SelectedIds) => SelectedIds) => void
}

export function MonitorList({ shownMonitors, days, selection, onSelection }: MonitorListProps) {
  const { dayCount, getRowHeight } = useMonitorRowLayout()
  const [isDeleting, setDeleting] = useState(false)
  const lastToggledId = useRef<number>()
  const selectAllRef = useRef<HTMLInputElement>(null)
  const listControl = useRef<VirtualListControl>(null)
  const { progressText, run } = useBulkAction()
  const selectedMonitors = useMemo(
    () => shownMonitors.filter(({ id }) => selection.has(id)),
    [shownMonitors, selection],
  )

  function toggle(id: number, isSelected: boolean, isRange: boolean) {
    const ids = isRange ? listIdsBetween(listIds(shownMonitors), lastToggledId.current, id) : [id]
    lastToggledId.current = id
    onSelection((before) => withSelected(before, ids, isSelected))
  }

  function runAction(action: BulkAction) {
    const ids = listAffectedIds(action, selectedMonitors)
    if (action === 'delete') setDeleting(true)
    else if (ids.length > 0) void run(action, ids)
    else
      showToast(
        action === 'pause' ? 'All selected monitors are already paused.' : 'None of the selected monitors are paused.',
      )
  }

  async function deleteSelected() {
    setDeleting(false)
    await run('delete', listAffectedIds('delete', selectedMonitors))
    // The Delete button has disappeared with the selection, so nothing has the focus. Focus the checkbox that selects all
    // monitors, unless the user has moved the focus meanwhile.
    if (document.activeElement?.matches('body, h1')) selectAllRef.current?.focus()
  }

  function describePoint(chart: string, id: number, point: number) {
    if (chart === 'response') return describeResponsePoint(id, point)
    const monitor = shownMonitors.find((each) => each.id === id)
    return monitor && describeUptimePoint(monitor, days, dayCount, point)
  }

  return (
    <ChartTooltips class={`monitors-list monitors-days-${dayCount}`} describe={describePoint}>
      <ListHead
        dayCount={dayCount}
        selectAllRef={selectAllRef}
        shownCount={shownMonitors.length}
        selectedCount={selectedMonitors.length}
        progressText={progressText}
        onSelectAll={(isSelected) => onSelection((before) => withSelected(before, listIds(shownMonitors), isSelected))}
        onAction={runAction}
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
          control={listControl}
        >
          {(monitor) => (
            <MonitorListRow
              monitor={monitor}
              dayCount={dayCount}
              isSelected={selection.has(monitor.id)}
              onToggle={(isSelected, isRange) => toggle(monitor.id, isSelected, isRange)}
            />
          )}
        </VirtualList>
      </div>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${formatMonitorCount(selectedMonitors.length)}?`}
          action={`Delete ${formatMonitorCount(selectedMonitors.length)}`}
          onConfirm={deleteSelected}
          onClose={() => setDeleting(false)}
        >
          Their checks, response times and incidents will be deleted too, and you'll stop getting alerts for them. This
          can't be undone.
        </ConfirmDialog>
      )}
    </ChartTooltips>
  )
}
