/** Decompresses responses. Checks request uncompressed responses, but some servers compress them anyway. */
import type { Transform } from 'node:stream'
import zlib from 'node:zlib'

/** Each layer of compression can expand a small body enormously, and only the final size is limited. */
const MAX_LAYERS = 1

/** Makes zlib decompress as much as possible of a truncated body, instead of failing. */
const lenientOptions = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH }

const decoderFactories: Record<string, () => Transform> = {
  gzip: () => zlib.createGunzip(lenientOptions),
  'x-gzip': () => zlib.createGunzip(lenientOptions),
  deflate: () => zlib.createInflate(lenientOptions),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
}

/**
 * Returns the decoders in the order to apply them. Returns none, so that the body is not decoded, if an encoding is unknown
 * or the body has more than `MAX_LAYERS` encodings.
 */
export function createDecoders(contentEncoding = ''): Transform[] {
  const encodings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== '' && encoding !== 'identity')
    .reverse()
  const areAllKnown = encodings.every((encoding) => Object.hasOwn(decoderFactories, encoding))
  if (encodings.length > MAX_LAYERS || !areAllKnown) return []
  return encodings.map((encoding) => (decoderFactories[encoding] as () => Transform)())
}
