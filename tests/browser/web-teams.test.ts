/** Teams in a browser: switching, roles, moving things between teams, and required second factors. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { joinTeam } from '../support/teams.ts'
import { setUpTotp, TotpApp } from '../support/totp.ts'

let server: TestServer
let browser: TestBrowser
let tab: SharedTab
let ada: TestUser
/** A viewer of Ada's team. */
let vera: TestUser
let teamId: number

beforeAll(async () => {
  server = await startTestServer()
  browser = await openBrowser()
  tab = new SharedTab(server, browser)
  ada = await server.createUser('ada')
  vera = await server.createUser('vera')
  teamId = (await ada.session.post('/api/teams', { name: 'Shop team' })).body.data.id
  await joinTeam(server, teamId, vera, 'viewer')
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

describe('an owner', () => {
  it('switches to a team, adds a monitor there, and changes the role of a member', async () => {
    const { page, consoleErrors } = await tab.open(ada)
    await page.goto('/')
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    await page.getByRole('button', { name: /^ada@example.com – switch team$/ }).click()
    await expectNoViolations(page)
    await page.getByRole('menuitemradio', { name: /^Shop team/ }).click()
    await page.getByRole('button', { name: /^Shop team – switch team$/ }).waitFor()
    await ada.session.post('/api/monitors', { friendly_name: 'Shop', url: 'https://shop.example/', type: 'http' })

    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Team' }).click()
    await page.getByRole('heading', { name: 'Members' }).waitFor()
    await page.getByLabel('Role of vera@example.com').selectOption('Admin')
    await page.getByText('vera@example.com: admin.').waitFor()
    await expectNoViolations(page)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('vera@example.com: viewer.').waitFor()
    expect(consoleErrors).toEqual([])
  })
})

describe('an owner without a second factor', () => {
  it("can't require one of the team, and sees where to set one up", async () => {
    const { page } = await tab.open(ada)
    await ada.session.put('/api/session', { team_id: teamId })
    await page.goto('/team')
    await page.getByRole('switch', { name: 'Require a second factor' }).click()
    await page.getByRole('alert').getByRole('link', { name: 'Security settings' }).waitFor()
    await page.getByRole('switch', { name: 'Require a second factor', checked: false }).waitFor()
  })
})

describe('an owner of two teams', () => {
  it('moves a monitor from its page to the other team, and goes there', async () => {
    const { page, consoleErrors } = await tab.open(ada)
    await ada.session.put('/api/session', { team_id: teamId })
    const { id } = (await ada.session.post('/api/monitors', { friendly_name: 'Blog', url: 'https://blog.example/' }))
      .body.data
    await page.goto(`/monitors/${id}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Move to another team…' }).click()
    await page.getByRole('dialog').getByLabel('Team').waitFor()
    await expectNoViolations(page)
    await page.getByRole('dialog').getByLabel('Team').selectOption('ada@example.com')
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByText('Blog moved to ada@example.com.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor()
    expect(consoleErrors).toEqual([])
    // Requests of the page that are on their way are refused once the session acts in the other team, and the browser logs that.
    await page.getByRole('button', { name: 'Switch to ada@example.com' }).click()
    await page.getByRole('button', { name: /^ada@example.com – switch team$/ }).waitFor()
    await page.getByRole('link', { name: 'Blog', exact: true }).waitFor()
  })
})

describe('a member of a team that requires a second factor', () => {
  it('sees the team after setting up an authenticator app', async () => {
    const strictId = (await ada.session.post('/api/teams', { name: 'Strict team' })).body.data.id
    await setUpTotp(server, ada)
    const changed = await ada.session.call('PATCH', `/api/teams/${strictId}`, {
      json: { requires_second_factor: true },
    })
    expect(changed.status, changed.text).toBe(200)
    const eddie = await server.createUser('eddie')
    await joinTeam(server, strictId, eddie, 'editor')
    const { page, consoleErrors } = await tab.open(eddie)
    await page.goto('/monitors')
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
    await expectNoViolations(page)
    await page.getByRole('link', { name: 'Open security settings' }).click()
    await page.getByRole('button', { name: 'Set up authenticator app' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Current password').fill(eddie.password)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    const app = new TotpApp((await dialog.locator('code').innerText()).replaceAll(' ', ''), server.clock)
    await dialog.getByRole('textbox', { name: 'Code' }).fill(app.code())
    await dialog.getByRole('button', { name: "I've saved them" }).click()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    expect(consoleErrors).toEqual([])
  })
})

describe('a viewer', () => {
  it('sees everything, but no buttons that change something, and can leave', async () => {
    const { page, consoleErrors } = await tab.open(vera)
    await page.goto('/monitors')
    await page.getByText('Shop team').waitFor()
    await page.getByRole('link', { name: 'Shop', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    const actions = /^(Add|Check now|Pause|Edit|Delete|Maintenance)/
    expect(await page.locator('main').getByRole('button', { name: actions }).count()).toBe(0)
    expect(await page.locator('main').getByRole('link', { name: actions }).count()).toBe(0)
    await page.goto('/monitors/new')
    await page.getByText(/Your role in Shop team is Viewer/).waitFor()
    await expectNoViolations(page)
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: 'Team', exact: true }).waitFor()
    expect(await page.getByRole('option', { name: /^(Add|Pause)/ }).count()).toBe(0)
    await page.getByRole('combobox').fill('team')
    await page.getByRole('option', { name: 'Team', exact: true }).click()
    await page.getByRole('button', { name: 'Leave team' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave team' }).click()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    expect(await page.getByText('Shop team').count()).toBe(0)
    expect(consoleErrors).toEqual([])
  })
})
