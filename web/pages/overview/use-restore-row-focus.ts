/** When the user goes back to the overview, focuses the row they had opened, so that keyboard users continue there. */
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import type { VirtualListControl } from '../../components/virtual-list.tsx'
import type { OverviewRow } from './rows.ts'

let openedRowKey: string | undefined
let isBackNavigation = false

addEventListener('popstate', () => {
  isBackNavigation = true
})
// The router dispatches these events when the user follows a link.
for (const type of ['pushState', 'replaceState']) {
  addEventListener(type, () => {
    isBackNavigation = false
  })
}

/** Whether the user hasn't moved the focus since the page was rendered. The page itself focuses its h1. */
const isFocusUntouched = () =>
  document.activeElement === null || document.activeElement === document.body || document.activeElement.matches('h1')

/** Returns a click handler for the list, which remembers the opened row. */
export function useRestoreRowFocus(
  rows: readonly OverviewRow[],
  listControl: RefObject<VirtualListControl>,
): (event: MouseEvent) => void {
  useEffect(() => {
    const index = isBackNavigation ? rows.findIndex(({ key }) => key === openedRowKey) : -1
    if (index !== -1 && isFocusUntouched()) listControl.current?.focusRow(index)
    openedRowKey = undefined
  }, [])
  return ({ target }) => {
    const row = target instanceof Element && target.closest('a') && target.closest<HTMLElement>('[data-index]')
    if (row) openedRowKey = rows[Number(row.dataset['index'])]?.key
  }
}
