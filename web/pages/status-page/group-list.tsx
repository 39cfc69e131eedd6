/** The groups of a status page and their monitors. Both can be renamed and moved, by pointer and by keyboard. */
import { Plus } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { pluralize } from '../../lib/format.ts'
import { useOverview } from '../../lib/queries.ts'
import { showToast } from '../../lib/toasts.ts'
import { GroupItem } from './group-item.tsx'
import { addGroup, canAddGroup, type EditedGroup, type EditedGroups, removeGroup } from './page-order.ts'
import { useDrag } from './use-drag.ts'
import { useKeyboardMove } from './use-keyboard-move.ts'
import './group-list.css'

interface GroupListProps {
  groups: EditedGroups
  onGroups: (groups: EditedGroups) => void
  /** Errors of a path such as `groups.0.name`. */
  errorsFor: (path: string) => readonly string[] | undefined
}

export function GroupList({ groups, onGroups, errorsFor }: GroupListProps) {
  const container = useRef<HTMLDivElement>(null)
  const [announcement, setAnnouncement] = useState('')
  const { data: overview } = useOverview()
  const keyboard = useKeyboardMove({ groups, onGroups, announce: setAnnouncement })
  const { drag, onPointerDown } = useDrag({ container, groups, onGroups, announce: setAnnouncement })
  const hasNewGroup = useRef(false)
  const latest = useRef({ groups, onGroups })
  latest.current = { groups, onGroups }

  // The name of a new group is selected, so that typing replaces it.
  useEffect(() => {
    if (!hasNewGroup.current) return
    hasNewGroup.current = false
    container.current
      ?.querySelector<HTMLInputElement>('[data-group-key]:nth-last-child(1 of [data-group-key]) input')
      ?.select()
  }, [groups])

  function add() {
    hasNewGroup.current = true
    onGroups(addGroup(groups))
  }

  function remove(group: EditedGroup) {
    const index = groups.indexOf(group)
    onGroups(removeGroup(groups, group.key))
    // The group disappears with its focused menu, so the button that adds a group gets the focus.
    container.current?.querySelector<HTMLElement>('.group-list-add button')?.focus()
    const count = group.monitors.length
    showToast(`Group ${group.name}${count > 0 ? ` with ${pluralize(count, 'monitor')}` : ''} removed.`, {
      undo: () => latest.current.onGroups(latest.current.groups.toSpliced(index, 0, group)),
    })
  }

  return (
    <div class={`group-list${drag ? ' group-list-dragging' : ''}`} ref={container}>
      {groups.map((group, index) => (
        <GroupItem
          key={group.key}
          group={group}
          index={index}
          groups={groups}
          onGroups={onGroups}
          monitors={overview?.monitors}
          errorsFor={errorsFor}
          ordering={{ ...keyboard, drag, onPointerDown }}
          onRemove={() => remove(group)}
        />
      ))}
      {drag?.slot && <div class="group-list-line" style={{ '--line-y': `${drag.slot.y}px` }} aria-hidden="true" />}
      <div class="group-list-add">
        <Button small icon={Plus} onClick={add} disabled={!canAddGroup(groups)}>
          Add group
        </Button>
      </div>
      <p id="move-help" class="hidden-text">
        Press Space to lift, the arrow keys to move, Space again to drop, and Escape to cancel.
      </p>
      <p class="hidden-text" role="status" aria-live="assertive">
        {announcement}
      </p>
    </div>
  )
}
