/** Moves the crosshair, and selects a range to zoom into, by mouse, touch and keyboard. */
import { useState } from 'preact/hooks'
import type { ChartGeometry } from './geometry.ts'
import { findNearestIndex, type LineAxis } from './model.ts'

interface ExplorerInput {
  x: LineAxis
  geometry: ChartGeometry
  onZoom: ((fromIndex: number, toIndex: number) => void) | undefined
  /** Opens the page about the band at a value, if there is one. */
  onOpen: (index: number) => void
}

export interface Crosshair {
  index: number
  source: 'mouse' | 'touch' | 'keyboard'
}

/** Indexes of the first and the last selected value, in the order in which they were selected. */
export interface Selection {
  anchor: number
  head: number
  /** Where the drag started, in pixels from the left of the window. */
  startX: number
  isDragging: boolean
}

/** A shorter movement is a click. */
const MIN_DRAG_PX = 5

export function useExplorer({ x, geometry, onZoom, onOpen }: ExplorerInput) {
  const [crosshair, setCrosshair] = useState<Crosshair>()
  const [selection, setSelection] = useState<Selection>()
  const lastIndex = x.length - 1

  const findIndexAt = ({ clientX, currentTarget }: PointerEvent) => {
    const { left } = (currentTarget as HTMLElement).getBoundingClientRect()
    return findNearestIndex(x, geometry.toPosition(clientX - left))
  }
  const getSource = ({ pointerType }: PointerEvent) => (pointerType === 'mouse' ? 'mouse' : 'touch')

  function zoom({ anchor, head }: Pick<Selection, 'anchor' | 'head'>) {
    setSelection(undefined)
    setCrosshair(undefined)
    if (anchor !== head) onZoom?.(Math.min(anchor, head), Math.max(anchor, head))
  }

  function onPointerDown(event: PointerEvent) {
    if (event.button !== 0) return
    const index = findIndexAt(event)
    setCrosshair({ index, source: getSource(event) })
    setSelection(onZoom && { anchor: index, head: index, startX: event.clientX, isDragging: true })
  }

  function onPointerMove(event: PointerEvent) {
    const index = findIndexAt(event)
    setCrosshair({ index, source: getSource(event) })
    // Capturing the pointer earlier would turn a click on a band into a click on the chart.
    if (!selection?.isDragging || Math.abs(event.clientX - selection.startX) < MIN_DRAG_PX) return
    ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
    setSelection({ ...selection, head: index })
  }

  function onPointerUp(event: PointerEvent) {
    if (!selection?.isDragging) return
    if (selection.anchor === selection.head) return setSelection(undefined)
    // A finger also selects values when it only explores the chart. So after a touch, the user zooms with the "Zoom in"
    // button.
    if (getSource(event) === 'mouse') zoom(selection)
    else setSelection({ ...selection, isDragging: false })
  }

  function onPointerLeave(event: PointerEvent) {
    // After a tap, unlike after a mouse movement, the tooltip stays until the next tap.
    if (getSource(event) === 'mouse' && !selection?.isDragging) setCrosshair(undefined)
  }

  function onPointerCancel() {
    setSelection(undefined)
    setCrosshair(undefined)
  }

  function onKeyDown(event: KeyboardEvent) {
    const current = Math.min(crosshair?.index ?? lastIndex, lastIndex)
    const target = findTarget(event.key, current, lastIndex)
    if (target !== undefined) {
      setCrosshair({ index: target, source: 'keyboard' })
      if (event.shiftKey && onZoom) {
        setSelection({ anchor: selection?.anchor ?? current, head: target, startX: 0, isDragging: false })
      } else setSelection(undefined)
    } else if (event.key === 'Enter') {
      if (selection) zoom(selection)
      else onOpen(current)
    } else if (event.key === 'Escape' && (selection || crosshair)) {
      setSelection(undefined)
      if (!selection) setCrosshair(undefined)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  const handlers = {
    onPointerDown,
    onPointerMove,
    onPointerUp,
    onPointerLeave,
    onPointerCancel,
    onKeyDown,
    onFocus: ({ currentTarget }: FocusEvent) => {
      if ((currentTarget as HTMLElement).matches(':focus-visible')) {
        setCrosshair({ index: lastIndex, source: 'keyboard' })
      }
    },
    onBlur: onPointerCancel,
  }
  const isInChart = crosshair !== undefined && crosshair.index <= lastIndex
  return { crosshair: isInChart ? crosshair : undefined, selection, zoom, handlers }
}

function findTarget(key: string, index: number, lastIndex: number): number | undefined {
  if (key === 'ArrowLeft') return Math.max(0, index - 1)
  if (key === 'ArrowRight') return Math.min(lastIndex, index + 1)
  if (key === 'Home') return 0
  return key === 'End' ? lastIndex : undefined
}
