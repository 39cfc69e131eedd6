import { ArrowDown, ArrowUp, CircleMinus, Ellipsis } from 'lucide-preact'
import { MAX_LABEL_LENGTH } from '../../../src/shared/status-pages.ts'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { StatusDot } from '../../components/status.tsx'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { InlineInput } from './inline-input.tsx'
import { MoveHandle, type Ordering } from './move-handle.tsx'
import { type EditedGroups, type EditedMonitor, type Movable, removeMonitor, setLabel } from './page-order.ts'

interface MonitorItemProps {
  editedMonitor: EditedMonitor
  /** Undefined until the monitors have arrived. */
  monitor: OverviewMonitor | undefined
  groups: EditedGroups
  onGroups: (groups: EditedGroups) => void
  errors: readonly string[] | undefined
  ordering: Ordering
}

export function MonitorItem({ editedMonitor, monitor, groups, onGroups, errors, ordering }: MonitorItemProps) {
  const { monitorId, label } = editedMonitor
  const item: Movable = { kind: 'monitor', monitorId }
  const name = monitor?.friendly_name ?? label
  const draggedItem = ordering.drag?.item
  const isDragged = draggedItem?.kind === 'monitor' && draggedItem.monitorId === monitorId
  const isLifted = ordering.liftedItem?.kind === 'monitor' && ordering.liftedItem.monitorId === monitorId
  function remove() {
    // The row with the focused menu disappears, so the search below it gets the focus.
    const group = document.activeElement?.closest('section')
    onGroups(removeMonitor(groups, monitorId))
    group?.querySelector<HTMLElement>('[role=combobox]')?.focus()
  }
  return (
    <li
      class={`monitor-item${isDragged ? ' is-dragged' : ''}${isLifted ? ' is-lifted' : ''}`}
      data-monitor-id={monitorId}
      style={isDragged ? { '--drag-offset': `${ordering.drag?.offset}px` } : undefined}
    >
      <MoveHandle item={item} name={label.trim() || name} ordering={ordering} />
      <StatusDot monitor={monitor} />
      <InlineInput
        label={`Label of ${name}`}
        placeholder={name}
        maxLength={MAX_LABEL_LENGTH}
        value={label}
        errors={errors}
        onValue={(text) => onGroups(setLabel(groups, monitorId, text))}
      />
      {label.trim() !== '' && label.trim() !== name && (
        <span class="monitor-item-name clip" title={`Monitor: ${name}`}>
          {name}
        </span>
      )}
      <Menu
        kind="quiet"
        small
        align="end"
        hasChevron={false}
        icon={Ellipsis}
        label={undefined}
        name={`Actions for ${label.trim() || name}`}
      >
        <MenuItem icon={ArrowUp} onSelect={() => ordering.move(item, -1)}>
          Move up
        </MenuItem>
        <MenuItem icon={ArrowDown} onSelect={() => ordering.move(item, 1)}>
          Move down
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={CircleMinus} isDanger onSelect={remove}>
          Remove from page
        </MenuItem>
      </Menu>
    </li>
  )
}
