/** The button at the start of a row that moves the row: drag it, or press Space and the arrow keys. */
import { GripVertical } from 'lucide-preact'
import { Icon } from '../../components/icon.tsx'
import type { Movable } from './page-order.ts'
import type { useDrag } from './use-drag.ts'
import { toHandleId, type useKeyboardMove } from './use-keyboard-move.ts'

export type Ordering = ReturnType<typeof useKeyboardMove> & ReturnType<typeof useDrag>

interface MoveHandleProps {
  item: Movable
  name: string
  ordering: Ordering
}

export function MoveHandle({ item, name, ordering }: MoveHandleProps) {
  const { liftedItem, onKeyDown, onBlur, onPointerDown } = ordering
  const id = toHandleId(item)
  return (
    <button
      type="button"
      class="move-handle"
      data-handle={id}
      aria-label={`Move ${name}`}
      aria-describedby="move-help"
      aria-pressed={liftedItem !== undefined && toHandleId(liftedItem) === id}
      title="Drag to move"
      onPointerDown={(event) => onPointerDown(event, item)}
      onKeyDown={(event) => onKeyDown(event, item)}
      onBlur={() => onBlur(item)}
    >
      <Icon icon={GripVertical} size={16} />
    </button>
  )
}
