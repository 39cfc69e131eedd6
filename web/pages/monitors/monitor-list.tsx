import { useMemo, useRef, useState } from 'preact/hooks'
import type { BulkAction } from '../../../src/monitors/schema.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { showToast } from '../../components/toasts.tsx'
import { VirtualList, type VirtualListControl } from '../../components/virtual-list.tsx'
import type { Overview, OverviewMonitor } from '../../lib/queries.ts'
import { ListHead } from './list-head.tsx'
import { handleListKey } from './list-keyboard.ts'
import { MonitorListRow } from './monitor-list-row.tsx'
import { listRange, type Selection, setSelected } from './selection.ts'
import { formatMonitorCount, listAffectedIds, useBulkAction } from './use-bulk-action.ts'
import { useRowHeight } from './use-row-height.ts'

const listIds = (monitors: readonly OverviewMonitor[]) => monitors.map(({ id }) => id)

interface MonitorListProps {
  shown: readonly OverviewMonitor[]
  days: Overview['days']
  selection: Selection
  onSelection: (change: (before: Selection) => Selection) => void
}

export function MonitorList({ shown, days, selection, onSelection }: MonitorListProps) {
  const rowHeight = useRowHeight()
  const [isDeleting, setDeleting] = useState(false)
  const lastToggledId = useRef<number>()
  const selectAllRef = useRef<HTMLInputElement>(null)
  const rows = useRef<VirtualListControl>(null)
  const { progress, run } = useBulkAction()
  const selected = useMemo(() => shown.filter(({ id }) => selection.has(id)), [shown, selection])

  function toggle(id: number, isSelected: boolean, isRange: boolean) {
    const ids = isRange ? listRange(listIds(shown), lastToggledId.current, id) : [id]
    lastToggledId.current = id
    onSelection((before) => setSelected(before, ids, isSelected))
  }

  function runAction(action: BulkAction) {
    const ids = listAffectedIds(action, selected)
    if (action === 'delete') setDeleting(true)
    else if (ids.length > 0) void run(action, ids)
    else
      showToast(
        action === 'pause' ? 'All selected monitors are already paused.' : 'None of the selected monitors are paused.',
      )
  }

  async function deleteSelected() {
    setDeleting(false)
    await run('delete', listAffectedIds('delete', selected))
    // The Delete button disappears with the selection. Unless the user moved the focus meanwhile, keep it in the list.
    if (document.activeElement?.matches('body, h1')) selectAllRef.current?.focus()
  }

  return (
    <div class="monitors-list">
      <ListHead
        selectAllRef={selectAllRef}
        shownCount={shown.length}
        selectedCount={selected.length}
        progress={progress}
        onSelectAll={(isSelected) => onSelection((before) => setSelected(before, listIds(shown), isSelected))}
        onAction={runAction}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles keys of the links inside */}
      <div
        onKeyDown={(event) =>
          handleListKey(event, {
            count: shown.length,
            focusRow: (index) => rows.current?.focusRow(index),
            onToggle: (index, isRange) => {
              const id = shown[index]?.id
              if (id !== undefined) toggle(id, !selection.has(id), isRange)
            },
          })
        }
      >
        <VirtualList items={shown} rowHeight={rowHeight} keyOf={({ id }) => id} label="Monitors" control={rows}>
          {(monitor) => (
            <MonitorListRow
              monitor={monitor}
              days={days}
              isSelected={selection.has(monitor.id)}
              onToggle={(isSelected, isRange) => toggle(monitor.id, isSelected, isRange)}
            />
          )}
        </VirtualList>
      </div>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${formatMonitorCount(selected.length)}?`}
          action={`Delete ${formatMonitorCount(selected.length)}`}
          onConfirm={deleteSelected}
          onClose={() => setDeleting(false)}
        >
          Their checks, response times and incidents are deleted too, and they send no more alerts. This can't be
          undone.
        </ConfirmDialog>
      )}
    </div>
  )
}
