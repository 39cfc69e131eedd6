/** Somebody subscribes to a status page in a browser, changes what they get, and leaves. */
import type { Page, Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { button, openBrowser, openPage, overflowsSideways, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { findFreePort } from '../support/free-port.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { type SubscriberFixture, useSubscriberFixture } from '../support/subscribers.ts'

// The server compares the origin of the browser's requests with BELFRY_URL, so it needs its port before it starts.
const startFixture = useSubscriberFixture(async () => {
  const port = await findFreePort()
  return { PORT: String(port), BELFRY_URL: `http://127.0.0.1:${port}` }
})
let fixture: SubscriberFixture
let pageId: number
let shopId: number
let ordersId: number
let browser: TestBrowser
beforeAll(async () => {
  fixture = await startFixture()
  ;({ pageId, shopId, ordersId } = await fixture.createPage())
  browser = await openBrowser()
})
afterAll(() => browser.close())

/** Returns the emails that are sent now. */
async function receiveMails() {
  fixture.mail.received.length = 0
  await fixture.node.send()
  return [...fixture.mail.received]
}

async function publishPost(title: string, monitorId: number): Promise<void> {
  const post = { title, state: 'investigating', body: 'We are looking into it.', monitor_ids: [monitorId] }
  const { status, text } = await fixture.owner.session.post(`/api/status-pages/${pageId}/posts`, post)
  expect(status, text).toBe(201)
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

const findFocusedText = (page: Page) =>
  page.evaluate('(document.activeElement.labels?.[0] ?? document.activeElement).textContent')

async function pressTabUntil(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 10; presses++) {
    await page.keyboard.press('Tab')
    if ((await findFocusedText(page)) === text) return
  }
  throw new Error(`Tab does not lead to "${text}" but to "${await findFocusedText(page)}"`)
}

/** Submits a form. If the next page doesn't have the expected title, fails with the server's response. */
async function submit(page: Page, buttonName: string, nextTitle: string): Promise<void> {
  const isFormResponse = (response: Response) => response.request().method() === 'POST'
  const [response] = await Promise.all([page.waitForResponse(isFormResponse), button(page, buttonName).click()])
  expect(response.status(), `${buttonName}: ${response.url()}`).toBe(200)
  await heading(page, nextTitle).waitFor()
}

/** Expects a page with this title that is accessible and fits a phone. */
async function expectGoodPage(page: Page, title: string): Promise<void> {
  await heading(page, title).waitFor()
  await expectNoViolations(page)
  expect(await overflowsSideways(page)).toBe(false)
}

describe('a subscription', () => {
  it('begins, changes and ends by keyboard', async () => {
    const tab = new SharedTab(fixture.server, browser, { viewport: { width: 320, height: 700 } })
    const { page, consoleErrors, externalRequests } = await tab.open()
    await page.goto('/status/example')
    await pressTabUntil(page, 'Subscribe to updates')
    await page.keyboard.press('Enter')
    expect(await findFocusedText(page)).toBe('Email address')
    await page.keyboard.type('grace@example.com')
    await pressTabUntil(page, 'Get emails about some services only')
    await page.keyboard.press('Enter')
    await pressTabUntil(page, 'Shop')
    await page.keyboard.press('Space')
    await expectNoViolations(page)
    await page.keyboard.press('Enter')
    await expectGoodPage(page, 'Check your inbox')

    const [confirmation] = await receiveMails()
    expect(confirmation?.to).toEqual(['grace@example.com'])
    await page.goto(fixture.findLink(confirmation, 'confirm'))
    await expectGoodPage(page, 'Confirm your subscription')
    await pressTabUntil(page, 'Confirm subscription')
    await page.keyboard.press('Enter')
    await expectGoodPage(page, 'You are subscribed')

    await publishPost('Slow orders', ordersId)
    await publishPost('Slow shop', shopId)
    const mails = await receiveMails()
    expect(mails.map(({ mail }) => mail.subject)).toEqual(['[Investigating] Example status: Slow shop'])

    await page.goto(fixture.findLink(mails[0], 'manage'))
    await expectGoodPage(page, 'Your subscription')
    expect(await page.getByLabel('Shop').isChecked()).toBe(true)
    await pressTabUntil(page, 'Shop')
    await page.keyboard.press('Space')
    await pressTabUntil(page, 'Orders')
    await page.keyboard.press('Space')
    await pressTabUntil(page, 'Save')
    await page.keyboard.press('Enter')
    await page.getByRole('status').waitFor()
    await expectGoodPage(page, 'Your subscription')
    expect([await page.getByLabel('Shop').isChecked(), await page.getByLabel('Orders').isChecked()]).toEqual([
      false,
      true,
    ])
    await publishPost('Shop is down', shopId)
    await publishPost('Orders are down', ordersId)
    const laterMails = await receiveMails()
    expect(laterMails.map(({ mail }) => mail.subject)).toEqual(['[Investigating] Example status: Orders are down'])

    await page.goto(fixture.findLink(laterMails[0], 'unsubscribe'))
    await expectGoodPage(page, 'Unsubscribe')
    await pressTabUntil(page, 'Unsubscribe')
    await page.keyboard.press('Enter')
    await expectGoodPage(page, 'You are unsubscribed')
    expect(await fixture.readSubscribers()).toEqual([])
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })

    // The links of somebody who left reveal nothing, and offer no way to subscribe somebody else.
    await page.goto(fixture.findLink(laterMails[0], 'manage'))
    await expectGoodPage(page, 'You are not subscribed')
  })

  it('needs no JavaScript', async () => {
    const { address } = fixture.server
    const context = await browser.newContext({ baseURL: address, javaScriptEnabled: false })
    const { page } = await openPage(context, address)
    await page.goto('/status/example')
    await button(page, 'Subscribe to updates').click()
    await page.getByLabel('Email address').fill('ada@example.com')
    await page.locator('summary', { hasText: 'Get emails about some services only' }).click()
    await page.getByRole('checkbox', { name: 'Orders' }).check()
    await submit(page, 'Subscribe', 'Check your inbox')
    const [confirmation] = await receiveMails()
    await page.goto(fixture.findLink(confirmation, 'confirm'))
    await submit(page, 'Confirm subscription', 'You are subscribed')
    await page.getByRole('link', { name: 'Manage your subscription' }).click()
    await page.getByRole('checkbox', { name: 'Orders' }).uncheck()
    await submit(page, 'Save', 'Your subscription')
    await page.getByRole('status').waitFor()
    expect(await fixture.readSubscribers()).toMatchObject([{ state: 'confirmed', all_monitors: true }])
    await submit(page, 'Unsubscribe', 'You are unsubscribed')
    expect(await fixture.readSubscribers()).toEqual([])
  })
})
