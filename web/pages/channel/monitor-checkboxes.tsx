import { StatusDot } from '../../components/status.tsx'
import { VirtualList } from '../../components/virtual-list.tsx'
import type { OverviewMonitor } from '../../lib/queries.ts'

interface MonitorCheckboxesProps {
  monitors: readonly OverviewMonitor[]
  isChecked: (id: number) => boolean
  /** Whether the channel is assigned to the monitor but disabled for it. */
  isDisabled: (id: number) => boolean
  onCheck: (id: number, isChecked: boolean) => void
}

/** Longer lists render only their visible rows. */
const MAX_FULLY_RENDERED_ROWS = 100
const ROW_HEIGHT_PX = 52

export function MonitorCheckboxes({ monitors, isChecked, isDisabled, onCheck }: MonitorCheckboxesProps) {
  const renderRow = (monitor: OverviewMonitor) => (
    <label class="channel-monitor">
      <input
        type="checkbox"
        checked={isChecked(monitor.id)}
        onChange={(event) => onCheck(monitor.id, event.currentTarget.checked)}
      />
      <StatusDot monitor={monitor} />
      <span class="channel-monitor-text">
        <span class="clip">{monitor.friendly_name}</span>
        <span class="clip muted small">
          {isDisabled(monitor.id) && 'Channel disabled for this monitor · '}
          {monitor.url}
        </span>
      </span>
    </label>
  )
  if (monitors.length > MAX_FULLY_RENDERED_ROWS) {
    return (
      <VirtualList items={monitors} rowHeight={ROW_HEIGHT_PX} getKey={({ id }) => id} label="Monitors" spaceAbove={150}>
        {renderRow}
      </VirtualList>
    )
  }
  return (
    <ul aria-label="Monitors">
      {monitors.map((monitor) => (
        <li key={monitor.id}>{renderRow(monitor)}</li>
      ))}
    </ul>
  )
}
