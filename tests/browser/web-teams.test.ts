/** Teams in a browser: switching, roles, invitations, and signing in with second factors and passkeys. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { joinTeam } from '../support/teams.ts'

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
