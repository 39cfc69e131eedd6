/** Everything on the overview by keyboard; the search has its own key. */
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import type { VirtualListControl } from '../../components/virtual-list.tsx'
import { hasShortcuts, isAlone, isWriting, rowAfter } from '../../lib/shortcuts.ts'

interface Shortcuts {
  list: RefObject<VirtualListControl>
  search: RefObject<HTMLInputElement>
  rows: number
  onFavorite: (index: number) => void
  onHelp: () => void
}

export function useShortcuts(shortcuts: Shortcuts): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isAlone(event)) return
      if (document.querySelector('dialog[open]')) return
      if (handle(event, shortcuts)) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}

/** False leaves the key to the browser. */
function handle(event: KeyboardEvent, { list, search, rows, onFavorite, onHelp }: Shortcuts): boolean {
  const { key } = event
  const row = list.current?.focusedRow()
  const go = (index: number | undefined) => {
    if (index === undefined || rows === 0) return false
    list.current?.focusRow(index)
    return true
  }
  if (event.target === search.current && key === 'ArrowDown') return go(0)
  if (isWriting(event)) return false

  if (row !== undefined && go(rowAfter(key, row, rows))) return true
  if (!hasShortcuts()) return false
  if (key === 'j') return go(row === undefined ? 0 : rowAfter('ArrowDown', row, rows))
  if (key === 'k') return go(row === undefined ? 0 : rowAfter('ArrowUp', row, rows))
  if (key === 'f' && row !== undefined) {
    onFavorite(row)
    return true
  }
  if (key === '?') {
    onHelp()
    return true
  }
  return false
}
