/** An admin sets up single sign-on, and people sign in through a real OpenID Connect provider, in a browser. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { CLIENT_ID, CLIENT_SECRET, type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'
import type { TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { reserveServerUrl, type SingleSignOnServer, startSingleSignOnServer } from '../support/single-sign-on.ts'

let provider: OidcProvider
let server: SingleSignOnServer
let browser: TestBrowser
let tab: SharedTab
let ada: TestUser

beforeAll(async () => {
  const reserved = await reserveServerUrl()
  provider = await startOidcProvider(reserved.url)
  server = await startSingleSignOnServer(reserved, {})
  browser = await openBrowser()
  tab = new SharedTab(server, browser)
  ada = await server.createUser('ada', { isAdmin: true })
})
afterAll(async () => {
  await browser.close()
  await Promise.all([server.close(), provider.close()])
})

describe('single sign-on', () => {
  it('is set up and tested by an admin, creates an account, and signs out of the provider, too', async () => {
    provider.account = { sub: 'nora', email: 'nora@example.com', email_verified: true }
    const { page, consoleErrors } = await tab.open(ada)
    await page.goto('/account/server')
    await page.getByRole('link', { name: 'Set up', exact: true }).click()
    await page.getByText(`${server.url}/sign-in/single-sign-on/callback`).waitFor()
    await page.getByLabel('Issuer').fill(provider.issuer)
    await page.getByLabel('Client ID').fill(CLIENT_ID)
    await page.getByLabel('Client secret', { exact: true }).fill(CLIENT_SECRET)
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText(`The provider responds as ${provider.issuer}.`).waitFor()
    await expectNoViolations(page)
    await page.getByLabel('Text of the button').fill('Example ID')
    await page.getByLabel('Create accounts').check()
    // The page asks for the password, because the session is not a new one.
    await server.services.db.query(`update sessions set created_at = created_at - interval '1 hour'`)
    await page.getByRole('button', { name: 'Test and save' }).click()
    await page.getByLabel('Current password').fill(ada.password)
    await page.getByRole('button', { name: 'Test and save' }).click()
    await page.getByText('Single sign-on saved.').waitFor()
    expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('422')])

    await page.context().clearCookies()
    await page.goto('/account/security')
    await page.getByRole('link', { name: 'Example ID' }).click()
    await page.getByText('Linked to nora@example.com').waitFor()
    expect(new URL(page.url()).pathname).toBe('/account/security')
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(provider.requests).toContain('/session/end')
    expect(consoleErrors).toEqual([])
  })

  it('is linked and unlinked under Security, with the password', async () => {
    const grace = await server.createUser('grace')
    provider.account = { sub: 'grace', email: 'grace@id.example.com' }
    const { page, consoleErrors } = await tab.open(grace)
    await page.goto('/account/security')
    await page.getByRole('heading', { name: 'Example ID' }).waitFor()
    await expectNoViolations(page)
    await page.getByRole('button', { name: 'Link account' }).click()
    await page.getByLabel('Current password').fill(grace.password)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Linked to grace@id.example.com').waitFor()
    await page.getByRole('button', { name: 'Unlink' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Current password').fill(grace.password)
    await dialog.getByRole('button', { name: 'Unlink' }).click()
    await page.getByText('Not linked.').waitFor()
    expect(consoleErrors).toEqual([])
  })
})
