/** Reads and uses the editor of a status page in a browser. */
import type { Locator, Page } from 'playwright-core'
import { expect, vi } from 'vitest'

const longTimeout = { timeout: 20_000 }

/** Returns the groups with their monitors, such as "Shop: Cart, Search | Blog: ". */
const readOrder = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('[data-group-key]')]
      .map((group) => {
        const [name, ...labels] = [...group.querySelectorAll('.inline-input input')].map(
          (input) => (input as HTMLInputElement).value,
        )
        return `${name}: ${labels.join(', ')}`
      })
      .join(' | '),
  )
export const expectOrder = (page: Page, expected: string) =>
  vi.waitFor(async () => expect(await readOrder(page)).toBe(expected), longTimeout)

export const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('No unsaved changes').waitFor()
}

/** A function that runs in the browser. It returns the names of elements and the texts in the main part of a page. */
const describeMain = `(main) => {
  const walk = (node) => node.nodeType === 3 ? node.data.trim() : [node.localName, [...node.childNodes].map(walk).filter((part) => part !== '')]
  return JSON.stringify(walk(main))
}`
export const readPreview = (page: Page) =>
  page.evaluate(`(${describeMain})(document.querySelector('.preview-shown').contentDocument.querySelector('main'))`)
/**
 * Reads the page as the server sent it, because the script of the page writes the times in the language of the visitor.
 * The editor doesn't allow the styles of the public page, so the console has an error afterwards.
 */
export const readPublicPage = (page: Page, slug: string) =>
  page.evaluate(`new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.open('GET', '/status/${slug}')
    request.responseType = 'document'
    request.onload = () => resolve((${describeMain})(request.response.querySelector('main')))
    request.send()
  })`)

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  // Finding an element by its role takes longer than pressing a key, so this finds it once.
  const element = await target.elementHandle()
  for (let presses = 0; presses < 40; presses++) {
    const distance = await element?.evaluate(countStopsBetween, key === 'Tab')
    if (distance === -1) return
    // Reading the focus takes as long as pressing a key, so this reads it again only where the element must be near.
    for (let skipped = 0; skipped < (distance ?? 0); skipped++, presses++) await page.keyboard.press(key)
    await page.keyboard.press(key)
  }
  throw new Error(`${key} doesn't lead to ${target}`)
}

/**
 * Runs in the browser. Returns how many elements between the focus and the target certainly get the focus on the way, or -1 if the
 * target has the focus.
 */
function countStopsBetween(target: Element, isForward: boolean): number {
  const focused = document.activeElement
  if (target === focused || focused === null) return target === focused ? -1 : 0
  const stops = [...document.querySelectorAll('a[href], button, input:not([type=radio]), select')].filter(
    (stop) =>
      (stop as HTMLElement).tabIndex === 0 &&
      stop.matches(':enabled, a') &&
      stop.checkVisibility({ visibilityProperty: true }),
  )
  const [from, to] = [stops.indexOf(focused), stops.indexOf(target)]
  return from < 0 || to < 0 ? 0 : Math.max(0, (isForward ? to - from : from - to) - 1)
}

export const moveHandle = (page: Page, name: string) => page.getByRole('button', { name: `Move ${name}`, exact: true })
