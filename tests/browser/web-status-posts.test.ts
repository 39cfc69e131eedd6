/** Posts and subscribers of status pages in a browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts'
import { renderMarkdown } from '../../src/status-pages/render/markdown.ts'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { findFreePort } from '../support/free-port.ts'
import { showPage } from '../support/open-in-app.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'
import {
  insertStatusMonitor,
  insertStatusPage,
  insertStatusPost,
  insertStatusSubscriber,
} from '../support/status-pages.ts'

let server: TestServer
let browser: TestBrowser
let tab: SharedTab
let owner: TestUser
let shopId: number
let blogId: number
let pageId: number

beforeAll(async () => {
  // The server has only the role `web`, so it sends nothing.
  // Visitors can subscribe only if the server has a public URL, which it compares with the origin of the browser's requests.
  const port = await findFreePort()
  server = await startTestServer({
    env: {
      PORT: String(port),
      BELFRY_URL: `http://127.0.0.1:${port}`,
      BELFRY_SMTP_URL: 'smtp://127.0.0.1',
      BELFRY_MAIL_FROM: 'belfry@example.org',
    },
  })
  browser = await openBrowser()
  tab = new SharedTab(server, browser)
  const { db } = server.services
  owner = await server.createUser('owner')
  const now = server.clock.now()
  shopId = await insertStatusMonitor(db, owner.id, {
    name: 'Shop',
    status: 'down',
    incidents: [
      { from: new Date(now.getTime() - 3 * HOUR_MS), to: new Date(now.getTime() - 2 * HOUR_MS) },
      { from: new Date(now.getTime() - HOUR_MS) },
    ],
  })
  const blogIncident = { from: new Date(now.getTime() - 30 * MINUTE_MS), to: new Date(now.getTime() - 10 * MINUTE_MS) }
  blogId = await insertStatusMonitor(db, owner.id, { name: 'Blog', incidents: [blogIncident] })
  const monitors = [
    { monitorId: shopId, label: 'Web shop' },
    { monitorId: blogId, label: 'Blog' },
  ]
  pageId = await insertStatusPage(db, owner.id, { groups: [{ name: 'Services', monitors }] })
  await insertStatusSubscriber(db, owner.id, pageId, { email: 'grace@example.com' })
  await insertStatusSubscriber(db, owner.id, pageId, { email: 'blog@example.com', monitorIds: [blogId] })
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const readPost = async (id: string) => (await owner.session.get(`/api/status-pages/${pageId}/posts/${id}`)).body.data
const postIdOf = (page: Page) => /\/posts\/(\d+)$/.exec(page.url())?.[1] ?? ''
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const text = (page: Page) => page.getByLabel('Text', { exact: true })

async function choose(page: Page, item: string): Promise<void> {
  await button(page, 'Templates').click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe('a post', () => {
  it('whose outage has ended is resolved from the page of the incident', async () => {
    const { db } = server.services
    const now = server.clock.now().getTime()
    const minutesAgo = (minutes: number) => new Date(now - minutes * MINUTE_MS)
    const postId = await insertStatusPost(db, owner.id, pageId, { monitorIds: [blogId], now: minutesAgo(20) })
    const [incident] = await db.query<{ id: number }>('select id from incidents where monitor_id = $1', [blogId])
    const { page } = await tab.open(owner)
    await page.goto(`/incidents/${incident?.id}`)
    await page.getByText('but this post is still open').waitFor()
    await page.getByRole('link', { name: /^Resolve post about the incident of/ }).click()
    await page.waitForURL(`/status-pages/${pageId}/posts/${postId}?state=resolved`)
    expect(await text(page).inputValue()).toContain('Blog can be used as usual')
    expect(await page.getByRole('link', { name: 'View page' }).getAttribute('href')).toMatch(/\/status\/example$/)
    await button(page, 'Resolve post').click()
    await page.getByText(/Resolved after/).waitFor()
    expect(await readPost(String(postId))).toMatchObject({ state: 'resolved', update_count: 2 })
    await page.goBack()
    await page.getByRole('link', { name: /^View status post about the incident of/ }).waitFor()
    await db.query('delete from status_posts')
  })

  it('begins with an incident, gets an update, and is resolved', async () => {
    const { page, consoleErrors, externalRequests } = await tab.open(owner)
    await page.goto(`/monitors/${shopId}`)
    const links = page.getByRole('link', { name: /^Write status post about the incident of/ })
    await links.nth(1).waitFor()
    expect(await links.nth(1).getAttribute('href')).toBe(`/status-pages/posts/new?monitor=${shopId}&state=resolved`)
    await links.first().click()
    await page.waitForURL(`/status-pages/${pageId}/posts/new?monitor=${shopId}`)
    expect(await page.getByLabel('Title').inputValue()).toBe('Web shop is unavailable')
    expect(await page.getByRole('checkbox', { name: 'Web shop' }).isChecked()).toBe(true)
    expect(await page.getByRole('checkbox', { name: 'Blog' }).isChecked()).toBe(false)
    await page.getByText('1 subscriber will get an email.').waitFor()
    await button(page, 'Publish post').click()
    await page.getByText('Must not be empty.').waitFor()
    await expect
      .poll(() => text(page).evaluate((element) => element === document.activeElement), { timeout: 20_000 })
      .toBe(true)
    // The browser reports the rejected request.
    consoleErrors.length = 0

    const markdown = 'We are **looking** into it: https://example.com\n\n* one\n* <b>two</b>'
    await text(page).fill(markdown)
    await button(page, 'Preview').click()
    await page.locator('.post-preview ul').waitFor()
    const preview = await page.locator('.post-preview .markdown').innerHTML()
    expect(preview.replaceAll(' target="_blank"', '')).toBe(renderMarkdown(markdown).replaceAll(/\n(?=<|$)/g, ''))
    await expectNoViolations(page)
    await button(page, 'Publish post').click()
    await page.getByRole('heading', { name: 'Web shop is unavailable' }).waitFor()
    const id = postIdOf(page)
    expect(await readPost(id)).toMatchObject({ state: 'investigating', body: markdown, monitor_ids: [shopId] })

    await button(page, 'Identified').click()
    await text(page).fill('A disk is full.')
    await button(page, 'Publish update').click()
    await page.locator('.post-timeline').getByText('A disk is full.').waitFor()
    expect(await text(page).inputValue()).toBe('')
    await page
      .getByRole('button', { name: /^Edit update of/ })
      .first()
      .click()
    await page.locator('.post-timeline textarea').fill('A disk was full.')
    await button(page, 'Save changes').click()
    await page.locator('.post-timeline').getByText('A disk was full.').waitFor()

    await button(page, 'Resolve').click()
    expect(await text(page).inputValue()).toContain('Web shop can be used as usual')
    await expectNoViolations(page)
    await button(page, 'Resolve post').click()
    await page.getByText(/Resolved after/).waitFor()
    expect(await readPost(id)).toMatchObject({ state: 'resolved', update_count: 3 })
    await page
      .getByRole('button', { name: /^Delete update of/ })
      .first()
      .click()
    await button(page, 'Delete update').click()
    await button(page, 'Resolve').waitFor()
    expect(await readPost(id)).toMatchObject({ state: 'identified', update_count: 2 })

    await page.getByRole('button', { name: 'Delete Web shop is unavailable' }).click()
    await button(page, 'Delete post').click()
    // The application returns to the page where the user came from.
    await page.waitForURL(`/monitors/${shopId}`)
    await showPage(page, `/status-pages/${pageId}/posts`)
    await page.getByText('Tell people what is going on').waitFor()
    expect((await owner.session.get(`/api/status-pages/${pageId}/posts`)).body.meta.total).toBe(0)
    expect(consoleErrors).toEqual([])
    expect(externalRequests).toEqual([])
  })

  it('is written with a template, and published, by keyboard alone', async () => {
    const { page } = await tab.open(owner)
    await showPage(page, `/status-pages/${pageId}/posts/new`)
    const focus = (name: string) =>
      expect
        .poll(
          () =>
            page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent'),
          { timeout: 20_000 },
        )
        .toContain(name)
    await page.getByLabel('Title').focus()
    await page.keyboard.insertText('Payments fail')
    await page.keyboard.press('Shift+Tab')
    await focus('Templates')
    await page.keyboard.press('Enter')
    await focus('Investigating')
    await page.keyboard.press('ArrowDown')
    await focus('Identified')
    await page.keyboard.press('Enter')
    expect(await text(page).inputValue()).toBe('We have found the cause of the problem and are working on a fix.')
    await focus('Templates')
    await page.keyboard.press('Enter')
    await focus('Investigating')
    await page.keyboard.press('End')
    await focus('Save as template…')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('Payments')
    await page.keyboard.press('Enter')
    await page.getByText('Template Payments saved.').waitFor()
    // When the dialog has closed, the focus returns to the button that opened it.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await focus('Templates')

    // Leaving the page asks before it discards the text.
    await page.getByRole('link', { name: 'All posts' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await text(page).focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    expect(await page.getByRole('checkbox', { name: 'Web shop' }).isChecked()).toBe(true)
    await button(page, 'Publish post').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Payments fail' }).waitFor()
    expect(await readPost(postIdOf(page))).toMatchObject({ state: 'identified', monitor_ids: [shopId] })
  })

  it('can use, replace and delete templates', async () => {
    const { page } = await tab.open(owner)
    await owner.session.post('/api/status-post-templates', { name: 'Mail', title: 'Mail is late', body: 'Mail waits.' })
    await page.goto(`/status-pages/${pageId}/posts/new`)
    await text(page).fill('My own words')
    await choose(page, 'Mail')
    expect(await page.getByLabel('Title').inputValue()).toBe('Mail is late')
    await button(page, 'Undo').click()
    expect(await text(page).inputValue()).toBe('My own words')
    await choose(page, 'Delete templates…')
    const dialog = page.getByRole('dialog', { name: 'Templates' })
    await dialog.getByRole('button', { name: 'Delete Mail' }).click()
    await dialog.getByRole('button', { name: 'Restore Mail' }).click()
    await dialog.getByRole('button', { name: 'Delete Mail' }).waitFor()
    await expectNoViolations(page)
    const { data } = (await owner.session.get('/api/status-post-templates')).body
    expect(data.map(({ name }: { name: string }) => name)).toContain('Mail')
  })
})

describe('the subscribers', () => {
  it('are listed, searched and removed', async () => {
    const { page, consoleErrors } = await tab.open(owner)
    await showPage(page, `/status-pages/${pageId}/subscribers`)
    await page.getByRole('row', { name: /grace@example.com/ }).waitFor()
    await button(page, 'Confirmed 2').waitFor()
    await page.getByRole('row', { name: /blog@example.com Confirmed Blog/ }).waitFor()
    await expectNoViolations(page)
    await page.getByRole('searchbox').fill('GRACE')
    await page.getByRole('row', { name: /blog@/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Remove grace@example.com' }).click()
    await button(page, 'Remove subscriber').click()
    await page.getByText('No matching subscribers').waitFor()
    expect((await owner.session.get(`/api/status-pages/${pageId}/subscribers`)).body.meta.total).toBe(1)
    expect(consoleErrors).toEqual([])
  })
})

describe('a new post', () => {
  it('needs a status page', async () => {
    const { page } = await tab.open(await server.createUser('newcomer'))
    await page.goto('/status-pages/posts/new')
    await page.getByText('You have no status page yet').waitFor()
  })

  it('asks for the status page if there are several, also from the command palette', async () => {
    const author = await server.createUser('author')
    for (const title of ['Shop status', 'Blog status']) {
      await insertStatusPage(server.services.db, author.id, { title, slug: title.toLowerCase().replace(' ', '-') })
    }
    const { page } = await tab.open(author)
    await page.goto('/keys')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('write status post')
    await page.getByRole('option', { name: 'Write status post' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Blog status' }).click()
    await page.getByRole('heading', { name: 'Write post' }).waitFor()
    await page.getByRole('heading', { level: 1, name: 'Blog status' }).waitFor()
  })
})
