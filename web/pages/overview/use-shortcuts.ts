/** The keyboard shortcuts of the overview, except `/`, which SearchBox handles. */
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import type { VirtualListControl } from '../../components/virtual-list.tsx'
import { areShortcutsEnabled, findNextRowIndex, hasModifier, isTyping } from '../../lib/shortcuts.ts'

interface ShortcutOptions {
  listControl: RefObject<VirtualListControl>
  searchInput: RefObject<HTMLInputElement>
  rowCount: number
  onFavorite: (index: number) => void
  onToggleGroup: (index: number) => void
  onHelp: () => void
}

export function useShortcuts(options: ShortcutOptions): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || hasModifier(event)) return
      if (document.querySelector('dialog[open]')) return
      if (handleKey(event, options)) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}

/** Returns false to leave the key to the browser. */
function handleKey(
  event: KeyboardEvent,
  { listControl, searchInput, rowCount, onFavorite, onToggleGroup, onHelp }: ShortcutOptions,
): boolean {
  const { key } = event
  const focusedIndex = listControl.current?.findFocusedIndex()
  const focusRow = (index: number | undefined) => {
    if (index === undefined || rowCount === 0) return false
    listControl.current?.focusRow(index)
    return true
  }
  if (event.target === searchInput.current && key === 'ArrowDown') return focusRow(0)
  if (isTyping(event)) return false

  if (focusedIndex !== undefined && focusRow(findNextRowIndex(key, focusedIndex, rowCount))) return true
  if (!areShortcutsEnabled()) return false
  if (key === 'j')
    return focusRow(focusedIndex === undefined ? 0 : findNextRowIndex('ArrowDown', focusedIndex, rowCount))
  if (key === 'k') return focusRow(focusedIndex === undefined ? 0 : findNextRowIndex('ArrowUp', focusedIndex, rowCount))
  if (key === 'f' && focusedIndex !== undefined) {
    onFavorite(focusedIndex)
    return true
  }
  if (key === 'e' && focusedIndex !== undefined) {
    onToggleGroup(focusedIndex)
    return true
  }
  if (key === '?') {
    onHelp()
    return true
  }
  return false
}
