/** Finds the rows and figures of the overview in a browser. */
import type { Page } from 'playwright-core'

export const rowsOf = (page: Page) => page.getByRole('list', { name: 'Websites and monitors' }).getByRole('listitem')
export const row = (page: Page, text: string) => rowsOf(page).filter({ hasText: text })
/** Reads the text of the main link of each row, from top to bottom. */
export const readRowNames = (page: Page) => rowsOf(page).locator('[data-row-focus]').allTextContents()
/** Finds a figure above the list. Each figure is a button. */
export const figure = (page: Page, label: string, value: string) =>
  page.getByRole('group', { name: 'Summary' }).getByRole('button', { name: new RegExp(`^${label} ${value}( |$)`) })
export const readFocusedText = (page: Page) => page.evaluate('document.activeElement.textContent')
