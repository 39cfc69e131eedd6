/** Renders only those rows of a long list that can be seen. How tall each is is known before; the window scrolls, not a box. */
import type { ComponentChildren, RefObject } from 'preact'
import { useCallback, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

export interface VirtualListControl {
  /** Brings a row into view and the focus to what it marks with `data-row-focus`, or else to the first it can go to. */
  focusRow: (index: number) => void
  /** Of the row that has the focus, if one has. */
  focusedRow: () => number | undefined
}

interface VirtualListProps<T> {
  items: readonly T[]
  /** In pixels: of all rows, or of each by what it shows. A function has to stay the same one as long as its answers do. */
  rowHeight: number | ((item: T) => number)
  keyOf: (item: T) => string | number
  label: string
  control?: RefObject<VirtualListControl>
  children: (item: T, index: number) => ComponentChildren
}

/** Above and below what is seen, so that a quick scroll shows no gap. */
const SPARE_ROWS = 12

export function VirtualList<T>({ items, rowHeight, keyOf, label, control, children }: VirtualListProps<T>) {
  const list = useRef<HTMLUListElement>(null)
  // Before it has been measured: as many as any window may show.
  const [range, setRange] = useState({ first: 0, end: 40 })
  // The row with the focus stays wherever one scrolls, or the focus would go with it.
  const [kept, setKept] = useState<string | number>()
  const wanted = useRef<number | undefined>(undefined)
  const place = useRef(0)
  const tops = useMemo(() => topsOf(items, rowHeight), [items, rowHeight])

  const measure = useCallback(() => {
    const top = list.current?.getBoundingClientRect().top ?? 0
    const first = Math.max(0, rowAt(tops, -top) - SPARE_ROWS)
    const end = rowAt(tops, window.innerHeight - top) + 1 + SPARE_ROWS
    setRange((before) => (before.first === first && before.end === end ? before : { first, end }))
  }, [tops])

  useLayoutEffect(() => {
    measure()
    window.addEventListener('scroll', measure, { passive: true })
    window.addEventListener('resize', measure)
    return () => {
      window.removeEventListener('scroll', measure)
      window.removeEventListener('resize', measure)
    }
  }, [measure])

  /** False where the row is not rendered yet. */
  function focusNow(index: number): boolean {
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
    if (item === undefined || focusNow(index)) return
    wanted.current = index
    setKept(keyOf(item))
  }

  useImperativeHandle(control ?? null, () => ({ focusRow, focusedRow: () => indexOf(document.activeElement) }))

  const focused = list.current?.contains(document.activeElement) ? document.activeElement : null
  useLayoutEffect(() => {
    if (wanted.current !== undefined) {
      if (focusNow(wanted.current)) wanted.current = undefined
    } else if (focused instanceof HTMLElement && document.activeElement !== focused) {
      // A row that moves to another place loses the focus on its way; of one that is gone the next takes it.
      if (focused.isConnected) focused.focus({ preventScroll: true })
      else focusRow(Math.min(place.current, items.length - 1))
    }
    place.current = indexOf(document.activeElement) ?? place.current
  })

  return (
    <ul
      ref={list}
      class="virtual-list"
      aria-label={label}
      style={{ height: `${tops[items.length]}px` }}
      onFocusIn={(event) => {
        const item = items[indexOf(event.target) ?? -1]
        if (item !== undefined) setKept(keyOf(item))
      }}
      onFocusOut={(event) => {
        // When the window loses the focus, the element keeps it for when it comes back.
        if (!event.currentTarget.contains(document.activeElement)) setKept(undefined)
      }}
    >
      {rowsToRender(items, range, kept, keyOf).map((index) => {
        const item = items[index] as T
        const [top = 0, bottom = 0] = [tops[index], tops[index + 1]]
        return (
          <li
            key={keyOf(item)}
            data-index={index}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            style={{ height: `${bottom - top}px`, transform: `translateY(${top}px)` }}
          >
            {children(item, index)}
          </li>
        )
      })}
    </ul>
  )
}

/** Where each row begins, and where the last one ends. */
function topsOf<T>(items: readonly T[], rowHeight: number | ((item: T) => number)): Float64Array {
  const tops = new Float64Array(items.length + 1)
  let top = 0
  for (const [index, item] of items.entries()) {
    top += typeof rowHeight === 'number' ? rowHeight : rowHeight(item)
    tops[index + 1] = top
  }
  return tops
}

/** The row that lies there; the first or the last one where none does. */
function rowAt(tops: Float64Array, place: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((tops[middle] ?? 0) <= place) low = middle
    else high = middle - 1
  }
  return low
}

function indexOf(element: EventTarget | null): number | undefined {
  const row = element instanceof Element ? element.closest<HTMLElement>('.virtual-list > li') : null
  return row?.dataset['index'] === undefined ? undefined : Number(row.dataset['index'])
}

/** In their order, for that is the order of the tab key. */
function rowsToRender<T>(
  items: readonly T[],
  range: { first: number; end: number },
  kept: string | number | undefined,
  keyOf: (item: T) => string | number,
): number[] {
  // A list that has become shorter may end above what was seen.
  const end = Math.min(items.length, range.end)
  const first = Math.min(range.first, Math.max(0, end - SPARE_ROWS))
  const rows = Array.from({ length: end - first }, (_, offset) => first + offset)
  if (kept === undefined || rows.some((index) => keyOf(items[index] as T) === kept)) return rows
  const index = items.findIndex((item) => keyOf(item) === kept)
  if (index === -1) return rows
  return index < first ? [index, ...rows] : [...rows, index]
}
