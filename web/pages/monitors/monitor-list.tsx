import { useMemo, useRef, useState } from 'preact/hooks'
import type { BulkAction } from '../../../src/monitors/schema.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { showToast } from '../../components/toasts.tsx'
import { VirtualList, type VirtualListControl } from '../../components/virtual-list.tsx'
import type { Overview, OverviewMonitor } from '../../lib/queries.ts'
import { ListHead } from './list-head.tsx'
import { MonitorRow } from './row.tsx'
import { onRowKey } from './row-keys.ts'
import { rangeOf, type Selection, setChosen } from './selection.ts'
import { concernedBy, countMonitors, useBulk } from './use-bulk-action.ts'
import { useRowHeight } from './use-row-height.ts'

const idsOf = (monitors: readonly OverviewMonitor[]) => monitors.map(({ id }) => id)

interface MonitorListProps {
  shown: readonly OverviewMonitor[]
  days: Overview['days']
  selection: Selection
  onSelection: (change: (before: Selection) => Selection) => void
}

export function MonitorList({ shown, days, selection, onSelection }: MonitorListProps) {
  const rowHeight = useRowHeight()
  const [isDeleting, setDeleting] = useState(false)
  const touched = useRef<number>()
  const box = useRef<HTMLInputElement>(null)
  const rows = useRef<VirtualListControl>(null)
  const { progress, run } = useBulk()
  const chosen = useMemo(() => shown.filter(({ id }) => selection.has(id)), [shown, selection])

  function choose(id: number, isChosen: boolean, isRange: boolean) {
    const ids = isRange ? rangeOf(idsOf(shown), touched.current, id) : [id]
    touched.current = id
    onSelection((before) => setChosen(before, ids, isChosen))
  }

  function act(action: BulkAction) {
    const ids = concernedBy(action, chosen)
    if (action === 'delete') setDeleting(true)
    else if (ids.length > 0) void run(action, ids)
    else showToast(action === 'pause' ? 'These are paused already.' : 'None of these is paused.')
  }

  async function deleteChosen() {
    setDeleting(false)
    await run('delete', concernedBy('delete', chosen))
    // The button is gone with what was chosen; where nobody went elsewhere meanwhile, the list goes on with its box.
    if (document.activeElement?.matches('body, h1')) box.current?.focus()
  }

  return (
    <div class="monitors-list">
      <ListHead
        box={box}
        shown={shown.length}
        chosen={chosen.length}
        progress={progress}
        onAll={(isChosen) => onSelection((before) => setChosen(before, idsOf(shown), isChosen))}
        onAction={act}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the links within */}
      <div
        onKeyDown={(event) =>
          onRowKey(event, {
            count: shown.length,
            focusRow: (index) => rows.current?.focusRow(index),
            onChoose: (index, isRange) => {
              const id = shown[index]?.id
              if (id !== undefined) choose(id, !selection.has(id), isRange)
            },
          })
        }
      >
        <VirtualList items={shown} rowHeight={rowHeight} keyOf={({ id }) => id} label="Monitors" control={rows}>
          {(monitor) => (
            <MonitorRow
              monitor={monitor}
              days={days}
              isChosen={selection.has(monitor.id)}
              onChoose={(isChosen, isRange) => choose(monitor.id, isChosen, isRange)}
            />
          )}
        </VirtualList>
      </div>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${countMonitors(chosen.length)}?`}
          action={`Delete ${countMonitors(chosen.length)}`}
          onConfirm={deleteChosen}
          onClose={() => setDeleting(false)}
        >
          Their checks, incidents and response times are deleted with them. This cannot be undone.
        </ConfirmDialog>
      )}
    </div>
  )
}
