import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type OpenedPage, openBrowser, openPage, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let browser: TestBrowser
let openedPage: OpenedPage

beforeAll(async () => {
  server = await startTestServer()
  browser = await openBrowser()
  openedPage = await openPage(browser, server.address)
})
beforeEach(() => {
  openedPage.externalRequests.length = 0
  openedPage.consoleErrors.length = 0
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

describe('the pages of a new server', () => {
  it('let the first user create an account', async () => {
    const { page, externalRequests, consoleErrors } = openedPage
    await page.goto(server.address + server.setupPath)
    await page.getByLabel('Email').fill('ada@example.com')
    const password = page.getByLabel('Password')
    await password.fill('correct horse battery')
    await page.getByRole('button', { name: 'Show password' }).click()
    expect(await password.getAttribute('type')).toBe('text')
    await page.getByRole('button', { name: 'Hide password' }).click()
    expect(await password.getAttribute('type')).toBe('password')
    expect(await page.evaluate("document.fonts.check('16px Inter')")).toBe(true)
    await expectNoViolations(page)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
    const session = await page.goto(`${server.address}/api/session`)
    expect(session?.status()).toBe(200)
    await page.goto(server.address + server.setupPath)
    await page.getByRole('heading', { name: 'Belfry is already set up' }).waitFor()
    expect(externalRequests).toEqual([])
    // A used setup link returns 410, which the browser logs.
    expect(consoleErrors.filter((text) => !text.includes('410'))).toEqual([])
  })
})
