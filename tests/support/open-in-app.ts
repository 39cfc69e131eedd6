/** Opens pages of the web application without loading the document again, as a click on a link does. */
import type { Page } from 'playwright-core'

/**
 * Takes a fraction of the processor time of `page.goto`. Returns when the heading of the other page is shown. Fails if
 * `path` belongs to the page that is already shown, such as another filter of the same website, because then the
 * heading stays.
 */
export async function openInApp(page: Page, path: string): Promise<void> {
  await page.evaluate(`{
    document.querySelector('h1').dataset.previous = ''
    history.pushState(null, '', ${JSON.stringify(path)})
  }`)
  await page.locator('h1:not([data-previous])').waitFor()
}

/**
 * Opens a page as at the start of a test. If the tab already shows the web application, opens the page in the same
 * document, otherwise with `page.goto`. Unlike `showPage`, this closes the messages of an earlier test. If the tab
 * already shows the page, this leaves it and returns to it instead of loading it again. The application doesn't fetch
 * data again that it has fetched in the last seconds, so create what the page shows before the first test of the user.
 * A check of accessibility takes half a second less in a document that was checked before.
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
  // The page would keep its state if the tab didn't leave it first.
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
