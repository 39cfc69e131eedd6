/** A page that the browser makes ready before anybody asks for it. Browsers under test do not, so this one runs on its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { html, ownNames, startStage } from '../support/site.ts'

const rules = '<script type="speculationrules">{"prerender": [{"urls": ["/next"], "eagerness": "immediate"}]}</script>'
const goOnWhenToldTo = `<a href="/next">Next</a><script>
  const asking = setInterval(async () => {
    if (!(await fetch('/go')).ok) return
    clearInterval(asking)
    document.links[0].click()
  }, 50)
</script>`

function startBrowser(folder: string, url: string) {
  const executable = process.env['BELFRY_CHROMIUM'] ?? '/usr/bin/chromium'
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const quiet = ['--headless', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync']
  const args = [...quiet, ...sandbox, ownNames, `--user-data-dir=${folder}`, url]
  return spawn(executable, args, { stdio: 'ignore' })
}

it('a page that was made ready beforehand counts when it is shown, and not as a robot’s', async () => {
  const pages: Record<string, string> = {}
  const stage = await startStage((snippet) => {
    const isReady = `<script type="module">
      if (document.prerendering) belfry('waiting')
      navigator.sendBeacon(document.querySelector('script').dataset.api, JSON.stringify({ n: 'ready' }))
    </script>`
    return Object.assign(pages, { '/before': html(rules, goOnWhenToldTo), '/next': html(snippet() + isReady) })
  })
  const folder = await mkdtemp(join(tmpdir(), 'belfry-browser-'))
  const browser = startBrowser(folder, `${stage.home}/before`)
  try {
    expect((await stage.arrived(1)).map(({ n }) => n)).toEqual(['ready'])
    pages['/go'] = ''
    await stage.arrived(3)
    stage.received.splice(0, 1)
    await stage.expect(['pageview /next from /before', 'waiting /next from /before'])
    // With this header it would be taken for a page that nobody may ever see.
    expect(stage.received.filter(({ headers }) => headers['sec-purpose'] !== undefined)).toEqual([])
  } finally {
    browser.kill()
    if (browser.exitCode === null && browser.signalCode === null) await once(browser, 'exit')
    await stage.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
})
