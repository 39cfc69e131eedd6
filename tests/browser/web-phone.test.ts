/** Every page on phones, with names, addresses and values as long as they can be. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { getSample, sampleKinds } from '../support/channels.ts'
import { findFreePort } from '../support/free-port.ts'
import { createMonitor, setFirstStatus } from '../support/monitors.ts'
import { openInApp } from '../support/open-in-app.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { openSignedIn } from '../support/signed-in.ts'
import { insertStatusSubscriber } from '../support/status-pages.ts'
import { createSite, sendEvent, sendView } from '../support/traffic.ts'

vi.setConfig({ testTimeout: 120_000 })

const domain = `${'long-'.repeat(11)}name.${'subdomain.'.repeat(3)}example.com`
const longName = 'Warenwirtschaftsschnittstellenverfügbarkeitsprüfung of the warehouse in the north, second floor'

let server: TestServer
let browser: TestBrowser
let ada: TestUser
let monitorId: number
let incidentId: number
let heartbeatId: number

beforeAll(async () => {
  // Custom domains need BELFRY_URL, which the server compares with the origin of the browser's requests.
  const port = await findFreePort()
  server = await startTestServer({ env: { PORT: String(port), BELFRY_URL: `http://127.0.0.1:${port}` } })
  browser = await openBrowser()
  ada = await server.createUser('ada', { isAdmin: true })
  await createSite(ada, domain, { privacy: 0 })
  await sendView(server, domain, `/${'a-long-path/'.repeat(12)}?q=${'x'.repeat(100)}`, {
    fields: { r: `https://${domain}/` },
  })
  await sendEvent(server, { n: 'Signed-up-for-the-newsletter-of-the-year', u: `https://${domain}/`, d: domain })
  ;({ id: monitorId } = await createMonitor(ada.session, {
    friendly_name: longName.slice(0, 100),
    url: `https://${domain}/${'status/'.repeat(20)}`,
    tags: [longName.slice(0, 50), 'production', 'europe', 'w'.repeat(50)],
  }))
  await setFirstStatus(server, monitorId, 'down')
  incidentId = (await ada.session.get(`/api/monitors/${monitorId}/incidents`)).body.data[0].id
  const heartbeat = { cron: '0,5,10,15,20 1-23 1,2,3 1,2,3 *', time_zone: 'America/Argentina/ComodRivadavia' }
  const job = { friendly_name: longName.slice(0, 100), url: undefined, type: 'heartbeat', heartbeat }
  ;({ id: heartbeatId } = await createMonitor(ada.session, job))
  for (const kind of sampleKinds) await ada.session.post('/api/providers', { ...getSample(kind), name: longName })
  await ada.session.post(`/api/monitors/${monitorId}/notifications`, { provider_id: 1 })
  const maintenance = { title: longName, note: longName.repeat(3), all_monitors: true, tags: ['w'.repeat(50)] }
  await ada.session.post('/api/maintenances', { ...maintenance, duration_seconds: 3_600 })
  const recurrence = { cron: '0 2 * * 1,3,5', time_zone: 'America/Argentina/ComodRivadavia', duration_seconds: 3_600 }
  await ada.session.post('/api/maintenances', { ...maintenance, recurrence })
  const statusPage = { slug: 'w'.repeat(50), title: longName, description: longName.repeat(3) }
  const label = longName.slice(0, 100)
  const groups = [{ name: label, monitors: [monitorId, heartbeatId].map((monitor_id) => ({ monitor_id, label })) }]
  await ada.session.post('/api/status-pages', { ...statusPage, custom_domain: `status.${domain}`, groups })
  const post = { title: longName.repeat(2), body: `${longName} https://${domain}/${'x'.repeat(100)}` }
  await ada.session.post('/api/status-pages/1/posts', { ...post, monitor_ids: [monitorId] })
  await ada.session.post('/api/status-post-templates', { ...post, name: longName })
  const email = `${'grace-'.repeat(9)}@${domain}`
  await insertStatusSubscriber(server.services.db, ada.id, 1, { email, monitorIds: [monitorId] })
  await ada.session.post('/api/keys', { name: longName, scopes: ['monitors:read', 'providers:write', 'websites:read'] })
  await ada.session.post('/api/users', {
    email: `${'ada-'.repeat(14)}@${'mail-'.repeat(8)}x.example.com`,
    password: 'a long password',
  })
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

/**
 * Lists elements that reach beyond the window, except inside containers that scroll or clip their content on purpose,
 * such as charts.
 */
const findOverflow = `(() => {
  const width = document.documentElement.clientWidth
  const isContained = (element) => {
    for (let parent = element.parentElement; parent !== document.body && parent; parent = parent.parentElement)
      if (getComputedStyle(parent).overflowX !== 'visible' && parent.getBoundingClientRect().right <= width + 1) return true
    return false
  }
  const wide = [...document.querySelectorAll('body *')].filter((element) => {
    const { left, right, width: own } = element.getBoundingClientRect()
    return own > 0 && (right > width + 1 || left < -1) && !element.closest('.hidden-text, .skip, svg') && !isContained(element)
  })
  if (document.documentElement.scrollWidth > width) wide.push(document.documentElement)
  return wide.map((element) => element.tagName + '.' + element.getAttribute('class'))
})()`

