/** Everything on the overview by keyboard. */
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import type { VirtualListControl } from '../../components/virtual-list.tsx'

interface Shortcuts {
  list: RefObject<VirtualListControl>
  search: RefObject<HTMLInputElement>
  rows: number
  onFavorite: (index: number) => void
  onHelp: () => void
}

const KEY = 'belfry-shortcuts'

/** Whoever speaks to the computer, or slips, can turn off keys that are single letters (WCAG 2.1.4). */
export function hasShortcuts(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off'
  } catch {
    return true
  }
}

export function keepShortcuts(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, 'off')
  } catch {}
}

export function useShortcuts(shortcuts: Shortcuts): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (document.querySelector('dialog[open]')) return
      if (handle(event, shortcuts)) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}

/** False leaves the key to the browser. */
function handle({ key, target }: KeyboardEvent, { list, search, rows, onFavorite, onHelp }: Shortcuts): boolean {
  const row = list.current?.focusedRow()
  const go = (index: number) => {
    list.current?.focusRow(Math.max(0, Math.min(rows - 1, index)))
    return rows > 0
  }
  if (target === search.current && key === 'ArrowDown') return go(0)
  if (target instanceof Element && target.closest('input, textarea, select')) return false

  if (row !== undefined) {
    if (key === 'ArrowDown') return go(row + 1)
    if (key === 'ArrowUp') return go(row - 1)
    if (key === 'Home') return go(0)
    if (key === 'End') return go(rows - 1)
  }
  if (!hasShortcuts()) return false
  if (key === 'j') return go(row === undefined ? 0 : row + 1)
  if (key === 'k') return go(row === undefined ? 0 : row - 1)
  if (key === 'f' && row !== undefined) {
    onFavorite(row)
    return true
  }
  if (key === '/') {
    search.current?.focus()
    search.current?.select()
    return true
  }
  if (key === '?') {
    onHelp()
    return true
  }
  return false
}
