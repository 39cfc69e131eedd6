/** Belfry can be installed as an app. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { type ReverseProxy, startReverseProxy } from '../support/proxy.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const prefix = '/tools/belfry'

let browser: TestBrowser
let proxy: ReverseProxy
let server: TestServer
let page: Page

beforeAll(async () => {
  browser = await openBrowser()
  proxy = await startReverseProxy(prefix, { stripsPrefix: true })
  server = await startTestServer({ env: { BELFRY_URL: proxy.address + prefix } })
  proxy.pointTo(server.address)
  // Without an account, the server would show the setup page.
  await server.createUser('ada')
  page = await browser.newPage({ colorScheme: 'dark' })
})
afterAll(async () => {
  await browser.close()
  await server.close()
  await proxy.close()
})

interface ManifestIcon {
  src: string
  sizes: string
  type: string
  purpose?: string
}

describe('the web app manifest', () => {
  it('is accepted by Chromium under a path, with icons that have the sizes they claim', async () => {
    // This is not the start page: the URLs in the manifest must be the same on every page.
    await page.goto(`${proxy.address}${prefix}/monitors/new`)
    const devtools = await page.context().newCDPSession(page)
    const { url, errors, data = '{}' } = await devtools.send('Page.getAppManifest')
    expect({ url, errors }).toEqual({ url: `${proxy.address}${prefix}/manifest.webmanifest`, errors: [] })
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
    // Tests run in a private window, in which Chromium installs nothing. It reports no other error.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])

    const manifest = JSON.parse(data) as Record<string, string> & { icons: ManifestIcon[] }
    expect(manifest).toMatchObject({ name: 'Belfry', short_name: 'Belfry', display: 'standalone' })
    const resolve = (path = '') => new URL(path, url).href
    expect(resolve(manifest['start_url'])).toBe(`${proxy.address}${prefix}/`)
    expect(resolve(manifest['scope'])).toBe(`${proxy.address}${prefix}/`)
    expect(manifest.icons.map(({ sizes, purpose = 'any' }) => `${sizes} ${purpose}`)).toEqual([
      'any any',
      '192x192 any',
      '512x512 any',
      '512x512 maskable',
    ])
    for (const { src, sizes, type } of manifest.icons) {
      const response = await page.request.get(resolve(src))
      expect(`${response.status()} ${response.headers()['content-type']}`).toBe(`200 ${type}`)
      const bytes = await response.body()
      // The header of a PNG file has its width and height at bytes 16 and 20.
      if (type === 'image/png') expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes)
    }
    const touchIcon = await page.request.get(`${proxy.address}${prefix}/apple-touch-icon.png`)
    expect(touchIcon.headers()['content-type']).toBe('image/png')
  })

  it('has a title bar in the colour of the theme', async () => {
    await page.goto(`${proxy.address}${prefix}/sign-in`)
    const readColor = () =>
      page.evaluate(
        `[...document.querySelectorAll('meta[name=theme-color]')].find(({ media }) => matchMedia(media).matches).content`,
      )
    const readSurfaceColor = () =>
      page.evaluate(`(() => {
        const element = document.body.appendChild(document.createElement('i'))
        element.style.color = 'var(--surface)'
        return getComputedStyle(element).color
      })()`)
    expect(await readColor()).toBe('#141419')
    expect(await readSurfaceColor()).toBe('rgb(20, 20, 25)')
    await page.getByRole('button', { name: 'Theme: system' }).click()
    expect(await readColor()).toBe('#ffffff')
    expect(await readSurfaceColor()).toBe('rgb(255, 255, 255)')
  })
})
