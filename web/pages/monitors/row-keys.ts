/** Keys within the list: up and down go from row to row, the space bar chooses, Enter opens because a row is a link. */

const steps: Record<string, (index: number, count: number) => number> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
}

interface Rows {
  count: number
  focusRow: (index: number) => void
  onChoose: (index: number, isRange: boolean) => void
}

export function onRowKey(event: KeyboardEvent, { count, focusRow, onChoose }: Rows): void {
  const target = event.target instanceof HTMLElement ? event.target : undefined
  const row = target?.closest<HTMLElement>('[data-index]')
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return
  const index = Number(row.dataset['index'])
  // On the box itself the browser does it.
  if (event.key === ' ' && target?.tagName === 'A') {
    event.preventDefault()
    onChoose(index, event.shiftKey)
  }
  const next = steps[event.key]?.(index, count)
  if (next === undefined) return
  event.preventDefault()
  if (next >= 0 && next < count) focusRow(next)
}
