/** GET /b.js: the tracker script, compressed once, for pages of any origin. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { publicFile } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { chooseEncoding } from '../../lib/content-encoding.ts'
import { packageFolder } from '../../lib/package-folder.ts'

const trackerPath = join(packageFolder, 'tracker', 'b.js')

interface TrackerScript {
  etag: string
  plain: Buffer
  br: Buffer
  gzip: Buffer
}

async function loadTracker(): Promise<TrackerScript> {
  const plain = await readFile(trackerPath)
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 16)
  return {
    etag: `"${hash}"`,
    plain,
    br: await promisify(brotliCompress)(plain),
    gzip: await promisify(gzip)(plain, { level: 9 }),
  }
}

export function trackerRoutes(app: App): void {
  let tracker: Promise<TrackerScript> | undefined

  app.get('/b.js', { config: { access: publicFile }, schema: { hide: true } }, async (request, reply) => {
    tracker ??= loadTracker().catch((error) => {
      tracker = undefined
      throw error
    })
    const { etag, ...encodings } = await tracker
    reply.headers({
      // This ETag is weak, because all encodings share it.
      etag: `W/${etag}`,
      // A new version reaches every browser within an hour.
      'cache-control': 'public, max-age=3600',
      vary: 'accept-encoding',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    })
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    const encoding = chooseEncoding(request.headers['accept-encoding'])
    if (encoding !== undefined) reply.header('content-encoding', encoding)
    return reply.type('text/javascript; charset=utf-8').send(encodings[encoding ?? 'plain'] as never)
  })
}
