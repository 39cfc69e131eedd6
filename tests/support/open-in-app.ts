/** Opens pages of the web application without loading the document again, as a click on a link does. */
import type { Page } from 'playwright-core'

/** Pages that show little. */
const SMALL_PAGES = ['/keys', '/account', '/monitors/new']

/**
 * Takes a fraction of the processor time of `page.goto`. Returns when the heading of the other page is shown. If the other path is
 * one of the same page, such as another filter of the same website, the page keeps its heading, and this function fails.
 */
export async function openInApp(page: Page, path: string): Promise<void> {
  await page.evaluate(`{
    document.querySelector('h1').dataset.previous = ''
    history.pushState(null, '', ${JSON.stringify(path)})
  }`)
  await page.locator('h1:not([data-previous])').waitFor()
}

/**
 * Opens a page as at the start of a test: in the same document if the tab shows the web application already, otherwise with `page.goto`.
 * Closes the messages of an earlier test. The application doesn't fetch data again that it has fetched in the last seconds, so create
 * what the page shows before the first test of the user. In a document that was checked before, a check of accessibility takes half a
 * second less, too.
 */
export async function openForTest(page: Page, path: string): Promise<void> {
  const currentPath = await readAppPath(page)
  if (currentPath === null) await page.goto(path)
  else await openAnew(page, currentPath, path)
}

/** Like `openForTest`, but loads the page if the tab already shows it, for a test that has changed what the page shows. */
export async function showPage(page: Page, path: string): Promise<void> {
  const currentPath = await readAppPath(page)
  if (currentPath === null || currentPath === new URL(path, page.url()).pathname) await page.goto(path)
  else await openAnew(page, currentPath, path)
}

/** Returns the path of the page, or null if the tab doesn't show a page of the application with a heading. */
function readAppPath(page: Page): Promise<string | null> {
  return page.evaluate(`(() => {
    if (document.querySelector('#boot') === null || document.querySelector('h1') === null) return null
    for (const button of document.querySelectorAll('.toasts [aria-label=Dismiss]')) button.click()
    return location.pathname
  })()`)
}

/**
 * Opens a third page in between. Otherwise, a test that goes from one website or monitor to another could find the buttons of the
 * previous one, because both pages have the same elements.
 */
async function openAnew(page: Page, currentPath: string, path: string): Promise<void> {
  const target = new URL(path, page.url()).pathname
  const between = SMALL_PAGES.find((smallPage) => smallPage !== currentPath && smallPage !== target)
  await openInApp(page, between ?? '/')
  await openInApp(page, path)
}
