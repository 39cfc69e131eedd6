/** Prerendered pages. Playwright disables prerendering, so this test starts Chromium itself. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RESOLVE_TO_LOOPBACK } from '../support/browser.ts'
import { findChromium } from '../support/chromium.ts'
import { createHtmlPage, startTrackerFixture } from '../support/tracked-site.ts'

const prerenderRules =
  '<script type="speculationrules">{"prerender": [{"urls": ["/next"], "eagerness": "immediate"}]}</script>'
/** The page clicks its link as soon as the test serves `/go`. */
const delayedClickHtml = `<a href="/next">Next</a><script>
  const poll = setInterval(async () => {
    if (!(await fetch('/go')).ok) return
    clearInterval(poll)
    document.links[0].click()
  }, 50)
</script>`

function startBrowser(folder: string, url: string) {
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

it('the tracker counts a prerendered page when it is shown, and not as a prefetch', async () => {
  const pages: Record<string, string> = {}
  const fixture = await startTrackerFixture((snippet) => {
    const readyScript = `<script type="module">
      if (document.prerendering) belfry('waiting')
      navigator.sendBeacon(document.querySelector('script').dataset.api, JSON.stringify({ n: 'ready' }))
    </script>`
    return Object.assign(pages, {
      '/before': createHtmlPage(prerenderRules, delayedClickHtml),
      '/next': createHtmlPage(snippet() + readyScript),
    })
  })
  const folder = await mkdtemp(join(tmpdir(), 'belfry-browser-'))
  const browser = startBrowser(folder, `${fixture.home}/before`)
  try {
    expect((await fixture.waitForEvents(1)).map(({ n }) => n)).toEqual(['ready'])
    pages['/go'] = ''
    await fixture.waitForEvents(3)
    fixture.received.splice(0, 1)
    await fixture.expectEvents(['pageview /next from /before', 'waiting /next from /before'])
    // The Sec-Purpose header would make the server drop the event as a prefetch.
    expect(fixture.received.filter(({ headers }) => headers['sec-purpose'] !== undefined)).toEqual([])
  } finally {
    browser.kill()
    if (browser.exitCode === null && browser.signalCode === null) await once(browser, 'exit')
    await fixture.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
})
