import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { createMonitor, setFirstStatus } from '../support/monitors.ts'
import { openForTest } from '../support/open-in-app.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { createSite } from '../support/traffic.ts'

let server: TestServer
let browser: TestBrowser
let tab: SharedTab
let ada: TestUser
let frontPageId: number
let checkoutId: number

beforeAll(async () => {
  server = await startTestServer({ env: { BELFRY_ROLES: 'web' } })
  browser = await openBrowser()
  tab = new SharedTab(server, browser, { hasTouch: true })
  ada = await server.createUser('ada')
  await createSite(ada, 'example.com')
  await createSite(ada, 'quiet.example.org')
  const addMonitor = async (friendly_name: string, url: string) => {
    const { id } = await createMonitor(ada.session, { friendly_name, url })
    await setFirstStatus(server, id, 'up')
    return id
  }
  frontPageId = await addMonitor('Front page', 'https://www.example.com/')
  checkoutId = await addMonitor('Checkout', 'https://example.com/checkout')
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const paletteOf = (page: Page) => page.getByRole('dialog', { name: 'Command palette' })
const fieldOf = (page: Page) => paletteOf(page).getByRole('combobox')
const optionsOf = (page: Page) => paletteOf(page).getByRole('option')
const activeOption = (page: Page) => paletteOf(page).getByRole('option', { selected: true })
const readGroups = (page: Page) =>
  paletteOf(page)
    .getByRole('group')
    .evaluateAll((groups) => groups.map((group) => group.getAttribute('aria-label')))

async function openPaletteByKey(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await fieldOf(page).waitFor()
}

describe('the command palette', { timeout: 60_000 }, () => {
  it('finds a monitor, and lists it first the next time', async () => {
    const { page, consoleErrors, externalRequests } = await tab.open(ada)
    const scripts: string[] = []
    page.on('request', (request) => scripts.push(new URL(request.url()).pathname))
    await page.goto('/')
    await page.getByRole('link', { name: 'Checkout', exact: true }).waitFor()
    expect(scripts.filter((path) => path.includes('/palette'))).toEqual([])

    await openPaletteByKey(page)
    expect(scripts.some((path) => path.includes('/palette'))).toBe(true)
    expect(await readGroups(page)).toEqual(['Actions', 'Pages'])
    await expectNoViolations(page)
    await fieldOf(page).fill('exam che')
    expect(await optionsOf(page).allTextContents()).toEqual(['Checkoutexample.com/checkout'])
    expect(await activeOption(page).locator('mark').allTextContents()).toEqual(['Che'])
    const activeId = await activeOption(page).getAttribute('id')
    expect(await fieldOf(page).getAttribute('aria-activedescendant')).toBe(activeId)

    await page.keyboard.press('Enter')
    await page.waitForURL(`**/monitors/${checkoutId}`)
    await page.getByRole('heading', { level: 1, name: 'Checkout' }).waitFor()
    await vi.waitFor(async () => expect(await page.evaluate('document.activeElement.tagName')).toBe('H1'), {
      timeout: 20_000,
    })

    await openPaletteByKey(page)
    expect((await readGroups(page)).slice(0, 2)).toEqual(['Recent', 'On this page'])
    expect(await activeOption(page).textContent()).toContain('Checkout')
    // Both names contain an o inside a word. The recently used one comes first.
    await fieldOf(page).fill('o')
    expect(await activeOption(page).textContent()).toContain('Checkout')
    await page.keyboard.press('Control+k')
    await paletteOf(page).waitFor({ state: 'detached' })
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('asks before it discards unsaved changes', async () => {
    const { page, consoleErrors, externalRequests } = await tab.open(ada)
    await openForTest(page, `/monitors/${checkoutId}`)
    await openPaletteByKey(page)
    await fieldOf(page).fill('add monitor')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/monitors/new')
    await page.getByLabel('Name').fill('Half a monitor')
    const scrollY = await page.evaluate('scrollY')
    await openPaletteByKey(page)
    expect(await page.evaluate('scrollY')).toBe(scrollY)
    await fieldOf(page).fill('quiet')
    await page.keyboard.press('Enter')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.getByLabel('Name').inputValue()).toBe('Half a monitor')
    await openPaletteByKey(page)
    await fieldOf(page).fill('quiet')
    await page.keyboard.press('Enter')
    await question.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL('**/quiet.example.org')
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('lets users move between results with the keys', async () => {
    const { page } = await tab.open(ada)
    await openForTest(page, '/')
    // The palette lists recently used monitors as soon as they are loaded.
    await page.getByRole('link', { name: 'Checkout', exact: true }).waitFor()
    await openPaletteByKey(page)
    onTestFinished(() => page.keyboard.press('Escape'))
    const names = await optionsOf(page).allTextContents()
    await page.keyboard.press('ArrowUp')
    expect(await activeOption(page).textContent()).toBe(names.at(-1))
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await activeOption(page).textContent()).toBe(names[1])
  })

  it('makes suggestions if nothing is found', async () => {
    const { page } = await tab.open(ada)
    await openForTest(page, '/keys')
    await openPaletteByKey(page)
    await fieldOf(page).fill('no such thing')
    await paletteOf(page).locator('.palette-empty').getByText('No results for “no such thing”').waitFor()
    expect(await optionsOf(page).allTextContents()).toEqual(['Add website', 'Add monitor'])
    // Enter runs no suggestion that the user hasn't moved to.
    await page.keyboard.press('Enter')
    expect(await activeOption(page).count()).toBe(0)
    await page.keyboard.press('ArrowDown')
    expect(await activeOption(page).textContent()).toBe('Add website')
    await page.keyboard.press('Escape')
    await paletteOf(page).waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${server.address}/keys`)
  })

  it('runs commands that can be undone', async () => {
    const { page } = await tab.open(ada)
    const readActive = async (id: number) => (await ada.session.get(`/api/monitors/${id}`)).body.data.is_active
    await openForTest(page, '/keys')
    await openPaletteByKey(page)
    await fieldOf(page).fill('pause fro')
    await activeOption(page).getByText('Pause Front page').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Front page paused.').waitFor()
    expect(await readActive(frontPageId)).toBe(false)

    await openPaletteByKey(page)
    await fieldOf(page).fill('resume')
    await page.keyboard.press('Enter')
    // Only paused monitors can be resumed.
    await vi.waitFor(
      async () => expect(await optionsOf(page).allTextContents()).toEqual([expect.stringContaining('Front page')]),
      { timeout: 20_000 },
    )
    await page.keyboard.press('Backspace')
    expect(await readGroups(page)).toContain('Pages')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Front page resumed.').waitFor()
    expect(await readActive(frontPageId)).toBe(true)

    await openPaletteByKey(page)
    await fieldOf(page).fill('dark')
    await page.keyboard.press('Enter')
    await page.locator('html[data-theme=dark]').waitFor()
  })

  it('covers a phone, and a tap opens a result', async () => {
    const { page } = await tab.open(ada)
    await page.setViewportSize({ width: 320, height: 640 })
    onTestFinished(() => page.setViewportSize({ width: 1280, height: 720 }))
    await openForTest(page, '/')
    await openPaletteByKey(page)
    const box = await paletteOf(page).boundingBox()
    expect(box).toEqual({ x: 0, y: 0, width: 320, height: 640 })
    await fieldOf(page).fill('quiet')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    await paletteOf(page).getByRole('button', { name: 'Close' }).tap()
    await paletteOf(page).waitFor({ state: 'detached' })
    await openPaletteByKey(page)
    await fieldOf(page).fill('quiet')
    await optionsOf(page).first().tap()
    await page.waitForURL('**/quiet.example.org')
  })
})
