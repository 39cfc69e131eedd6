/** Sessions, passwords, API keys and users in a browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { openForTest } from '../support/open-in-app.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'

let server: TestServer
let browser: TestBrowser
let tab: SharedTab
let ada: TestUser
/** Not an admin. */
let eva: TestUser

beforeAll(async () => {
  server = await startTestServer()
  browser = await openBrowser()
  tab = new SharedTab(server, browser)
  ada = await server.createUser('ada', { isAdmin: true })
  eva = await server.createUser('eva')
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const open = (person = ada) => tab.open(person)

async function signIn(page: Page, email: string, password: string) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describe('the server settings', () => {
  it('lead an admin from the account page to what is missing, and use a saved public URL immediately', async () => {
    const { page, consoleErrors } = await open()
    await page.goto('/account')
    await page.getByText('The public URL is not set.').waitFor()
    await page.getByRole('link', { name: 'Server settings' }).click()
    await page.getByText('BELFRY_URL=https://stats.example.com').waitFor({ state: 'attached' })
    await page.getByLabel('URL', { exact: true }).fill('ftp://stats.example.com')
    await page.getByRole('button', { name: 'Test and save public URL' }).click()
    await page.getByText(/Must be an http or https URL/).waitFor()
    await expectNoViolations(page)
    // The page itself is at this URL, so the server needn't connect to it.
    await page.getByLabel('URL', { exact: true }).fill(server.address)
    await page.getByRole('button', { name: 'Test and save public URL' }).click()
    await page.getByText('Public URL saved.').waitFor()
    await page.getByText(`The public URL ${server.address} only works on this computer.`).waitFor()
    await page.getByRole('button', { name: 'Remove public URL' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove public URL' }).click()
    await page.getByText('The public URL is not set.').waitFor()
    expect(consoleErrors).toEqual([expect.stringContaining('422')])
  })

  it('are hidden from other users', async () => {
    const { page } = await open(eva)
    await page.goto('/account/server')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  })
})

describe('a visitor without a session', () => {
  it('sees the sign-in form instead of the page, then the page, and is signed out of all tabs together', async () => {
    const { page, consoleErrors, externalRequests } = await tab.open()
    await page.goto('/keys')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await expectNoViolations(page)
    await signIn(page, ada.email, 'not the password')
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('Email').inputValue()).toBe(ada.email)
    await page.getByRole('button', { name: 'Show password' }).click()
    expect(await page.getByLabel('Password').getAttribute('type')).toBe('text')
    expect(await page.getByLabel('Password').inputValue()).toBe('not the password')
    await page.getByRole('button', { name: 'Hide password' }).click()
    expect(await page.getByLabel('Password').getAttribute('type')).toBe('password')
    consoleErrors.splice(0) // The browser logs the 401 response.
    await signIn(page, ada.email, ada.password)
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/keys')

    const otherTab = await page.context().newPage()
    onTestFinished(() => otherTab.close())
    await otherTab.goto(`${server.address}/account`)
    await otherTab.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
    await page.getByRole('button', { name: /Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
    await otherTab.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })
})

describe('a user with an open page', () => {
  it('signs in again after the session has ended, and keeps unsaved input', async () => {
    const bob = await server.createUser('bob')
    const { page } = await open(bob)
    // This page requests nothing from the API, so no request of its own can come after the session has ended.
    await page.goto('/websites/new')
    await page.getByLabel('Domain').fill('shop.example.com')
    await page.getByLabel('Keep statistics private').uncheck()
    await bob.session.delete('/api/session')
    await page.getByRole('button', { name: 'Add website' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await expectNoViolations(page)
    // The backdrop is opaque, so that passers-by don't see the page.
    const backdrop = `getComputedStyle(document.querySelector('dialog[open]'), '::backdrop').backgroundColor`
    expect(await page.evaluate(backdrop)).toMatch(/^rgb\(/)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await dialog.getByLabel('Password').fill('not the password')
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Password').fill(bob.password)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Domain').inputValue()).toBe('shop.example.com')
    expect(await page.getByLabel('Keep statistics private').isChecked()).toBe(false)
    await page.getByRole('button', { name: 'Add website' }).click()
    await page.getByRole('heading', { name: 'shop.example.com added' }).waitFor()
  })

  it('continues after they have signed in in another tab', async () => {
    const lou = await server.createUser('lou')
    const { page } = await open(lou)
    await page.goto('/websites/new')
    await page.getByLabel('Domain').fill('blog.example.com')
    await lou.session.delete('/api/session')
    await page.getByRole('button', { name: 'Add website' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password').waitFor()
    const credentials = { email: lou.email, password: lou.password }
    await page.context().request.post('/api/session', { data: credentials })
    await page.evaluate("window.dispatchEvent(new Event('focus'))")
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Domain').inputValue()).toBe('blog.example.com')
  })
})

describe('the account page', () => {
  it('changes a setting, with undo', async () => {
    const { page } = await open(eva)
    await openForTest(page, '/account')
    const combineAlerts = page.getByRole('switch', { name: 'Combine alerts during an outage' })
    await combineAlerts.uncheck()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Settings saved.').waitFor()
    expect((await eva.session.get('/api/account')).body.data.group_alerts).toBe(false)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('switch', { checked: true }).waitFor()
  })

  it('changes the password, and shows a notice while the server is unreachable', async () => {
    const { page } = await open(eva)
    await openForTest(page, '/account')
    await page.getByLabel('Current password').fill('not the password')
    await page.getByLabel('New password').fill('staple battery horse')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText(/wrong|not right|incorrect/i).waitFor()
    await expectNoViolations(page)

    await page.getByLabel('Current password').fill(eva.password)
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Change password' }).click()
    const notice = page.getByText('Connection lost. Data may be out of date; retrying…')
    await notice.waitFor()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed.').waitFor()
    await notice.waitFor({ state: 'detached' })
    const response = await server.anyone.post('/api/session', { email: eva.email, password: 'staple battery horse' })
    expect(response.status).toBe(200)
  })
})

describe('a user who is not an admin', () => {
  it('cannot see users', async () => {
    const { page } = await open(eva)
    await openForTest(page, '/users')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0)
  })
})

describe('an admin', () => {
  it('creates API keys, which are shown once and work until they are revoked', async () => {
    const { page, consoleErrors } = await open()
    await openForTest(page, '/keys')
    await page.getByText('No API keys yet').waitFor()
    await page.getByRole('button', { name: 'Create API key' }).click()
    await page.getByLabel('Name').fill('deploy script')
    await page.getByLabel('View monitors, checks and incidents').check()
    await expectNoViolations(page)
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = await page.getByRole('dialog').locator('code', { hasText: /^bf_/ }).innerText()
    const client = server.anyone.as({ key })
    expect((await client.get('/api/monitors')).status).toBe(200)
    expect((await client.get('/api/providers')).status).toBe(403)
    // Escape must not close the dialog, because the key is shown only once.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: "I've copied it" }).click()

    await page.getByRole('rowheader', { name: 'deploy script' }).waitFor()
    expect(await page.getByText(key).count()).toBe(0)
    await expectNoViolations(page)
    await page.getByRole('button', { name: 'Revoke deploy script' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('No API keys yet').waitFor()
    // The clicked button disappeared with its row, so the focus goes to the heading.
    await page.locator('h1:focus').waitFor()
    expect((await client.get('/api/monitors')).status).toBe(401)
    expect(consoleErrors).toEqual([])
  })

  it('adds and deletes users', async () => {
    const { page, consoleErrors } = await open()
    await openForTest(page, '/keys')
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByRole('button', { name: 'Add user' }).click()
    await page.getByLabel('Email').fill('carl@example.com')
    await page.getByLabel('Initial password').fill('correct horse battery')
    await page.getByRole('dialog').getByRole('button', { name: 'Add user' }).click()
    await page.getByRole('rowheader', { name: 'carl@example.com' }).waitFor()
    await expectNoViolations(page)
    await page.getByRole('button', { name: 'Delete carl@example.com' }).click()
    const confirmButton = page.getByRole('button', { name: 'Delete user' })
    expect(await confirmButton.isDisabled()).toBe(true)
    await page.getByLabel('Type carl@example.com to confirm').fill('carl@example.com')
    await confirmButton.click()
    await page.getByRole('rowheader', { name: 'carl@example.com' }).waitFor({ state: 'detached' })
    expect(consoleErrors).toEqual([])
  })
})

describe('a full disk', () => {
  const message = 'The disk of the data folder is full, so nothing new can be stored. Free some space on it.'

  beforeAll(async () => {
    const { db, diskSpace } = server.services
    const fillDisk = `do $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`
    await expect(db.query(fillDisk)).rejects.toThrow("The database's disk is full.")
    await diskSpace.check()
  })

  it('is reported to admins on every page', async () => {
    const { page } = await open()
    await page.goto('/keys')
    // A screen reader announces changes of a region with this role.
    const region = page.getByRole('status', { name: 'Server problems' })
    await region.getByText(message).waitFor()
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    await expectNoViolations(page)
  })

  it('is not reported to other users', async () => {
    const { page } = await open(eva)
    await page.goto('/keys')
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    expect(await page.getByText(message).count()).toBe(0)
    expect(await page.getByRole('status', { name: 'Server problems' }).count()).toBe(0)
  })
})
