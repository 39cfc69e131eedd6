/**
 * Renders only the visible rows of a long list. Row heights are known in advance, and the window scrolls, not the list.
 * So the calculation takes 30 lines, where @tanstack/virtual-core would add 9.5 kB gzipped. The rest of this file keeps
 * the keyboard focus, which that library doesn't handle.
 */
import type { ComponentChildren, RefObject, VNode } from 'preact'
import { useCallback, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { afterPaint } from '../lib/after-paint.ts'

export interface VirtualListControl {
  /** Scrolls to a row and focuses its `data-row-focus` element, or else its first link or button. */
  focusRow: (index: number) => void
  /** Index of the row that contains the focus. */
  findFocusedIndex: () => number | undefined
}

interface VirtualListProps<T> {
  items: readonly T[]
  /** In pixels, for all rows or per item. Pass the same function on every render: a new one recomputes all positions. */
  rowHeight: number | ((item: T) => number)
  getKey: (item: T) => string | number
  label: string
  /** In pixels. The list begins at least this far down the page, because the header, the title and the filters are above it. */
  spaceAbove: number
  control?: RefObject<VirtualListControl>
  children: (item: T, index: number) => ComponentChildren
}

/** At least this many extra rows are rendered above and below the viewport, so that fast scrolling shows no gap. */
const OVERSCAN_ROWS = 6
/**
 * Scrolling adds and removes rows in groups of this size. Each change makes the browser redraw parts of the page that it had drawn in
 * advance, so small groups take more time in total. Large groups take longer than a frame.
 */
const ROWS_PER_STEP = 4
/** The extra rows are rendered this long after the visible ones are painted. */
const EXTRA_ROWS_DELAY_MS = 50
/** Rows ignore the pointer, including clicks, until this long after the last scroll event. */
const SCROLL_END_MS = 100

export function VirtualList<T>({
  items,
  rowHeight,
  getKey,
  label,
  spaceAbove,
  control,
  children,
}: VirtualListProps<T>) {
  const list = useRef<HTMLUListElement>(null)
  const tops = useMemo(() => computeRowTops(items, rowHeight), [items, rowHeight])
  // The first paint has only the rows that fit into the window. Measuring rows before the first paint would force an
  // additional layout.
  const [range, setRange] = useState(() => ({ first: 0, end: findRowAt(tops, window.innerHeight - spaceAbove) + 1 }))
  const [rendersExtraRows, setRendersExtraRows] = useState(false)
  // The focused row stays rendered when it is scrolled out of view, because removing it would lose the focus.
  const [focusedKey, setFocusedKey] = useState<string | number>()
  /** Row to focus once it is rendered. */
  const pendingFocusIndex = useRef<number | undefined>(undefined)
  const lastFocusedIndex = useRef(0)

  const measure = useCallback(() => {
    const top = list.current?.getBoundingClientRect().top ?? 0
    const firstNeeded = Math.max(0, findRowAt(tops, -top) - OVERSCAN_ROWS)
    const endNeeded = findRowAt(tops, window.innerHeight - top) + 1 + OVERSCAN_ROWS
    const first = Math.floor(firstNeeded / ROWS_PER_STEP) * ROWS_PER_STEP
    const end = Math.ceil(endNeeded / ROWS_PER_STEP) * ROWS_PER_STEP
    setRange((previous) => (previous.first === first && previous.end === end ? previous : { first, end }))
  }, [tops])

  useEffect(() => afterPaint(() => setRendersExtraRows(true), EXTRA_ROWS_DELAY_MS), [])

  useLayoutEffect(() => {
    let scrollEnd: number | undefined
    // While the list scrolls, no row is highlighted: each row that passes under the pointer would be painted two more times.
    const onScroll = () => {
      clearTimeout(scrollEnd)
      list.current?.setAttribute('data-scrolling', '')
      scrollEnd = window.setTimeout(() => list.current?.removeAttribute('data-scrolling'), SCROLL_END_MS)
      measure()
    }
    if (rendersExtraRows) measure()
    window.addEventListener('scroll', onScroll, { passive: true })
    window.addEventListener('resize', measure)
    return () => {
      window.removeEventListener('scroll', onScroll)
      window.removeEventListener('resize', measure)
    }
  }, [measure, rendersExtraRows])

  /** Returns false if the row isn't rendered yet. */
  function focusIfRendered(index: number): boolean {
    const row = list.current?.querySelector(`:scope > [data-index="${index}"]`)
    if (!row) return false
    row.scrollIntoView({ block: 'nearest' })
    const target = row.querySelector<HTMLElement>('[data-row-focus]') ?? row.querySelector<HTMLElement>('a, button')
    target?.focus({ preventScroll: true })
    measure()
    return true
  }

  function focusRow(index: number) {
    const item = items[index]
    if (item === undefined || focusIfRendered(index)) return
    pendingFocusIndex.current = index
    setFocusedKey(getKey(item))
  }

  useImperativeHandle(control ?? null, () => ({
    focusRow,
    findFocusedIndex: () => findRowIndex(document.activeElement),
  }))

  const focusedElement = list.current?.contains(document.activeElement) ? document.activeElement : null
  useLayoutEffect(() => {
    if (pendingFocusIndex.current !== undefined) {
      if (focusIfRendered(pendingFocusIndex.current)) pendingFocusIndex.current = undefined
    } else if (focusedElement instanceof HTMLElement && document.activeElement !== focusedElement) {
      // Reordering rows drops the focus, so set it again. If the row was removed, focus its successor.
      if (focusedElement.isConnected) focusedElement.focus({ preventScroll: true })
      else focusRow(Math.min(lastFocusedIndex.current, items.length - 1))
    }
    lastFocusedIndex.current = findRowIndex(document.activeElement) ?? lastFocusedIndex.current
  })

  // Preact skips a row that is the same object as before, so scrolling renders only the rows that come into view.
  const renderedRows = useMemo(() => new Map<number, VNode>(), [children, tops, getKey])
  const indexes = listIndexesToRender(items, range, focusedKey, getKey)
  const rows = indexes.map((index) => renderedRows.get(index) ?? renderRow(index))
  renderedRows.clear()
  for (const [position, index] of indexes.entries()) renderedRows.set(index, rows[position] as VNode)

  function renderRow(index: number): VNode {
    const item = items[index] as T
    const [top = 0, bottom = 0] = [tops[index], tops[index + 1]]
    return (
      <li
        key={getKey(item)}
        data-index={index}
        aria-setsize={items.length}
        aria-posinset={index + 1}
        style={{ height: `${bottom - top}px`, top: `${top}px` }}
      >
        {children(item, index)}
      </li>
    )
  }

  return (
    <ul
      ref={list}
      class="virtual-list"
      aria-label={label}
      style={{ height: `${tops[items.length]}px` }}
      onFocusIn={(event) => {
        const item = items[findRowIndex(event.target) ?? -1]
        if (item !== undefined) setFocusedKey(getKey(item))
      }}
      onFocusOut={(event) => {
        // When the window itself loses focus, activeElement stays in the list, and the row must stay rendered.
        if (!event.currentTarget.contains(document.activeElement)) setFocusedKey(undefined)
      }}
    >
      {rows}
    </ul>
  )
}

/** Offset of each row's top edge, followed by the bottom edge of the last row. */
function computeRowTops<T>(items: readonly T[], rowHeight: number | ((item: T) => number)): Float64Array {
  const tops = new Float64Array(items.length + 1)
  let top = 0
  for (const [index, item] of items.entries()) {
    top += typeof rowHeight === 'number' ? rowHeight : rowHeight(item)
    tops[index + 1] = top
  }
  return tops
}

/** The row at an offset, clamped to the first and last row. */
function findRowAt(tops: Float64Array, offset: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((tops[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

function findRowIndex(element: EventTarget | null): number | undefined {
  const row = element instanceof Element ? element.closest<HTMLElement>('.virtual-list > li') : null
  return row?.dataset['index'] === undefined ? undefined : Number(row.dataset['index'])
}

/**
 * Lists the indexes of the rows in `range`, and of the focused row. They are in list order, because the DOM order is
 * also the Tab order.
 */
function listIndexesToRender<T>(
  items: readonly T[],
  range: { first: number; end: number },
  focusedKey: string | number | undefined,
  getKey: (item: T) => string | number,
): number[] {
  // A list that became shorter may end above the current range.
  const end = Math.min(items.length, range.end)
  const first = Math.min(range.first, Math.max(0, end - OVERSCAN_ROWS))
  const indexes = Array.from({ length: end - first }, (_, offset) => first + offset)
  if (focusedKey === undefined || indexes.some((index) => getKey(items[index] as T) === focusedKey)) return indexes
  const index = items.findIndex((item) => getKey(item) === focusedKey)
  if (index === -1) return indexes
  return index < first ? [index, ...indexes] : [...indexes, index]
}
