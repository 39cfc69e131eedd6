/** Renders only those rows of a long list that can be seen. All rows are equally tall; the window scrolls, not a box. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface VirtualListProps<T> {
  items: readonly T[]
  /** In pixels. */
  rowHeight: number
  keyOf: (item: T) => string | number
  label: string
  children: (item: T, index: number) => ComponentChildren
}

/** Above and below what is seen, so that a quick scroll shows no gap. */
const SPARE_ROWS = 12

export function VirtualList<T>({ items, rowHeight, keyOf, label, children }: VirtualListProps<T>) {
  const list = useRef<HTMLUListElement>(null)
  // Before it has been measured: as many as any window may show.
  const [range, setRange] = useState({ first: 0, end: 40 })

  useLayoutEffect(() => {
    const update = () => {
      const top = list.current?.getBoundingClientRect().top ?? 0
      const first = Math.max(0, Math.floor(-top / rowHeight) - SPARE_ROWS)
      const end = Math.ceil((window.innerHeight - top) / rowHeight) + SPARE_ROWS
      setRange((before) => (before.first === first && before.end === end ? before : { first, end }))
    }
    update()
    window.addEventListener('scroll', update, { passive: true })
    window.addEventListener('resize', update)
    return () => {
      window.removeEventListener('scroll', update)
      window.removeEventListener('resize', update)
    }
  }, [rowHeight, items.length])

  return (
    <ul ref={list} class="virtual-list" aria-label={label} style={{ height: `${items.length * rowHeight}px` }}>
      {items.slice(range.first, range.end).map((item, offset) => {
        const index = range.first + offset
        return (
          <li
            key={keyOf(item)}
            data-index={index}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            style={{ height: `${rowHeight}px`, transform: `translateY(${index * rowHeight}px)` }}
          >
            {children(item, index)}
          </li>
        )
      })}
    </ul>
  )
}
