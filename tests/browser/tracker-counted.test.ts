/** From a visit in a browser to the statistics, with nothing in between but the line on the page. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openBrowser, openPage } from '../support/browser.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { html, ownNames, type Site, startSite, watchAnswers } from '../support/site.ts'
import { createSite, overview } from '../support/traffic.ts'

let server: TestServer
let ada: Person
let browser: Browser
let site: Site

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.person('ada')
  browser = await openBrowser({ args: [ownNames] })
  const line = (domain: string) => `<script defer src="${server.address}/b.js" data-domain="${domain}"></script>`
  site = await startSite({
    '/': html(line('example.com'), '<a href="/prices?plan=pro">Prices</a>'),
    '/prices': html(line('example.com')),
    '/hash': html(line('hash.example.org').replace('data-', 'data-hash data-')),
    '/robot': html(line('example.net')),
    '/unknown': html(line('unknown.example')),
  })
})
afterAll(async () => {
  await browser.close()
  await Promise.all([server.close(), site.close()])
})

async function visit(url: string) {
  const context = await browser.newContext({ locale: 'de-AT', screen: { width: 1920, height: 1080 } })
  const { page, complaints } = await openPage(context, '')
  const answers = watchAnswers(page)
  await page.goto(url)
  const answered = (...expected: string[]) =>
    vi.waitFor(() => expect(answers.filter((one) => !one.includes('engagement'))).toEqual(expected), {
      timeout: 15_000,
    })
  return { page, complaints, answered }
}

describe('a visit in a browser', () => {
  it('is in the statistics', async () => {
    // A browser under test is a robot.
    const id = await createSite(ada, 'example.com', { exclude_bots: 0, exclude_params: 'plan' })
    const { page, complaints, answered } = await visit(`${site.at('www.example.com')}/?utm_source=news`)
    await answered('202 pageview')
    server.clock.advance({ seconds: 30 })
    await page.getByRole('link').click()
    await answered('202 pageview', '202 pageview')
    await page.evaluate("belfry('signup', { props: { plan: 'pro' } })")
    await answered('202 pageview', '202 pageview', '202 signup')
    const { totals, panels } = await overview(ada.session, id)
    expect(totals).toEqual({ visitors: 1, visits: 1, pageviews: 2, events: 1, bounce_rate: 0, visit_duration: 30 })
    expect(panels).toMatchObject({
      page: expect.arrayContaining([{ value: '/prices', count: 1 }]),
      landing_page: [{ value: '/?utm_source=news', count: 1 }],
      exit_page: [{ value: '/prices', count: 1 }],
      source: [{ value: 'news', count: 1 }],
      language: [{ value: 'de', count: 1 }],
      resolution: [{ value: '1920x1080', count: 1 }],
      event: [{ value: 'signup', count: 1 }],
    })
    expect(complaints).toEqual([])
  })

  it('counts what follows the # where the page says so', async () => {
    const id = await createSite(ada, 'hash.example.org', { exclude_bots: 0 })
    const { page, answered } = await visit(`${site.at('hash.example.org')}/hash`)
    await page.evaluate("location.hash = '/users'")
    await answered('202 pageview', '202 pageview')
    const { panels } = await overview(ada.session, id)
    expect(panels.page.map(({ value }: { value: string }) => value).toSorted()).toEqual(['/hash', '/hash#/users'])
  })

  it('is told when it does not count', async () => {
    await createSite(ada, 'example.net')
    const robot = await visit(`${site.at('example.net')}/robot`)
    await robot.answered('202 pageview bot')
    const unknown = await visit(`${site.at('example.net')}/unknown`)
    await unknown.answered('202 pageview unknown_site')
    expect([...robot.complaints, ...unknown.complaints]).toEqual([])
  })
})
