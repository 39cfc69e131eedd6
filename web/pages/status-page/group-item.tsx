import { ArrowDown, ArrowUp, Ellipsis, Trash2 } from 'lucide-preact'
import { MAX_GROUP_NAME_LENGTH } from '../../../src/shared/status-pages.ts'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { AddMonitors } from './add-monitors.tsx'
import { InlineInput } from './inline-input.tsx'
import { MonitorItem } from './monitor-item.tsx'
import { MoveHandle, type Ordering } from './move-handle.tsx'
import { addMonitors, type EditedGroup, type EditedGroups, type Movable, renameGroup } from './page-order.ts'

interface GroupItemProps {
  group: EditedGroup
  index: number
  groups: EditedGroups
  onGroups: (groups: EditedGroups) => void
  /** All monitors of the user. Undefined until they have arrived. */
  monitors: readonly OverviewMonitor[] | undefined
  errorsFor: (path: string) => readonly string[] | undefined
  ordering: Ordering
  onRemove: () => void
}

export function GroupItem(props: GroupItemProps) {
  const { group, index, groups, onGroups, monitors, errorsFor, ordering, onRemove } = props
  const item: Movable = { kind: 'group', key: group.key }
  const name = group.name.trim() || 'Unnamed group'
  const draggedItem = ordering.drag?.item
  const isDragged = draggedItem?.kind === 'group' && draggedItem.key === group.key
  const isLifted = ordering.liftedItem?.kind === 'group' && ordering.liftedItem.key === group.key
  return (
    <section
      class={`group-item${isDragged ? ' is-dragged' : ''}${isLifted ? ' is-lifted' : ''}`}
      data-group-key={group.key}
      aria-label={`Group ${name}`}
      style={isDragged ? { '--drag-offset': `${ordering.drag?.offset}px` } : undefined}
    >
      <div class="group-item-head">
        <MoveHandle item={item} name={`group ${name}`} ordering={ordering} />
        <InlineInput
          label="Group name"
          class="group-item-name"
          maxLength={MAX_GROUP_NAME_LENGTH}
          placeholder="Group name"
          value={group.name}
          errors={errorsFor(`groups.${index}.name`)}
          onValue={(name) => onGroups(renameGroup(groups, group.key, name))}
        />
        <Menu
          kind="quiet"
          small
          align="end"
          hasChevron={false}
          icon={Ellipsis}
          label={undefined}
          name={`Actions for group ${name}`}
        >
          <MenuItem icon={ArrowUp} onSelect={() => ordering.move(item, -1)}>
            Move up
          </MenuItem>
          <MenuItem icon={ArrowDown} onSelect={() => ordering.move(item, 1)}>
            Move down
          </MenuItem>
          <MenuSeparator />
          <MenuItem icon={Trash2} isDanger onSelect={onRemove}>
            Remove group
          </MenuItem>
        </Menu>
      </div>
      <ul aria-label={`Monitors in ${name}`}>
        {group.monitors.map((monitor, monitorIndex) => (
          <MonitorItem
            key={monitor.monitorId}
            editedMonitor={monitor}
            monitor={monitors?.find(({ id }) => id === monitor.monitorId)}
            groups={groups}
            onGroups={onGroups}
            errors={errorsFor(`groups.${index}.monitors.${monitorIndex}.label`)}
            ordering={ordering}
          />
        ))}
      </ul>
      <AddMonitors
        groupName={name}
        groups={groups}
        monitors={monitors}
        onAdd={(addedMonitors) => onGroups(addMonitors(groups, group.key, addedMonitors))}
      />
    </section>
  )
}
