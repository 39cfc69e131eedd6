/** Keyboard control of the list: arrow keys move between rows, Space selects. Enter opens, because a row is a link. */
import { findNextRowIndex, hasModifier } from '../../lib/shortcuts.ts'

interface ListControl {
  rowCount: number
  focusRow: (index: number) => void
  onToggle: (index: number, isRange: boolean) => void
}

export function handleListKey(event: KeyboardEvent, { rowCount, focusRow, onToggle }: ListControl): void {
  const target = event.target instanceof HTMLElement ? event.target : undefined
  const row = target?.closest<HTMLElement>('[data-index]')
  if (!row || hasModifier(event)) return
  const index = Number(row.dataset['index'])
  // On the checkbox itself, the browser handles Space.
  if (event.key === ' ' && target?.tagName === 'A') {
    event.preventDefault()
    onToggle(index, event.shiftKey)
  }
  const next = findNextRowIndex(event.key, index, rowCount)
  if (next === undefined) return
  event.preventDefault()
  focusRow(next)
}
