/** Drags monitors and groups with a mouse, pen or finger. A line shows where the item would go. */
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type DropSlot, findNearestSlot, type GroupExtent, listDropSlots } from './drop-slots.ts'
import { describePlace, type EditedGroups, type Movable, placeGroup, placeMonitor } from './page-order.ts'

/** A shorter movement is a click. */
const MIN_DRAG_PX = 4
/**
 * While the pointer is this close to the upper or lower edge of the window, the page scrolls by SCROLL_STEP_PX per
 * frame.
 */
const SCROLL_EDGE_PX = 90
const SCROLL_STEP_PX = 9

interface DragOptions {
  /** Contains an element with `data-group-key` for each group, and one with `data-monitor-id` for each monitor. */
  container: RefObject<HTMLElement>
  groups: EditedGroups
  onGroups: (groups: EditedGroups) => void
  announce: (text: string) => void
}

interface DragState {
  item: Movable
  /** How far the item has been dragged, in pixels. */
  offset: number
  slot: DropSlot | undefined
}

export function useDrag({ container, groups, onGroups, announce }: DragOptions) {
  const [drag, setDrag] = useState<DragState>()
  const endDrag = useRef<() => void>()
  useEffect(() => () => endDrag.current?.(), [])

  function onPointerDown(event: PointerEvent, item: Movable) {
    const handle = event.currentTarget
    const root = container.current
    if (event.button !== 0 || !event.isPrimary || root === null || !(handle instanceof HTMLElement)) return
    handle.setPointerCapture(event.pointerId)
    // All positions are relative to the container, because the page can scroll during the drag.
    const toY = (clientY: number) => clientY - root.getBoundingClientRect().top
    const startY = toY(event.clientY)
    const slots = listDropSlots(measureGroups(root), item)
    let clientY = event.clientY
    let latestDrag: DragState | undefined

    const update = () => {
      const y = toY(clientY)
      if (latestDrag === undefined && Math.abs(y - startY) < MIN_DRAG_PX) return
      latestDrag = { item, offset: y - startY, slot: findNearestSlot(slots, y) }
      setDrag(latestDrag)
    }
    const onMove = (event: PointerEvent) => {
      clientY = event.clientY
      update()
    }
    let frameRequest = 0
    const scrollNearEdges = () => {
      frameRequest = requestAnimationFrame(scrollNearEdges)
      if (latestDrag === undefined) return
      const step = clientY < SCROLL_EDGE_PX ? -1 : clientY > innerHeight - SCROLL_EDGE_PX ? 1 : 0
      if (step === 0) return
      scrollBy(0, step * SCROLL_STEP_PX)
      update()
    }
    const stopListening = () => {
      cancelAnimationFrame(frameRequest)
      handle.removeEventListener('pointermove', onMove)
      handle.removeEventListener('pointerup', onUp)
      handle.removeEventListener('pointercancel', stopListening)
      document.removeEventListener('keydown', onKeyDown, true)
      endDrag.current = undefined
      setDrag(undefined)
    }
    const onUp = () => {
      const slot = latestDrag?.slot
      stopListening()
      if (slot === undefined) return
      const movedGroups = dropItem(groups, item, slot)
      onGroups(movedGroups)
      announce(`Dropped. ${describePlace(movedGroups, item)}`)
    }
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || latestDrag === undefined) return
      event.preventDefault()
      event.stopPropagation()
      stopListening()
    }
    handle.addEventListener('pointermove', onMove)
    handle.addEventListener('pointerup', onUp)
    handle.addEventListener('pointercancel', stopListening)
    document.addEventListener('keydown', onKeyDown, true)
    frameRequest = requestAnimationFrame(scrollNearEdges)
    endDrag.current = stopListening
  }

  return { drag, onPointerDown }
}

const dropItem = (groups: EditedGroups, item: Movable, slot: DropSlot) =>
  item.kind === 'group' ? placeGroup(groups, item.key, slot.groupIndex) : placeMonitor(groups, item.monitorId, slot)

function measureGroups(root: HTMLElement): GroupExtent[] {
  const rootTop = root.getBoundingClientRect().top
  const measure = (element: Element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return { top: top - rootTop, bottom: bottom - rootTop }
  }
  return [...root.querySelectorAll<HTMLElement>('[data-group-key]')].map((element) => ({
    ...measure(element),
    key: Number(element.dataset['groupKey']),
    listTop: measure(element.querySelector('ul') ?? element).top,
    monitors: [...element.querySelectorAll<HTMLElement>('[data-monitor-id]')].map((row) => ({
      ...measure(row),
      monitorId: Number(row.dataset['monitorId']),
    })),
  }))
}
