/** What unpacks an answer. We ask for none of it, and some servers pack all the same. */
import type { Transform } from 'node:stream'
import zlib from 'node:zlib'

/** Each could unpack a little to very much, and only what comes out at the end is limited. */
const MOST_LAYERS = 1

/** An answer that was cut short is read as far as it goes. */
const lenient = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH }

const makers: Record<string, () => Transform> = {
  gzip: () => zlib.createGunzip(lenient),
  'x-gzip': () => zlib.createGunzip(lenient),
  deflate: () => zlib.createInflate(lenient),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
}

/** The layers in the order in which they come off; none where one of them is not known, so that the bytes stay as they are. */
export function decodersOf(contentEncoding = ''): Transform[] {
  const layers = contentEncoding
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => layer !== '' && layer !== 'identity')
    .reverse()
  if (layers.length > MOST_LAYERS || layers.some((layer) => !Object.hasOwn(makers, layer))) return []
  return layers.map((layer) => (makers[layer] as () => Transform)())
}
