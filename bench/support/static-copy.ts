/**
 * A copy of a page with a long list, without scripts. Frames that the browser drops there are due to the machine and the look of the rows,
 * and not to what our script does while the page scrolls.
 */
import type { BrowserContext } from 'playwright-core'
import { openTab } from './page-loads.ts'

/** The wheel scrolls by 6,000 pixels, and the window shows 800. */
const MIN_LIST_HEIGHT_PX = 8_000

/** The page renders only the rows in and near the window. The copy repeats them, one block below the other. */
const copyScript = `(() => {
  const list = document.querySelector('.virtual-list')
  const rows = [...list.children]
  const { top } = list.getBoundingClientRect()
  const blockHeight = rows.at(-1).getBoundingClientRect().bottom - top
  for (let offset = blockHeight; offset < ${MIN_LIST_HEIGHT_PX}; offset += blockHeight) {
    for (const row of rows) {
      const copy = row.cloneNode(true)
      copy.style.top = parseFloat(row.style.top) + offset + 'px'
      list.append(copy)
    }
  }
  for (const script of document.querySelectorAll('script')) script.remove()
  return '<!doctype html>' + document.documentElement.outerHTML
})()`

/** From now on, this context gets the copy at `url`. */
export async function serveStaticCopy(context: BrowserContext, url: string): Promise<void> {
  const page = await openTab(context)
  await page.goto(url)
  await page.evaluate('complete')
  const body = (await page.evaluate(copyScript)) as string
  await page.close()
  await context.route(url, (route) => route.fulfill({ contentType: 'text/html', body }))
}
