/** Notification channels and their monitors in a browser. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { button, type OpenedPage, openBrowser, overflowsSideways, type TestBrowser } from '../support/browser.ts'
import { channelsPath, createChannel, listAssignedMonitors } from '../support/channels.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { createMonitor, insertMonitors } from '../support/monitors.ts'
import { openForTest } from '../support/open-in-app.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../support/smtp-receiver.ts'

let server: TestServer
let browser: TestBrowser
let tab: SharedTab
let slackReceiver: HttpReceiver
let smtpReceiver: SmtpReceiver
/** Several tests share this user. Their results don't depend on which other channels the user has. */
let bob: TestUser

beforeAll(async () => {
  slackReceiver = await startHttpReceiver()
  smtpReceiver = await startSmtpReceiver()
  server = await startTestServer({
    env: {
      BELFRY_PRIVATE_TARGETS: 'allow',
      BELFRY_SMTP_URL: `smtp://127.0.0.1:${smtpReceiver.port}?ignoreTLS=true`,
      BELFRY_MAIL_FROM: 'belfry@example.com',
    },
  })
  browser = await openBrowser()
  tab = new SharedTab(server, browser)
  bob = await server.createUser('bob')
})
afterAll(async () => {
  await browser.close()
  await server.close()
  await slackReceiver.close()
  await smtpReceiver.close()
})
beforeEach(() => {
  slackReceiver.received.length = 0
  slackReceiver.respondWith(200, 'ok')
})

async function open(person: TestUser, viewport = { width: 1280, height: 900 }): Promise<OpenedPage> {
  const openedPage = await tab.open(person)
  await openedPage.page.setViewportSize(viewport)
  return openedPage
}

