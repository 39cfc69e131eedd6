/** Decompresses responses. Checks ask for uncompressed ones, but some servers compress anyway. */
import type { Transform } from 'node:stream'
import zlib from 'node:zlib'

/** Each layer can expand a small body enormously, and only the size after the last layer is limited. */
const MAX_LAYERS = 1

/** Decompresses as much as possible of a body that was cut off. */
const lenient = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH }

const decoderFactories: Record<string, () => Transform> = {
  gzip: () => zlib.createGunzip(lenient),
  'x-gzip': () => zlib.createGunzip(lenient),
  deflate: () => zlib.createInflate(lenient),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
}

/**
 * Returns the decoders in the order to apply them, or none if an encoding is unknown: the body is then read unchanged.
 */
export function decodersOf(contentEncoding = ''): Transform[] {
  const encodings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== '' && encoding !== 'identity')
    .reverse()
  const areKnown = encodings.every((encoding) => Object.hasOwn(decoderFactories, encoding))
  if (encodings.length > MAX_LAYERS || !areKnown) return []
  return encodings.map((encoding) => (decoderFactories[encoding] as () => Transform)())
}
