/** The way back to the overview leads to the row that was opened, also for whoever goes by keyboard. */
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import type { VirtualListControl } from '../../components/virtual-list.tsx'
import type { OverviewRow } from './rows.ts'

let opened: string | undefined
let isBack = false

addEventListener('popstate', () => {
  isBack = true
})
// The router tells of these: a link leads to the top of a page.
for (const type of ['pushState', 'replaceState']) {
  addEventListener(type, () => {
    isBack = false
  })
}

/** Nobody has gone elsewhere since the page was there. */
const isFocusFree = () =>
  document.activeElement === null || document.activeElement === document.body || document.activeElement.matches('h1')

/** Returns what to do with every click on the list. */
export function useReturnToRow(
  rows: readonly OverviewRow[],
  list: RefObject<VirtualListControl>,
): (event: MouseEvent) => void {
  useEffect(() => {
    const index = isBack ? rows.findIndex(({ key }) => key === opened) : -1
    if (index !== -1 && isFocusFree()) list.current?.focusRow(index)
    opened = undefined
  }, [])
  return ({ target }) => {
    const row = target instanceof Element && target.closest('a') && target.closest<HTMLElement>('[data-index]')
    if (row) opened = rows[Number(row.dataset['index'])]?.key
  }
}
