/** The interactive API documentation. It loads nothing from other servers. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { publicFile } from './access.ts'
import type { App } from './app-type.ts'
import { buildInlineFontStyle, iconUrl, tokenStyle } from './page-style.ts'

const require = createRequire(import.meta.url)

/** Compression reduces the script from 3.5 MB to 1 MB. */
async function readCompressedViewer(): Promise<Buffer> {
  const entryPath = require.resolve('@scalar/fastify-api-reference')
  return promisify(gzip)(await readFile(join(dirname(entryPath), 'js', 'standalone.js')))
}

/** Disables every feature that would contact the vendor of the API docs viewer. */
const viewerSettings = {
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  hideTestRequestButton: false,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
}

/**
 * Our colors and typeface. The viewer has classes for the light and the dark theme, and our colors follow `color-scheme`. Its own
 * styles are in cascade layers, so these take precedence. The header has a fixed height from the beginning, so nothing moves
 * when the viewer has loaded.
 */
const style = `
:root { --scalar-custom-header-height: 3.5rem }
html { background: var(--surface) }
body { margin: 0; font-family: var(--sans) }
.light-mode { color-scheme: light }
.dark-mode { color-scheme: dark }
.light-mode, .dark-mode {
  --scalar-font: var(--sans); --scalar-font-code: var(--mono);
  --scalar-color-1: var(--text); --scalar-color-2: var(--muted); --scalar-color-3: var(--muted); --scalar-color-accent: var(--accent);
  --scalar-background-1: var(--surface); --scalar-background-2: var(--background); --scalar-background-3: var(--raised);
  --scalar-background-accent: var(--accent-soft); --scalar-border-color: var(--line); --scalar-link-color: var(--accent);
  --scalar-button-1: var(--accent-background); --scalar-button-1-hover: var(--accent-background-strong); --scalar-button-1-color: var(--on-accent);
  --scalar-sidebar-background-1: var(--background); --scalar-sidebar-color-1: var(--text); --scalar-sidebar-color-2: var(--muted);
  --scalar-sidebar-border-color: var(--line); --scalar-sidebar-item-hover-background: var(--raised);
  --scalar-sidebar-item-active-background: var(--accent-soft); --scalar-sidebar-color-active: var(--accent);
  --scalar-sidebar-search-background: var(--surface); --scalar-sidebar-search-border-color: var(--line-control);
}
.docs-header { position: sticky; top: 0; z-index: 1000; display: flex; align-items: center; justify-content: space-between; box-sizing: border-box;
  height: 3.5rem; padding: 0 1rem; border-bottom: 1px solid var(--line); background: var(--surface); font-size: 0.9375rem }
.docs-header a { display: flex; align-items: center; gap: .55rem; color: var(--text); font-weight: 650; letter-spacing: -.015em; text-decoration: none }
.docs-header a + a { color: var(--accent); font-weight: 550; letter-spacing: 0 }
.docs-header a:focus-visible { outline: 2px solid var(--focus); outline-offset: 3px; border-radius: var(--radius-small) }
noscript { display: block; padding: 2rem 1rem }`.replaceAll(/\s+/g, ' ')

const docsPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Belfry API</title>
<link rel="icon" href="${iconUrl}">
<style>${buildInlineFontStyle()}</style>
<style>${tokenStyle}${style}</style>
<body>
<header class="docs-header"><a href="docs"><img src="${iconUrl}" width="26" height="26" alt="">Belfry API</a><a href="./">Open Belfry</a></header>
<noscript>This page needs JavaScript. The OpenAPI document: <a href="api/openapi.json">api/openapi.json</a></noscript>
<script id="api-reference" data-url="api/openapi.json" data-configuration='${JSON.stringify(viewerSettings)}'></script>
<script src="docs/viewer.js"></script>
</body>
</html>
`

/** The viewer needs inline styles. It runs only its own script and connects only to this server. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

export function docsRoutes(app: App): void {
  let viewerScript: Promise<Buffer> | undefined

  app.get('/docs', { config: { access: publicFile }, schema: { hide: true } }, (_request, reply) =>
    reply
      .headers({
        'content-security-policy': contentSecurityPolicy,
        'cache-control': 'no-cache',
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'same-origin',
      })
      .type('text/html; charset=utf-8')
      .send(docsPage as never),
  )

  app.get('/docs/viewer.js', { config: { access: publicFile }, schema: { hide: true } }, async (_request, reply) => {
    viewerScript ??= readCompressedViewer()
    return reply
      .headers({ 'content-encoding': 'gzip', 'cache-control': 'public, max-age=86400' })
      .type('text/javascript; charset=utf-8')
      .send((await viewerScript) as never)
  })
}
