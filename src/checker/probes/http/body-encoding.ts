/** Decompresses responses. Checks request uncompressed responses, but some servers compress them anyway. */
import type { Transform } from 'node:stream'
import zlib from 'node:zlib'

/** Creates a decoder for a body that begins with `firstByte`. */
type CreateDecoder = (firstByte: number) => Transform

const decoderFactories: Record<string, CreateDecoder> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: createInflate,
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
}

/**
 * The standard demands a zlib header, but some servers send raw deflate data. The lower four bits of a header's first byte are 8. Raw
 * deflate data never begins with such a byte.
 */
function createInflate(firstByte: number): Transform {
  return (firstByte & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()
}

export interface BodyEncoding {
  name: string
  createDecoder: CreateDecoder
}

/**
 * Returns undefined if the body has no encoding, an unknown one, or several. Such a body is not decoded: with several encodings, each
 * could expand a small body enormously, and only the final size is limited.
 */
export function findBodyEncoding(contentEncoding: string | undefined): BodyEncoding | undefined {
  if (contentEncoding === undefined) return undefined
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  const [name = ''] = names
  if (names.length !== 1 || !Object.hasOwn(decoderFactories, name)) return undefined
  return { name, createDecoder: decoderFactories[name] as CreateDecoder }
}