async function expectToFit(page: Page, partName: string): Promise<void> {
  const currentWidth = page.viewportSize()?.width
  const otherWidth = currentWidth === 320 ? 375 : 320
  for (const width of [currentWidth, otherWidth]) {
    if (width === otherWidth) await page.setViewportSize({ width, height: 720 })
    await expect
      .poll(() => page.evaluate(findOverflow), { message: `${partName} at ${width} px`, timeout: 5_000 })
      .toEqual([])
  }
}

/** Expects that menus, dialogs and the command palette open inside the window. */
async function expectPopupsToFit(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 720 })
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menu').waitFor()
  await expectToFit(page, 'account menu')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Create API key' }).click()
  await expectToFit(page, 'new API key')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('combobox').fill('ware')
  await page.getByRole('option').first().waitFor()
  await expectToFit(page, 'command palette')
  await page.keyboard.press('Escape')
}

/**
 * Focuses each field, and lists those that the buttons of the form or the tab bar cover. Fields of the form must be
 * above its buttons. Fields after the form can also be below them.
 */
const findCoveredFields = `(() => {
  const bar = document.querySelector('.form-bar')
  const tabBar = document.querySelector('.bar nav')
  const isCovered = (field) => {
    const { top, bottom } = field.getBoundingClientRect()
    const buttons = bar.getBoundingClientRect()
    if (bar.closest('form').contains(field)) return bottom > buttons.top
    return (bottom > buttons.top && top < buttons.bottom) || bottom > tabBar.getBoundingClientRect().top
  }
  return [...document.querySelectorAll('.sections :is(input, select, textarea)')]
    .filter((field) => {
      field.focus()
      return document.activeElement === field && isCovered(field)
    })
    .map((field) => field.labels[0].textContent)
})()`

/** Expects that the buttons of a form stay above the tab bar, and that the focused field stays above the buttons. */
async function expectUncoveredFields(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 640 })
  await page.getByRole('switch').first().click()
  const [buttons, tabBar] = await Promise.all(['.form-bar', '.bar nav'].map((name) => page.locator(name).boundingBox()))
  if (!buttons || !tabBar) throw new Error(`${page.url()} has no buttons or no tab bar`)
  expect(buttons.y + buttons.height, `bottom of the buttons of ${page.url()}`).toBeLessThanOrEqual(tabBar.y)
  expect(await page.evaluate(findCoveredFields), `covered fields of ${page.url()}`).toEqual([])
}

// Each page is opened once for all checks, and in one document, because loading takes most of the time.
it('no page scrolls sideways or covers a part of itself on phones of 320 and 375 pixels', async () => {
  const { page } = await openSignedIn(browser, server, ada, { viewport: { width: 320, height: 720 }, hasTouch: true })
  const paths = [
    ...[
      '/',
      '/websites/new',
      '/monitors',
      '/monitors/new',
      `/monitors/${monitorId}?incident=${incidentId}`,
      `/monitors/${monitorId}/edit`,
      '/incidents?period=all',
      `/incidents/${incidentId}`,
      `/monitors/${heartbeatId}`,
      `/monitors/${heartbeatId}/edit`,
    ],
    ...[`/${domain}`, `/${domain}/settings`, `/${domain}?period=12mo&compare=year`],
    ...[
      '/maintenance',
      '/maintenance/new',
      '/maintenance/2',
      '/status-pages',
      '/status-pages/new',
      '/status-pages/1',
      '/status-pages/1/posts',
      `/status-pages/1/posts/new?monitor=${monitorId}`,
      '/status-pages/1/posts/1',
      '/status-pages/1/subscribers',
      '/notification-channels',
      '/notification-channels/new',
      '/notification-channels/1',
      '/keys',
      '/users',
      '/account',
      '/nothing/here',
    ],
  ]
  const furtherChecks = new Map([
    [`/${domain}/settings`, expectUncoveredFields],
    ['/monitors/new', expectUncoveredFields],
    ['/status-pages/new', expectUncoveredFields],
    ['/keys', expectPopupsToFit],
  ])
  // The web application has no page at this path, but the server has.
  await page.goto('/setup')
  await page.locator('h1').waitFor()
  await expectToFit(page, '/setup')
  await page.goto('/websites/new')
  await page.locator('h1').waitFor()
  for (const path of paths) {
    await openInApp(page, path)
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    await expectToFit(page, path)
    await furtherChecks.get(path)?.(page)
    furtherChecks.delete(path)
  }
  expect([...furtherChecks.keys()]).toEqual([])
})
