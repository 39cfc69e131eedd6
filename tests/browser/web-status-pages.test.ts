/** Status pages are listed, created, ordered and previewed in a browser. */
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { offerFewTimeZones } from '../support/few-time-zones.ts'
import { findFreePort } from '../support/free-port.ts'
import { createMonitor, setFirstStatus } from '../support/monitors.ts'
import { openInApp, showPage } from '../support/open-in-app.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { expectOrder, moveHandle, readPreview, readPublicPage, save, tabTo } from './status-page-editor.ts'

const longTimeout = { timeout: 20_000 }

let server: TestServer
let browser: TestBrowser
let tab: SharedTab
/** The owner of the pages that the tests edit. All are created first, because the application keeps lists for some seconds. */
let editor: TestUser
let editedMonitorIds: number[]
let draggedPageId: number
let paintedPageId: number

beforeAll(async () => {
  // Custom domains need BELFRY_URL, which the server compares with the origin of the browser's requests.
  const port = await findFreePort()
  server = await startTestServer({ env: { PORT: String(port), BELFRY_URL: `http://127.0.0.1:${port}` } })
  browser = await openBrowser()
  tab = new SharedTab(server, browser, { timezoneId: 'Europe/Berlin', viewport: { width: 1280, height: 900 } })
  await offerFewTimeZones((await tab.open()).page)
  editor = await server.createUser('editor')
  editedMonitorIds = await createMonitors(editor, ['Alpha', 'Beta', 'Gamma', 'Shop'])
  const [alpha, beta, gamma, shop] = editedMonitorIds.map((monitor_id) => ({ monitor_id }))
  const draggedGroups = [
    { name: 'One', monitors: [alpha, beta] },
    { name: 'Two', monitors: [gamma] },
  ]
  draggedPageId = (await createPage(editor, { slug: 'dragged', groups: draggedGroups })).id
  await createPage(editor, { slug: 'taken', title: 'Taken' })
  const paintedGroups = [{ name: 'All', monitors: [shop] }]
  paintedPageId = (await createPage(editor, { slug: 'painted', title: 'Painted', groups: paintedGroups })).id
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

async function createMonitors(owner: TestUser, names: readonly string[]): Promise<number[]> {
  const ids: number[] = []
  for (const friendly_name of names) {
    const { id } = await createMonitor(owner.session, { friendly_name, tags: friendly_name === 'Blog' ? [] : ['shop'] })
    await setFirstStatus(server, id, 'up')
    ids.push(id)
  }
  return ids
}

const createPage = async ({ session }: TestUser, fields: object) =>
  (await session.post('/api/status-pages', { title: 'Example', time_zone: 'UTC', ...fields })).body.data

it('a status page is created by keyboard alone, with groups and monitors in any order, and its preview matches the public page', async () => {
  const owner = await server.createUser('writer')
  const [searchId, cartId, blogId] = await createMonitors(owner, ['Search', 'Cart', 'Blog'])
  const { page, consoleErrors, externalRequests } = await tab.open(owner)
  await page.goto('/status-pages')
  await page.getByRole('heading', { name: 'Show your users that everything works' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  await page.keyboard.type('add st')
  await page.getByRole('option', { name: 'Add status page' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Add status page' }).waitFor()

  await tabTo(page, page.getByLabel('Title'))
  await page.keyboard.insertText('Café status')
  expect(await page.getByLabel('Address').inputValue()).toBe('cafe-status')
  await tabTo(page, page.getByLabel('Group name'))
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Shop')
  await tabTo(page, page.getByRole('combobox', { name: 'Add monitors to Shop' }))
  await page.keyboard.type('shop')
  await page.getByRole('option', { name: 'All 2 monitors tagged shop' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('blo')
  await page.getByRole('option', { name: 'Blog' }).waitFor()
  await page.keyboard.press('Enter')
  await expectOrder(page, 'Shop: Cart, Search, Blog')
  await tabTo(page, page.getByRole('button', { name: 'Add group' }))
  await page.keyboard.press('Enter')
  await page.locator(':focus').and(page.getByLabel('Group name').nth(1)).waitFor()
  await page.keyboard.type('News')
  await expectOrder(page, 'Shop: Cart, Search, Blog | News: ')

  // The arrow keys move a lifted monitor into the next group. Escape puts it back.
  const status = page.locator('[role=status][aria-live=assertive]')
  await tabTo(page, moveHandle(page, 'Blog'), 'Shift+Tab')
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowDown')
  await expectOrder(page, 'Shop: Cart, Search | News: Blog')
  await expect.poll(() => status.textContent(), longTimeout).toBe('Blog, 1 of 1 in News.')
  await page.keyboard.press('Escape')
  await expectOrder(page, 'Shop: Cart, Search, Blog | News: ')
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect.poll(() => status.textContent(), longTimeout).toBe('Dropped. Blog, 1 of 1 in News.')
  await tabTo(page, moveHandle(page, 'Search'), 'Shift+Tab')
  for (const key of ['Space', 'ArrowUp', 'Space']) await page.keyboard.press(key)
  await tabTo(page, moveHandle(page, 'group News'))
  for (const key of ['Space', 'ArrowUp', 'Space']) await page.keyboard.press(key)
  await expectOrder(page, 'News: Blog | Shop: Search, Cart')
  // Groups can also be moved with the menu, which suits screen readers better.
  await tabTo(page, page.getByRole('button', { name: 'Actions for group News' }))
  await page.keyboard.press('Enter')
  await page.locator('[role=menuitem]:focus').filter({ hasText: 'Move up' }).waitFor()
  for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key)
  await expectOrder(page, 'Shop: Search, Cart | News: Blog')
  await tabTo(page, page.getByLabel('Label of Search'), 'Shift+Tab')
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('Find things')
  await expectNoViolations(page)
  await tabTo(page, page.getByRole('button', { name: 'Create status page' }))
  await page.keyboard.press('Enter')

  await page.getByText('Status page created.').waitFor()
  await page.getByRole('heading', { name: 'Café status' }).waitFor()
  const [newPage] = (await owner.session.get('/api/status-pages')).body.data
  expect(newPage).toMatchObject({
    slug: 'cafe-status',
    time_zone: 'Europe/Berlin',
    groups: [
      {
        name: 'Shop',
        monitors: [
          { monitor_id: searchId, label: 'Find things' },
          { monitor_id: cartId, label: 'Cart' },
        ],
      },
      { name: 'News', monitors: [{ monitor_id: blogId, label: 'Blog' }] },
    ],
  })
  await page.locator('.preview-shown').waitFor()
  expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  const publicMain = await readPublicPage(page, 'cafe-status')
  expect(publicMain).toContain('Find things')
  expect(await readPreview(page)).toBe(publicMain)
})

it('a status page is ordered by dragging, keeps unsaved changes, and has the same order in public', async () => {
  const [a, b, c] = editedMonitorIds
  const { page, consoleErrors } = await tab.open(editor)
  await showPage(page, '/status-pages')
  const row = page.getByRole('listitem').filter({ hasText: '/status/dragged' })
  await row.getByText('All systems operational').waitFor()
  await row.getByText('0 subscribers').waitFor()
  await row.getByText('3 monitors').waitFor()
  await row.getByRole('link', { name: /\/status\/dragged/ }).waitFor()
  await expectNoViolations(page)
  await row.getByRole('link', { name: 'Example', exact: true }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('exam')
  await page
    .getByRole('group', { name: 'Status pages' })
    .getByRole('option', { name: /^Example/ })
    .click()
  await expectOrder(page, 'One: Alpha, Beta | Two: Gamma')

  const drag = async (name: string, toElement: Locator, edge: 'top' | 'bottom') => {
    const [from, to] = [await moveHandle(page, name).boundingBox(), await toElement.boundingBox()]
    if (from === null || to === null) throw new Error(`${name} can't be dragged`)
    const x = from.x + from.width / 2
    await page.mouse.move(x, from.y + from.height / 2)
    await page.mouse.down()
    await page.mouse.move(x, from.y + from.height / 2 + 10)
    await page.mouse.move(x, edge === 'top' ? to.y : to.y + to.height - 2, { steps: 4 })
    await page.locator('.group-list-line').waitFor()
    await page.mouse.up()
  }
  const rowOf = (monitorId: number | undefined) => page.locator(`[data-monitor-id="${monitorId}"]`)
  await drag('Alpha', rowOf(c), 'bottom')
  await expectOrder(page, 'One: Beta | Two: Gamma, Alpha')
  await drag('Gamma', rowOf(b), 'top')
  await expectOrder(page, 'One: Gamma, Beta | Two: Alpha')
  await drag('group Two', page.getByRole('region', { name: 'Group One' }), 'top')
  await expectOrder(page, 'Two: Alpha | One: Gamma, Beta')

  // "Undo" restores a removed group, and the page asks before it discards changes.
  await page.getByRole('button', { name: 'Actions for group Two' }).click()
  await page.getByRole('menuitem', { name: 'Remove group' }).click()
  await expectOrder(page, 'One: Gamma, Beta')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'Monitors' }).click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
  await expectOrder(page, 'Two: Alpha | One: Gamma, Beta')
  await vi.waitFor(async () => expect(await readPreview(page)).toMatch(/Two.*Alpha.*One.*Gamma.*Beta/), longTimeout)
  const preview = await readPreview(page)
  await save(page)
  expect(consoleErrors).toEqual([])
  expect(await readPublicPage(page, 'dragged')).toBe(preview)
  expect((await editor.session.get(`/api/status-pages/${draggedPageId}`)).body.data.groups).toEqual([
    { name: 'Two', monitors: [{ monitor_id: a, label: 'Alpha' }] },
    {
      name: 'One',
      monitors: [
        { monitor_id: c, label: 'Gamma' },
        { monitor_id: b, label: 'Beta' },
      ],
    },
  ])
  // The Back button leaves the editor, however many previews there were.
  await page.goBack()
  await page.getByRole('heading', { name: 'Status pages' }).waitFor()
  await openInApp(page, `/monitors/${c}`)
  await page.getByText('as “Gamma”').waitFor()
})

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

it('the editor of a status page shows errors at their fields, and saves a color, a logo and a password', async () => {
  const monitorId = editedMonitorIds[3]
  const pagePath = `/api/status-pages/${paintedPageId}`
  const read = async () => (await editor.session.get(pagePath)).body.data
  const { page } = await tab.open(editor)
  await showPage(page, '/status-pages')
  await page.getByRole('link', { name: 'Painted', exact: true }).click()
  const color = page.getByLabel('Accent color', { exact: true })
  await page.getByRole('radio', { name: 'Teal' }).check()
  expect(await color.inputValue()).toBe('#0f766e')
  await color.fill('#ffcc00')
  await page.getByText('Light theme: links in #806600 (5.1:1), because your color is too light').waitFor()
  await page.getByText('Dark theme: links in your color (12.1:1)').waitFor()
  await page.getByLabel('Address').fill('-no')
  await page.getByText('Must not begin or end with a hyphen.').waitFor()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await vi.waitFor(
    async () => expect(await page.getByLabel('Address').evaluate((e) => e === document.activeElement)).toBe(true),
    longTimeout,
  )
  expect(await read()).toMatchObject({ slug: 'painted', accent_color: null })
  // The page shows errors from the server at their fields, too.
  await color.fill('#0a7d4f')
  await page.getByText('Light theme: links in your color (4.8:1)').waitFor()
  await page.getByLabel('Address').fill('taken')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page
    .locator('.field', { has: page.getByLabel('Address') })
    .locator('.field-error')
    .waitFor()
  await page.getByLabel('Address').fill('painted')

  const files = page.getByLabel('Choose a logo')
  await files.setInputFiles({ name: 'logo.gif', mimeType: 'image/gif', buffer: pixel })
  await page.getByText('Choose a PNG or SVG file.').waitFor()
  await files.setInputFiles({ name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('not a picture') })
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('group', { name: 'Logo' }).getByRole('alert').waitFor()
  await page.getByLabel('Replace the logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: pixel })
  await page.getByRole('radio', { name: 'Password-protected' }).check()
  await page.getByLabel('Password', { exact: true }).fill('open sesame')
  await page.getByLabel('Domain').fill('status.example.com')
  await page.getByText('status.example.com. A 127.0.0.1').waitFor()
  await page.getByText('Save the page to see the DNS record to add.').waitFor()
  await save(page)
  await page.getByText('Not verified').waitFor()
  await page.getByText('_belfry.status.example.com', { exact: true }).waitFor()
  await page.getByText(/^belfry-status-page=[\w-]{43}$/).waitFor()
  await expectNoViolations(page)
  expect(await read()).toMatchObject({
    slug: 'painted',
    accent_color: '#0a7d4f',
    has_logo: true,
    privacy: 2,
    has_password: true,
    custom_domain: 'status.example.com',
  })
  await page.getByRole('button', { name: 'Check domain' }).waitFor()
  await page.getByRole('img', { name: 'The current logo' }).waitFor()
  await vi.waitFor(
    async () => expect(await page.evaluate(`document.querySelector('.logo-field img').naturalWidth`)).toBe(1),
    longTimeout,
  )
  await page.getByRole('button', { name: 'Remove the logo' }).click()
  await page.getByLabel('Domain').fill('')
  await save(page)
  expect(await read()).toMatchObject({ has_logo: false, custom_domain: null })

  await page.getByLabel('Badge of').selectOption('Shop')
  await page.getByLabel('Shows').selectOption('Uptime, 90 days')
  await page.getByRole('button', { name: 'HTML' }).click()
  await page
    .getByText(`<img src="${server.address}/status/painted/${monitorId}/badge.svg?type=uptime&amp;period=90d"`)
    .waitFor()
  await vi.waitFor(
    async () =>
      expect(await page.evaluate(`document.querySelector('.badge-picture img').naturalWidth`)).toBeGreaterThan(40),
    longTimeout,
  )
  await page.getByRole('button', { name: 'Delete page' }).click()
  await page.getByLabel('Type painted to confirm').fill('painted')
  await page.getByRole('button', { name: 'Delete status page' }).click()
  await page.getByText('Painted deleted.').waitFor()
  expect((await editor.session.get(pagePath)).status).toBe(404)
})
