/**
 * Pages that the browser prerenders, or restores from its back/forward cache. The headless shell can do neither, and
 * Playwright turns both off, so this file starts Chromium itself. A start takes more than a second of processor time, so
 * one visit serves all tests.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RESOLVE_TO_LOOPBACK } from '../support/browser.ts'
import { findChromium } from '../support/chromium.ts'
import { createHtmlPage, startTrackerFixture, type TrackerFixture } from '../support/tracked-site.ts'

const prerenderRules =
  '<script type="speculationrules">{"prerender": [{"urls": ["/next"], "eagerness": "immediate"}]}</script>'
/** Lets a page wait until the test serves a path. No request is under way afterwards, which would prevent caching the page. */
const waitForPath = `<script>
  const waitForPath = async (path) => {
    while (!(await fetch(path)).ok) await new Promise((resolve) => setTimeout(resolve, 50))
  }
</script>`
/** On a slow machine, the tracker would otherwise send the time on a page. */
const stoppedClock = '<script>Date.now = () => 1</script>'
const nextPageScript = `<script type="module">
  if (document.prerendering) belfry('waiting')
  addEventListener('pageshow', ({ persisted }) => persisted && belfry('restored', { props: { persisted } }))
  document.addEventListener('prerenderingchange', async () => {
    await waitForPath('/leave')
    location.href = '/last'
  })
  navigator.sendBeacon(document.querySelector('[data-api]').dataset.api, JSON.stringify({ n: 'ready' }))
</script>`

const pages: Record<string, string> = {}
let fixture: TrackerFixture
let folder: string
let browser: ChildProcess

beforeAll(async () => {
  fixture = await startTrackerFixture((snippet) =>
    Object.assign(pages, {
      '/before': createHtmlPage(
        prerenderRules + waitForPath,
        `<a href="/next">Next</a><script>waitForPath('/go').then(() => document.links[0].click())</script>`,
      ),
      '/next': createHtmlPage(stoppedClock + waitForPath + snippet() + nextPageScript),
      '/last': createHtmlPage(
        stoppedClock + waitForPath + snippet(),
        `<script>waitForPath('/back').then(() => history.back())</script>`,
      ),
    }),
  )
  folder = await mkdtemp(join(tmpdir(), 'belfry-browser-'))
  browser = startBrowser(`${fixture.home}/before`)
})
afterAll(async () => {
  browser.kill()
  if (browser.exitCode === null && browser.signalCode === null) await once(browser, 'exit')
  await fixture.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
})

function startBrowser(url: string): ChildProcess {
  const executable = findChromium() ?? 'chromium'
  const sandboxFlags = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const headlessFlags = [
    '--headless',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-sync',
  ]
  const args = [...headlessFlags, ...sandboxFlags, RESOLVE_TO_LOOPBACK, `--user-data-dir=${folder}`, url]
  return spawn(executable, args, { stdio: 'ignore' })
}

let prerenderedVisit: Promise<{ eventsBefore: string[]; eventsAfter: string[] }> | undefined
let returningVisit: Promise<void> | undefined

/** Waits until `/next` is prerendered, then lets the visitor open it. */
const openPrerenderedPage = () => {
  prerenderedVisit ??= (async () => {
    const eventsBefore = (await fixture.waitForEvents(1)).map(({ n }) => n)
    pages['/go'] = ''
    const eventsAfter = (await fixture.waitForEvents(3)).slice(1).map(({ n, u, r }) => `${n} ${u} from ${r}`)
    fixture.received.splice(0, 1)
    return { eventsBefore, eventsAfter: eventsAfter.toSorted() }
  })()
  return prerenderedVisit
}

/** Lets the visitor go on to the last page, and back. */
const leaveAndReturn = () => {
  returningVisit ??= (async () => {
    await openPrerenderedPage()
    pages['/leave'] = ''
    await fixture.waitForEvents(3)
    pages['/back'] = ''
    await fixture.waitForEvents(5)
  })()
  return returningVisit
}

describe('the tracker', () => {
  it('counts a prerendered page when it is shown, and not as a prefetch', async () => {
    const { eventsBefore, eventsAfter } = await openPrerenderedPage()
    expect(eventsBefore).toEqual(['ready'])
    const { home } = fixture
    expect(eventsAfter).toEqual([
      `pageview ${home}/next from ${home}/before`,
      `waiting ${home}/next from ${home}/before`,
    ])
    // The Sec-Purpose header would make the server drop the event as a prefetch.
    expect(fixture.received.filter(({ headers }) => headers['sec-purpose'] !== undefined)).toEqual([])
  })

  it('counts a page restored from the back/forward cache', async () => {
    await leaveAndReturn()
    await fixture.expectEvents([
      'pageview /next from /before',
      'waiting /next from /before',
      'pageview /last from /next',
      'pageview /next from /next',
      'restored /next from /next {"persisted":true}',
    ])
  })
})
