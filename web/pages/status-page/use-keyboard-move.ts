/** Moves monitors and groups by keyboard: Space or Enter lifts and drops, the arrow keys move, Escape cancels. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { describePlace, type EditedGroups, type Movable, moveByStep } from './page-order.ts'

export const toHandleId = (item: Movable) =>
  item.kind === 'monitor' ? `monitor-${item.monitorId}` : `group-${item.key}`

export const findHandle = (item: Movable) =>
  document.querySelector<HTMLElement>(`[data-handle="${CSS.escape(toHandleId(item))}"]`)

interface KeyboardMoveOptions {
  groups: EditedGroups
  onGroups: (groups: EditedGroups) => void
  /** Passes a text to screen readers. */
  announce: (text: string) => void
}

const steps: Record<string, -1 | 1> = { ArrowUp: -1, ArrowDown: 1 }

export function useKeyboardMove({ groups, onGroups, announce }: KeyboardMoveOptions) {
  const [lifted, setLifted] = useState<{ item: Movable; before: EditedGroups }>()
  const itemToFocus = useRef<Movable>()

  // The browser removes the focus from an element that moves in the document, so set it again.
  useLayoutEffect(() => {
    if (itemToFocus.current === undefined) return
    const handle = findHandle(itemToFocus.current)
    itemToFocus.current = undefined
    handle?.focus()
    handle?.scrollIntoView({ block: 'nearest' })
  }, [groups])

  function move(item: Movable, step: -1 | 1) {
    const movedGroups = moveByStep(groups, item, step)
    if (movedGroups !== groups) {
      itemToFocus.current = item
      onGroups(movedGroups)
    }
    announce(describePlace(movedGroups, item))
  }

  function cancel() {
    if (lifted === undefined) return
    itemToFocus.current = lifted.item
    onGroups(lifted.before)
    setLifted(undefined)
    announce(`Move canceled. ${describePlace(lifted.before, lifted.item)}`)
  }

  function drop() {
    if (lifted === undefined) return
    setLifted(undefined)
    announce(`Dropped. ${describePlace(groups, lifted.item)}`)
  }

  function onKeyDown(event: KeyboardEvent, item: Movable) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const step = steps[event.key]
    if (event.key === ' ' || event.key === 'Enter') {
      if (lifted === undefined) {
        setLifted({ item, before: groups })
        announce(`Lifted. ${describePlace(groups, item)} Arrow keys move, Space drops, Escape cancels.`)
      } else drop()
    } else if (lifted !== undefined && step !== undefined) move(item, step)
    else if (lifted !== undefined && event.key === 'Escape') cancel()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  /**
   * Drops the item when the user leaves its handle. A move also removes the focus for a moment, which must not drop the
   * item.
   */
  function onBlur(item: Movable) {
    setTimeout(() => {
      if (document.activeElement !== findHandle(item)) setLifted(undefined)
    })
  }

  return { liftedItem: lifted?.item, onKeyDown, onBlur, move }
}
