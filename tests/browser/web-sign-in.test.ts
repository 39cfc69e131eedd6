/** Invitations, second factors, passkeys and forgotten passwords in a browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { findFreePort } from '../support/free-port.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../support/smtp-receiver.ts'
import { TotpApp } from '../support/totp.ts'

const NEW_EMAIL = 'nora@example.com'
const password = 'correct horse battery'

let server: TestServer
let mail: SmtpReceiver
let browser: TestBrowser
/** The users of the tests share it, one after the other. */
let tab: SharedTab
let ada: TestUser
let teamId: number
/** Browsers have passkeys at this name, but not at an IP address. */
let base: string

beforeAll(async () => {
  mail = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
  const port = await findFreePort()
  base = `http://localhost:${port}`
  server = await startTestServer({
    env: {
      PORT: `${port}`,
      BELFRY_URL: base,
      BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      BELFRY_MAIL_FROM: 'belfry@example.org',
    },
  })
  browser = await openBrowser()
  tab = new SharedTab({ address: base }, browser)
  ada = await server.createUser('ada')
  teamId = (await ada.session.post('/api/teams', { name: 'Shop team' })).body.data.id
  await ada.session.put('/api/session', { team_id: teamId })
})
afterAll(async () => {
  await browser.close()
  await server.close()
  await mail.close()
})

