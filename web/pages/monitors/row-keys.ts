/** Keys within the list: up and down go from row to row, the space bar chooses, Enter opens because a row is a link. */
import { hasNoModifier, nextRowIndex } from '../../lib/shortcuts.ts'

interface Rows {
  count: number
  focusRow: (index: number) => void
  onChoose: (index: number, isRange: boolean) => void
}

export function onRowKey(event: KeyboardEvent, { count, focusRow, onChoose }: Rows): void {
  const target = event.target instanceof HTMLElement ? event.target : undefined
  const row = target?.closest<HTMLElement>('[data-index]')
  if (!row || !hasNoModifier(event)) return
  const index = Number(row.dataset['index'])
  // On the box itself the browser does it.
  if (event.key === ' ' && target?.tagName === 'A') {
    event.preventDefault()
    onChoose(index, event.shiftKey)
  }
  const next = nextRowIndex(event.key, index, count)
  if (next === undefined) return
  event.preventDefault()
  focusRow(next)
}
