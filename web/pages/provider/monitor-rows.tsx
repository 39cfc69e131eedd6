import { StatusDot } from '../../components/status.tsx'
import { VirtualList } from '../../components/virtual-list.tsx'
import type { OverviewMonitor } from '../../lib/queries.ts'

interface MonitorRowsProps {
  monitors: readonly OverviewMonitor[]
  isChecked: (id: number) => boolean
  /** Assigned, but switched off. */
  isOff: (id: number) => boolean
  onCheck: (id: number, isChecked: boolean) => void
}

/** A longer list is rendered only where it is seen. */
const WHOLE_MOST = 100
const ROW_HEIGHT = 52

export function MonitorRows({ monitors, isChecked, isOff, onCheck }: MonitorRowsProps) {
  const row = (monitor: OverviewMonitor) => (
    <label class="provider-monitor">
      <input
        type="checkbox"
        checked={isChecked(monitor.id)}
        onChange={(event) => onCheck(monitor.id, event.currentTarget.checked)}
      />
      <StatusDot status={monitor.status} />
      <span class="provider-monitor-words">
        <span class="clip">{monitor.friendly_name}</span>
        <span class="clip muted small">
          {isOff(monitor.id) && 'Assigned, but switched off. '}
          {monitor.url}
        </span>
      </span>
    </label>
  )
  if (monitors.length > WHOLE_MOST) {
    return (
      <VirtualList items={monitors} rowHeight={ROW_HEIGHT} keyOf={({ id }) => id} label="Monitors">
        {row}
      </VirtualList>
    )
  }
  return (
    <ul aria-label="Monitors">
      {monitors.map((monitor) => (
        <li key={monitor.id}>{row(monitor)}</li>
      ))}
    </ul>
  )
}
