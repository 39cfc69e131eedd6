/** The interactive API documentation. It loads nothing from other servers. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { publicFile } from './access.ts'
import type { App } from './app-type.ts'

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

const docsPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Belfry API</title>
<link rel="icon" href="data:,">
<body>
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