describe('a new channel', () => {
  it('is added, tested and assigned to monitors', async () => {
    const ada = await server.createUser('ada')
    for (const friendly_name of ['Shop', 'Blog', 'Docs']) await createMonitor(ada.session, { friendly_name })
    const { page, consoleErrors, externalRequests } = await open(ada)
    await page.goto('/notification-channels')
    await page.getByRole('heading', { name: 'No notification channels yet' }).waitFor()
    await expectNoViolations(page)

    await page.getByRole('link', { name: 'Add channel' }).click()
    await page.getByRole('radio', { name: 'Slack' }).check()
    await page.getByLabel('Webhook URL').fill('not an address')
    await page.getByLabel('Name (optional)', { exact: true }).fill('Ops')
    await button(page, 'Add channel').click()
    await page.getByText(/^Must be an http or https URL/).waitFor()
    expect(await page.getByLabel('Name (optional)', { exact: true }).inputValue()).toBe('Ops')
    consoleErrors.splice(0) // The browser logs the 422 response.

    await page.getByLabel('Webhook URL').fill(`${slackReceiver.address}/services/s3cr3tPath`)
    await button(page, 'Show URL').click()
    await button(page, 'Hide URL').waitFor()
    await button(page, 'Add channel').click()
    await page.getByRole('heading', { level: 1, name: 'Ops' }).waitFor()
    await button(page, 'Send test').click()
    await page.getByText('Slack accepted the message: ok').waitFor()
    expect(slackReceiver.received).toMatchObject([{ path: '/services/s3cr3tPath' }])
    expect(slackReceiver.received[0]?.body).toContain('Test notification')

    const id = Number(page.url().split('/').at(-1))
    await page.getByLabel('Search monitors').fill('o')
    await button(page, 'Select all 3').click()
    await page.getByRole('checkbox', { name: 'Blog' }).uncheck()
    await page.getByText('2 monitors to add').waitFor()
    await expectNoViolations(page)
    await button(page, 'Save assignments').click()
    await page.getByText('Saved: 2 monitors added.').waitFor()
    await button(page, 'Undo').click()
    await page.getByText('Changes undone.').waitFor()
    expect(await listAssignedMonitors(ada, id)).toEqual([])
    await page.getByRole('checkbox', { name: 'Shop' }).check()
    await button(page, 'Save assignments').click()
    await page.getByText('Saved: 1 monitor added.').waitFor()
    expect(await listAssignedMonitors(ada, id)).toEqual(['Shop'])
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('is tested before it is saved, and assigned by tag', async () => {
    const pat = await server.createUser('pat')
    await createMonitor(pat.session, { friendly_name: 'Shop', tags: ['eu'] })
    await createMonitor(pat.session, { friendly_name: 'Blog', tags: ['us'] })
    const { page, consoleErrors } = await open(pat)
    await page.goto('/notification-channels/new')
    await page.getByRole('radio', { name: 'Webhook' }).check()
    await page.getByLabel('URL', { exact: true }).fill('nowhere')
    await page.getByLabel('Signing secret (optional)').fill('s3cr3t-k3x8')
    await button(page, 'Add header').click()
    await page.getByLabel('Name of header 1').fill('X-Api-Key')
    await page.getByLabel('Value of X-Api-Key').fill('key-1234')
    await button(page, 'Send test').click()
    await page.getByText(/^Test not sent\./).waitFor()
    await page.getByText(/^Must be an http or https URL/).waitFor()
    await expectNoViolations(page)
    await page.getByLabel('URL', { exact: true }).fill(`${slackReceiver.address}/hook`)
    slackReceiver.respondWith(403, 'wrong key')
    await button(page, 'Send test').click()
    await page.getByText(/^Test failed\. The webhook responded with 403: wrong key/).waitFor()
    consoleErrors.splice(0) // The browser logs the 422 and 502 responses.

    slackReceiver.respondWith(200, 'ok')
    await button(page, 'Send test').click()
    await page.getByText('The webhook accepted the message: ok').waitFor()
    expect(slackReceiver.received.at(-1)?.headers).toMatchObject({
      'x-api-key': 'key-1234',
      'x-belfry-signature': expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
    })
    expect((await pat.session.get(channelsPath)).body.meta.total).toBe(0)

    // Choosing another type and returning to the first one keeps what was typed.
    await page.getByRole('radio', { name: 'ntfy' }).check()
    expect(await page.getByLabel('Server', { exact: true }).inputValue()).toBe('https://ntfy.sh')
    await page.getByRole('radio', { name: 'Webhook' }).check()
    expect(await page.getByLabel('URL', { exact: true }).inputValue()).toBe(`${slackReceiver.address}/hook`)
    await button(page, 'By tag').click()
    await page.getByRole('combobox', { name: 'Tags' }).fill('eu')
    await page.keyboard.press('Enter')
    await page.getByText('1 monitor will send alerts to this channel.').waitFor()
    await button(page, 'Add channel').click()
    await page.getByText('Channel added and assigned to 1 monitor.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Webhook …hook' }).waitFor()
    const id = Number(page.url().split('/').at(-1))
    expect(await listAssignedMonitors(pat, id)).toEqual(['Shop'])

    // If the address changes, the form asks for the saved secrets again, unless they are removed.
    await page.getByLabel('URL', { exact: true }).fill(`${slackReceiver.address}/other`)
    await page.getByText(/^Enter it again: Belfry sends the saved value only/).waitFor()
    await button(page, 'Save changes').click()
    await page.getByText(/^Must contain the full value of X-Api-Key/).waitFor()
    await page.getByRole('checkbox', { name: 'Remove the saved signing secret' }).check()
    await button(page, 'Remove X-Api-Key').click()
    await button(page, 'Save changes').click()
    await page.getByText('Settings saved.').waitFor()
    expect((await pat.session.get(`${channelsPath}/${id}`)).body.data).toMatchObject({
      url_hint: 'ther',
      secret_hint: null,
      headers: {},
    })
  })

  it('asks before the Back button discards it', async () => {
    const { page } = await open(await server.createUser('kim'))
    await page.goto('/notification-channels')
    await page.getByRole('link', { name: 'Add channel' }).click()
    await page.getByLabel('Email address').fill('ops@example.com')
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await page.evaluate('history.back()')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(new URL(page.url()).pathname).toBe('/notification-channels/new')
    expect(await page.getByLabel('Email address').inputValue()).toBe('ops@example.com')
    await page.evaluate('history.back()')
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'No notification channels yet' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/notification-channels')
  })

  it('sends a test email and shows the response', async () => {
    const { page } = await open(bob, { width: 360, height: 800 })
    await openForTest(page, '/notification-channels/new')
    await page.getByLabel('Email address').fill('ops@example.com')
    await button(page, 'Add channel').click()
    await page.getByRole('heading', { level: 1, name: 'ops@example.com' }).waitFor()
    await button(page, 'Send test').click()
    await page.getByText('The mail server accepted the message: 250 queued as 12345').waitFor()
    expect(smtpReceiver.received.at(-1)).toMatchObject({ to: ['ops@example.com'] })
    expect(await overflowsSideways(page)).toBe(false)
  })

  it('names the missing settings of a type that this server cannot send', async () => {
    const { page } = await open(bob)
    await openForTest(page, '/notification-channels/new')
    await page.getByRole('radio', { name: 'SMS' }).check()
    await page.getByText(/This server can't send text messages yet.*BELFRY_SMS_URL/).waitFor()
    await page.getByLabel('Phone number').fill('+49 (0)151 123-456 78')
    await button(page, 'Add channel').click()
    await page.getByRole('heading', { level: 1, name: '+4915112345678' }).waitFor()
    await button(page, 'Send test').click()
    await page.getByText(/^Test failed\. This server can't send text messages/).waitFor()
  })
})

describe('the channel list', () => {
  it('shows destinations, failures and test results, and deletes after confirmation', async () => {
    const mia = await server.createUser('mia')
    const id = await createChannel(mia, {
      provider_type: 'slack',
      webhook_url: `${slackReceiver.address}/services/s3cr3tPath`,
      name: 'Ops',
    })
    const shop = await createMonitor(mia.session)
    await mia.session.post(`${channelsPath}/${id}/monitors`, { monitor_ids: [shop.id] })
    await server.services.db.query(
      `update providers set failure = 'Slack responded with 404: no_service.', failed_at = $2 where id = $1`,
      [id, server.clock.now()],
    )
    const { page, consoleErrors } = await open(mia, { width: 360, height: 800 })
    await page.goto('/notification-channels')
    await page.getByText('…Path', { exact: true }).waitFor()
    await page.getByText('1 monitor', { exact: true }).waitFor()
    await page.getByText(/Last notification failed .*no_service/).waitFor()
    expect(await overflowsSideways(page)).toBe(false)

    slackReceiver.respondWith(410, 'gone')
    await button(page, 'Test Ops').click()
    await page.getByText(/^Test failed\. Slack responded with 410: gone/).waitFor()
    await expectNoViolations(page)
    consoleErrors.splice(0) // The browser logs the 502 response.

    slackReceiver.respondWith(200, 'ok')
    await button(page, 'Test Ops').click()
    await page.getByText('Slack accepted the message: ok').waitFor()
    await page.getByText(/Last notification failed/).waitFor({ state: 'detached' })

    await button(page, 'Delete Ops').click()
    const dialog = page.getByRole('dialog', { name: 'Delete Ops?' })
    await dialog.getByText(/1 monitor will no longer send alerts to this channel/).waitFor()
    await dialog.getByRole('button', { name: 'Delete channel' }).click()
    await page.getByRole('heading', { name: 'No notification channels yet' }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement?.tagName'), { timeout: 20_000 }).toBe('H1')
    expect((await mia.session.get(channelsPath)).body.meta.total).toBe(0)
    expect(consoleErrors).toEqual([])
  })
})

it("the channel page hides other users' channels", async () => {
  const { page } = await open(bob)
  const id = await createChannel(await server.createUser('ned'), {
    provider_type: 'email',
    recipient_email: 'n@example.com',
  })
  for (const inaccessibleId of [id, 99_999]) {
    await openForTest(page, `/notification-channels/${inaccessibleId}`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  }
})

describe('an edited channel', () => {
  it('keeps its secret unless a new secret is typed', async () => {
    const webhook_url = `${slackReceiver.address}/services/s3cr3tPath`
    const id = await createChannel(bob, { provider_type: 'slack', webhook_url, channel: '#ops' })
    const { page } = await open(bob)
    await openForTest(page, `/notification-channels/${id}`)
    const webhookField = page.getByLabel('Webhook URL')
    expect(await webhookField.getAttribute('placeholder')).toBe('Saved: ••••Path')
    await page.getByLabel('Slack channel (optional)').fill('')
    await page.getByLabel('Name (optional)', { exact: true }).fill('Night shift')
    await button(page, 'Save changes').click()
    await page.getByRole('heading', { level: 1, name: 'Night shift' }).waitFor()
    expect((await bob.session.get(`${channelsPath}/${id}`)).body.data).toMatchObject({
      name: 'Night shift',
      channel: null,
    })
    await button(page, 'Send test').click()
    await page.getByText('Slack accepted the message: ok').waitFor()
    expect(slackReceiver.received.at(-1)?.path).toBe('/services/s3cr3tPath')

    await webhookField.fill(`${slackReceiver.address}/services/anotherOne`)
    await page.getByText(/^Tests your changes before you save them/).waitFor()
    await button(page, 'Send test').click()
    await page.getByText('Slack accepted the message: ok').waitFor()
    expect(slackReceiver.received.at(-1)?.path).toBe('/services/anotherOne')
    expect((await bob.session.get(`${channelsPath}/${id}`)).body.data.webhook_url_hint).toBe('Path')
    await button(page, 'Save changes').click()
    await expect.poll(() => webhookField.getAttribute('placeholder'), { timeout: 20_000 }).toBe('Saved: ••••rOne')
    expect(await webhookField.inputValue()).toBe('')
  })

  it('is assigned to monitors from a long list that renders only visible rows', async () => {
    const zoe = await server.createUser('zoe')
    const id = await createChannel(zoe, { provider_type: 'email', recipient_email: 'ops@example.com' })
    await insertMonitors(server, zoe.id, 1_200)
    const { page } = await open(zoe)
    await page.goto(`/notification-channels/${id}`)
    await button(page, 'Select all 1,200').click()
    expect(await page.getByRole('list', { name: 'Monitors' }).getByRole('listitem').count()).toBeLessThan(100)
    await button(page, 'Save assignments').click()
    await page.getByText('Saved: 1,200 monitors added.').waitFor()
    const { body } = await zoe.session.get(`${channelsPath}/${id}/monitors`)
    expect(body.meta.total).toBe(1_200)
  })
})
