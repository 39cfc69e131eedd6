/** The tracker as websites load it: from any origin, and compressed beforehand. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { probe } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { chooseEncoding } from '../../http/encodings.ts'

const file = join(import.meta.dirname, '..', '..', '..', 'tracker', 'b.js')

interface Tracker {
  tag: string
  plain: Buffer
  br: Buffer
  gzip: Buffer
}

/** When somebody first asks, and kept. */
async function readTracker(): Promise<Tracker> {
  const plain = await readFile(file)
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 16)
  return {
    tag: `"${hash}"`,
    plain,
    br: await promisify(brotliCompress)(plain),
    gzip: await promisify(gzip)(plain, { level: 9 }),
  }
}

export function trackerRoutes(app: App): void {
  let tracker: Promise<Tracker> | undefined

  app.get('/b.js', { config: { access: probe }, schema: { hide: true } }, async (request, reply) => {
    tracker ??= readTracker().catch((error) => {
      tracker = undefined
      throw error
    })
    const { tag, ...bytes } = await tracker
    reply.headers({
      // Weak: it is one and the same for every encoding.
      etag: `W/${tag}`,
      // Short enough that a new version is everywhere within the hour.
      'cache-control': 'public, max-age=3600',
      vary: 'accept-encoding',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    })
    if (request.headers['if-none-match']?.includes(tag)) return reply.code(304).send()
    const encoding = chooseEncoding(request.headers['accept-encoding'])
    if (encoding !== undefined) reply.header('content-encoding', encoding)
    return reply.type('text/javascript; charset=utf-8').send(bytes[encoding ?? 'plain'] as never)
  })
}
