/** One format of a page as bytes, in every encoding that clients may accept. */
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { ContentEncoding } from '../../lib/content-encoding.ts'

export type RenderedFormat = 'html' | 'json' | 'atom' | 'rss' | 'feed'

/** What the bytes of a format depend on besides the page. */
export interface FormatVariant {
  format: RenderedFormat
  /** The path prefix of the public URL. undefined: the visitor is at the custom domain, where the page has other paths. */
  pathPrefix: string | undefined
  /** The public URL of this server. The content doesn't depend on the Host header of the request, which can be any text. */
  serverUrl: string | undefined
  /** The age that the page shows. undefined: the page is up to date. */
  ageMinutes: number | undefined
}

export type RenderingEncoding = ContentEncoding | 'identity'

export interface Rendering {
  headers: Record<string, string>
  bodies: Partial<Record<RenderingEncoding, Buffer>> & { identity: Buffer }
  etags: Record<RenderingEncoding, string>
  /** Bytes in memory. */
  size: number
  /** The complete headers of responses that were sent before, by encoding, as alternating names and values. */
  sentHeaders: Partial<Record<RenderingEncoding, string[]>>
}

const compressGzip = promisify(gzip)
const compressBrotli = promisify(brotliCompress)
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
/** Responses that are shorter than this fit into one packet even without compression. */
const MIN_COMPRESSED_BYTES = 1_000

/** Compresses in Node's thread pool, so that other requests don't wait. */
export async function createRendering(content: string, headers: Record<string, string>): Promise<Rendering> {
  const rendering = createPlainRendering(content, headers)
  const { identity } = rendering.bodies
  if (identity.length < MIN_COMPRESSED_BYTES) return rendering
  const [gzipped, brotli] = await Promise.all([compressGzip(identity), compressBrotli(identity, brotliOptions)])
  const size = identity.length + gzipped.length + brotli.length
  return { ...rendering, bodies: { identity, gzip: gzipped, br: brotli }, size }
}

/** Use it for images and for content that is too short to be compressed. */
export function createPlainRendering(content: string | Buffer, headers: Record<string, string>): Rendering {
  const identity = Buffer.from(content)
  const digest = hash('sha256', identity, 'base64url').slice(0, 22)
  // A strong ETag has to differ between encodings.
  const etags = { identity: `"${digest}"`, gzip: `"${digest}-gzip"`, br: `"${digest}-br"` }
  return { headers, bodies: { identity }, etags, size: identity.length, sentHeaders: {} }
}