async function enterPassword(page: Page, email: string, enteredPassword = password) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(enteredPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The session cookie belongs to the device, so this is enough to sign in again. */
const forgetSession = (page: Page) => page.context().clearCookies()

const dialog = (page: Page) => page.getByRole('dialog')

/** Waits for an email to the address with a link to the page. */
const receiveLink = (to: string, pageName: string) =>
  vi.waitFor(
    () => {
      const received = mail.received.find((each) => each.to.includes(to))
      const [url] = new RegExp(`\\S+/${pageName}/\\S+`).exec(received?.mail.text ?? '') ?? []
      if (url === undefined) throw new Error('no email with a link')
      return url
    },
    { timeout: 20_000, interval: 10 },
  )

let app: TotpApp
let recoveryCode = ''

describe('a person who is invited', () => {
  it('gets a link from the inviter, chooses a password, and sees the team', async () => {
    const { page: inviterPage } = await tab.open(ada)
    await inviterPage.goto('/team')
    await inviterPage.getByRole('button', { name: 'Invite', exact: true }).click()
    await dialog(inviterPage).getByLabel('Email').fill(NEW_EMAIL)
    await dialog(inviterPage).getByLabel('Role').selectOption('Viewer')
    await expectNoViolations(inviterPage)
    await dialog(inviterPage).getByRole('button', { name: 'Invite', exact: true }).click()
    const link = await dialog(inviterPage).locator('code').innerText()
    await dialog(inviterPage).getByRole('button', { name: 'Done' }).click()
    await inviterPage.getByRole('button', { name: `Revoke the invitation of ${NEW_EMAIL}` }).waitFor()

    const { page, consoleErrors } = await tab.open()
    await page.goto(new URL(link).pathname)
    await page.getByRole('heading', { name: 'Join Shop team' }).waitFor()
    await expectNoViolations(page)
    await page.getByLabel('Choose a password').fill(password)
    await page.getByRole('button', { name: 'Create account and join' }).click()
    await page.getByRole('button', { name: 'Shop team Viewer – switch team' }).waitFor()
    expect(consoleErrors).toEqual([])

    // The link works once.
    await page.goto(new URL(link).pathname)
    await page.getByRole('heading', { name: "This invitation doesn't work any more" }).waitFor()
  })

  it('sets up an authenticator app, and signs in with its code', async () => {
    const { page, consoleErrors } = await tab.open()
    await page.goto('/account/security')
    await enterPassword(page, NEW_EMAIL)
    await page.getByRole('button', { name: 'Set up authenticator app' }).click()
    await dialog(page).getByLabel('Current password').fill(password)
    await dialog(page).getByRole('button', { name: 'Continue' }).click()
    await dialog(page)
      .getByRole('img', { name: /^QR code/ })
      .waitFor()
    await expectNoViolations(page)
    app = new TotpApp((await dialog(page).locator('code').innerText()).replaceAll(' ', ''), server.clock)
    // The last digit sends the form.
    await dialog(page).getByRole('textbox', { name: 'Code' }).fill(app.code())
    await dialog(page).getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
    await expectNoViolations(page)
    recoveryCode = await dialog(page).locator('ol code').first().innerText()
    await dialog(page).getByRole('button', { name: "I've saved them" }).click()
    await page.getByText('10 codes left').waitFor()
    await expectNoViolations(page)

    await forgetSession(page)
    server.clock.advance({ minutes: 1 })
    await page.goto('/account/security')
    await enterPassword(page, NEW_EMAIL)
    await page.locator('input[autocomplete=one-time-code]:focus').waitFor()
    await expectNoViolations(page)
    expect(consoleErrors).toEqual([])
    await page.getByLabel('Code').fill(app.wrongCode())
    await page.getByText('Incorrect code').waitFor()
    await page.getByLabel('Code').fill(app.code())
    await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor()
  })

  it('loses the phone: a recovery code signs in, and the app is turned off', async () => {
    const { page, consoleErrors } = await tab.open()
    await page.goto('/account/security')
    await enterPassword(page, NEW_EMAIL)
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(recoveryCode)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('9 codes left').waitFor()
    await page.getByRole('button', { name: 'Turn off authenticator app' }).click()
    await dialog(page).getByLabel('Current password').fill(password)
    await dialog(page).getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('button', { name: 'Set up authenticator app' }).waitFor()
    expect(consoleErrors).toEqual([])
  })
})

describe('a person with an account who is invited', () => {
  it('gets a sign-in link instead of a second account', async () => {
    const pia = await server.createUser('pia')
    const input = { email: pia.email, role: 'viewer' }
    const { url } = (await ada.session.post(`/api/teams/${teamId}/invitations`, input)).body.data
    const { page } = await tab.open()
    await page.goto(new URL(url).pathname)
    await page.getByLabel('Choose a password').fill('staple battery horse')
    await page.getByRole('button', { name: 'Create account and join' }).click()
    await page.getByRole('link', { name: 'Sign in to join' }).click()
    await enterPassword(page, pia.email)
    await page.getByRole('button', { name: 'Join team' }).click()
    await page.getByRole('button', { name: 'Shop team Viewer – switch team' }).waitFor()
  })
})

describe('an inviter', () => {
  it('replaces a lost link with a new one for the same role', async () => {
    const input = { email: 'olga@example.com', role: 'admin' }
    const { url } = (await ada.session.post(`/api/teams/${teamId}/invitations`, input)).body.data
    const { page, consoleErrors } = await tab.open(ada)
    await page.goto('/team')
    await page.getByRole('button', { name: `Create a new link for ${input.email}` }).click()
    expect(await dialog(page).getByLabel('Role').inputValue()).toBe('admin')
    await expectNoViolations(page)
    await dialog(page).getByRole('button', { name: 'Create link', exact: true }).click()
    const newUrl = await dialog(page).locator('code').innerText()
    const preview = async (link: string) =>
      (await server.anyone.post('/api/invitations/preview', { token: link.split('/').at(-1) })).status
    expect([await preview(url), await preview(newUrl)]).toEqual([404, 200])
    expect(consoleErrors).toEqual([])
  })
})

describe('a passkey', () => {
  it('is added, signs in without a password, and is removed', async () => {
    const { page, consoleErrors } = await tab.open(ada)
    const devtools = await page.context().newCDPSession(page)
    // Removes the authenticator and the script below.
    onTestFinished(() => devtools.detach())
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await page.goto('/account/security')
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await dialog(page).getByLabel('Current password').fill(password)
    await dialog(page).getByLabel('Name').fill('Laptop')
    await dialog(page).getByRole('button', { name: 'Continue' }).click()
    await dialog(page).getByRole('button', { name: "I've saved them" }).click()
    await page.getByRole('button', { name: 'Remove Laptop' }).waitFor()
    await expectNoViolations(page)

    // The browser offers the passkey in the email field. This authenticator accepts at once.
    await forgetSession(page)
    await page.goto('/account/security')
    await page.getByRole('button', { name: 'Remove Laptop' }).waitFor()

    // Browsers that can't offer passkeys in the field have only the button.
    const disableOffers = 'PublicKeyCredential.isConditionalMediationAvailable = async () => false'
    await devtools.send('Page.enable')
    await devtools.send('Page.addScriptToEvaluateOnNewDocument', { source: disableOffers })
    await forgetSession(page)
    await page.goto('/account/security')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('button', { name: 'Remove Laptop' }).click()
    await dialog(page).getByLabel('Current password').fill(password)
    await dialog(page).getByRole('button', { name: 'Remove passkey' }).click()
    await page.getByRole('button', { name: 'Remove Laptop' }).waitFor({ state: 'detached' })
    expect(consoleErrors).toEqual([])
  })
})

describe('a person who forgot their password', () => {
  it('follows the link in an email, chooses a new password, and signs in with it', async () => {
    const eve = await server.createUser('eve')
    const { page, consoleErrors } = await tab.open()
    await page.goto('/')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByLabel('Email').fill(eve.email)
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor()
    const link = await receiveLink(eve.email, 'reset-password')
    await page.goto(link)
    await page.getByLabel('New password').fill('staple battery horse')
    await expectNoViolations(page)
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByRole('heading', { name: 'Password changed' }).waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await enterPassword(page, eve.email, 'staple battery horse')
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    expect(consoleErrors).toEqual([])
  })
})

describe('the link that confirms an email address', () => {
  it('changes the address after a click, and then links to the security settings', async () => {
    const finn = await server.createUser('finn')
    const input = { email: 'finn.new@example.com', current_password: finn.password }
    expect((await finn.session.put('/api/account/email', input)).status).toBe(202)
    const link = await receiveLink(input.email, 'confirm-email')
    const { page, consoleErrors } = await tab.open()
    const confirmButton = page.getByRole('button', { name: 'Confirm email address' })
    await page.goto(link)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await enterPassword(page, finn.email, finn.password)
    await confirmButton.waitFor()
    await expectNoViolations(page)
    // Opening the link changes nothing, because mail servers open it, too.
    expect((await finn.session.get('/api/session')).body.data.user.email).toBe(finn.email)
    await confirmButton.click()
    await page.getByRole('heading', { name: 'Email address confirmed' }).waitFor()
    await page.getByRole('link', { name: 'Go to Belfry' }).click()
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByText(input.email).waitFor()
    expect(consoleErrors).toEqual([])

    await page.goto(link)
    await confirmButton.click()
    await page.getByRole('heading', { name: "The address wasn't confirmed" }).waitFor()
    await page.getByText('This link is not valid any more.').waitFor()
    await page.getByRole('link', { name: 'Security settings' }).click()
    await page.getByText('Confirmed', { exact: true }).waitFor()
  })
})

describe('the audit log', () => {
  it('says who paused a monitor, and is opened from the monitor', async () => {
    const { id } = (
      await ada.session.post('/api/monitors', { friendly_name: 'Shop', url: 'https://shop.example/', type: 'http' })
    ).body.data
    await ada.session.put(`/api/monitors/${id}`, { is_active: false })
    const { page, consoleErrors } = await tab.open(ada)
    await page.goto(`/monitors/${id}`)
    await page.getByRole('link', { name: 'History of changes' }).click()
    await page.getByText('ada@example.com paused the monitor Shop').click()
    await page.getByRole('rowheader', { name: 'Active' }).waitFor()
    expect(await page.getByText('ada@example.com added the monitor Shop').count()).toBe(1)
    expect(await page.getByText('invited').count()).toBe(0)
    await page.getByRole('button', { name: 'Only Shop' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Shop', exact: true }).waitFor()
    await expectNoViolations(page)
    await page.getByLabel('Kind').selectOption('Everything')
    await page.getByText('ada@example.com invited nora@example.com as viewer').waitFor()
    expect(consoleErrors).toEqual([])
  })
})
