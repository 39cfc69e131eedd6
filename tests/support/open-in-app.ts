/** Opens pages of the web application without loading the document again, as a click on a link does. */
import type { Page } from 'playwright-core'

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
 * Unlike `showPage`, it closes the messages of an earlier test, and opens the page that the tab shows anew without loading it.
 * The application doesn't fetch data again that it has fetched in the last seconds, so create what the page shows before the first
 * test of the user. In a document that was checked before, a check of accessibility takes half a second less, too.
 */
export async function openForTest(page: Page, path: string): Promise<void> {
  const currentPath = await page.evaluate(`(() => {
    if (document.querySelector('#boot') === null || document.querySelector('h1') === null) return null
    for (const button of document.querySelectorAll('.toasts [aria-label=Dismiss]')) button.click()
    return location.pathname
  })()`)
  if (currentPath === null) {
    await page.goto(path)
    return
  }
  // Leaving the page first makes it start anew.
  if (currentPath === path.split('?', 1)[0]) await openInApp(page, currentPath === '/keys' ? '/account' : '/keys')
  await openInApp(page, path)
}

/**
 * Shows a page of the application as a link would: without loading the application again, which takes a third of a
 * second of processor time. If the tab has no page of the application, or already shows this page, loads it. The
 * application shows data that it has loaded in the last seconds, so load the page instead if a test has changed these data.
 */
export async function showPage(page: Page, path: string): Promise<void> {
  const isShown = await page.evaluate((target) => {
    if (document.querySelector('#app') === null) return false
    if (new URL(target, location.href).pathname === location.pathname) return false
    history.pushState(null, '', target)
    return true
  }, path)
  if (!isShown) await page.goto(path)
}
