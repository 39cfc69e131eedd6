/**
 * The bytes of one column of a block. Numbers are split into planes: the lowest byte of every number, then the next byte of every
 * number, and so on. The planes of high bytes are mostly zero, so zstd shrinks them to almost nothing.
 */
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** The stored bytes are not what Belfry wrote. */
export class BlockError extends Error {}

/** A checksum (4 bytes) and the length of the content (4 bytes, without compression). Compressed bytes are shorter than that. */
const HEADER_BYTES = 8
const CHECKSUM_BYTES = 4
/** Level 6 took twice as long and saved 1 %. */
const COMPRESSION_LEVEL = 1
/** zstd adds about 12 bytes, so it saves nothing on shorter contents. */
const MIN_BYTES_TO_COMPRESS = 32

/** Compresses the content, if that makes it shorter. */
export function sealColumn(content: Uint8Array): Uint8Array {
  const payload = compress(content)
  const column = new Uint8Array(HEADER_BYTES + payload.byteLength)
  viewOf(column).setUint32(CHECKSUM_BYTES, content.byteLength, true)
  column.set(payload, HEADER_BYTES)
  viewOf(column).setUint32(0, crc32(column.subarray(CHECKSUM_BYTES)), true)
  return column
}

function compress(content: Uint8Array): Uint8Array {
  if (content.byteLength < MIN_BYTES_TO_COMPRESS) return content
  const compressed = zstdCompressSync(content, {
    // The whole result fits into one chunk. By default, zlib would concatenate chunks of 16 kB.
    chunkSize: content.byteLength + MIN_BYTES_TO_COMPRESS,
    params: { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL },
  })
  return compressed.byteLength < content.byteLength ? compressed : content
}

/** `maxBytes` protects the memory from a column that claims to be huge. */
export function openColumn(column: Uint8Array, maxBytes: number): Uint8Array {
  if (column.byteLength < HEADER_BYTES) throw new BlockError('A column is too short.')
  if (viewOf(column).getUint32(0, true) !== crc32(column.subarray(CHECKSUM_BYTES))) {
    throw new BlockError('The checksum of a column is wrong.')
  }
  const length = viewOf(column).getUint32(CHECKSUM_BYTES, true)
  const payload = column.subarray(HEADER_BYTES)
  if (length === payload.byteLength) return payload
  if (length > maxBytes) throw new BlockError('A column is too long.')
  const content = decompress(payload, length)
  if (content.byteLength !== length) throw new BlockError('A column ends too early.')
  return content
}

function decompress(payload: Uint8Array, length: number): Uint8Array {
  try {
    const { buffer, byteOffset, byteLength } = zstdDecompressSync(payload, {
      maxOutputLength: length,
      // With exactly `length`, zlib would allocate another chunk to find out that nothing follows.
      chunkSize: length + MIN_CHUNK_BYTES,
    })
    // A Buffer would make the loops over planes slower, because they would see two types.
    return new Uint8Array(buffer, byteOffset, byteLength)
  } catch (error) {
    throw new BlockError('A column cannot be decompressed.', { cause: error })
  }
}

/** zlib accepts no smaller chunks. */
const MIN_CHUNK_BYTES = 64

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => new DataView(buffer, byteOffset, byteLength)

/** Writes numbers and bytes one after the other. */
export class ColumnWriter {
  readonly #chunks: Uint8Array[] = []

  writeBytes(bytes: Uint8Array): void {
    this.#chunks.push(bytes)
  }

  writeUint32(value: number): void {
    const bytes = new Uint8Array(4)
    viewOf(bytes).setUint32(0, value, true)
    this.#chunks.push(bytes)
  }

  writeFloat64(value: number): void {
    const bytes = new Uint8Array(8)
    viewOf(bytes).setFloat64(0, value, true)
    this.#chunks.push(bytes)
  }

  /** Writes the number of planes, and the planes. The numbers must be safe integers that are not negative. */
  writeNumbers(values: Int32Array | Float64Array): void {
    const planeCount = countPlanes(values)
    const count = values.length
    const planes = new Uint8Array(1 + planeCount * count)
    planes[0] = planeCount
    for (let plane = 0; plane < planeCount; plane++) {
      const offset = 1 + plane * count
      const divisor = 256 ** plane
      // Bit operations handle 32 bits only.
      if (plane < 4) {
        for (let index = 0; index < count; index++) planes[offset + index] = (values[index] as number) >>> (8 * plane)
      } else {
        for (let index = 0; index < count; index++)
          planes[offset + index] = Math.floor((values[index] as number) / divisor)
      }
    }
    this.#chunks.push(planes)
  }

  /**
   * Writes the width of an element in bytes, and the elements. Unlike planes, they can be read without a copy. Codes by
   * frequency compress as well as planes.
   */
  writeCodes(codes: Int32Array): void {
    let max = 0
    for (const code of codes) if (code > max) max = code
    const elements = max < 2 ** 8 ? Uint8Array.from(codes) : max < 2 ** 16 ? Uint16Array.from(codes) : codes.slice()
    this.#chunks.push(Uint8Array.of(elements.BYTES_PER_ELEMENT), new Uint8Array(elements.buffer))
  }

  seal(): Uint8Array {
    return sealColumn(Buffer.concat(this.#chunks))
  }
}

function countPlanes(values: Int32Array | Float64Array): number {
  let max = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number
    if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) throw new RangeError(`${value} does not fit into a block.`)
    if (value > max) max = value
  }
  let planeCount = 0
  for (; max >= 1; max /= 256) planeCount++
  return planeCount
}

const MAX_PLANES = 7

export type Codes = Uint8Array | Uint16Array | Int32Array

/** Returns zeros. */
export type AllocateInt32s = (count: number) => Int32Array
export const allocateInt32s: AllocateInt32s = (count) => new Int32Array(count)

export class ColumnReader {
  readonly #content: Uint8Array
  #offset = 0

  constructor(content: Uint8Array) {
    this.#content = content
  }

  readBytes(length: number): Uint8Array {
    const end = this.#offset + length
    if (end > this.#content.byteLength) throw new BlockError('A column ends too early.')
    const bytes = this.#content.subarray(this.#offset, end)
    this.#offset = end
    return bytes
  }

  readRest(): Uint8Array {
    return this.readBytes(this.#content.byteLength - this.#offset)
  }

  readUint32(): number {
    return viewOf(this.readBytes(4)).getUint32(0, true)
  }

  readFloat64(): number {
    return viewOf(this.readBytes(8)).getFloat64(0, true)
  }

  /** Reads numbers below 2^31. All such columns have the same type, which makes the loops over them fast. */
  readInt32s(count: number, allocate = allocateInt32s): Int32Array {
    const planeCount = this.#readPlaneCount()
    if (planeCount > 4) throw new BlockError('A column has numbers that are too large.')
    const values = allocate(count)
    if (planeCount === 1) {
      values.set(this.readBytes(count))
      return values
    }
    for (let plane = 0; plane < planeCount; plane++) {
      const bytes = this.readBytes(count)
      const shift = 8 * plane
      for (let index = 0; index < count; index++)
        values[index] = (values[index] as number) | ((bytes[index] as number) << shift)
    }
    if (planeCount === 4 && values.some((value) => value < 0)) {
      throw new BlockError('A column has numbers that are too large.')
    }
    return values
  }

  /** Reads what `writeCodes` has written, without a copy if possible. */
  readCodes(count: number): Codes {
    const width = this.readBytes(1)[0]
    if (width === 1) return this.readBytes(count)
    if (width !== 2 && width !== 4) throw new BlockError('A column has codes of an unknown size.')
    const bytes = this.readBytes(count * width)
    // Arrays of larger elements need an aligned address.
    const { buffer, byteOffset } = bytes.byteOffset % width === 0 ? bytes : bytes.slice()
    return width === 2 ? new Uint16Array(buffer, byteOffset, count) : new Int32Array(buffer, byteOffset, count)
  }

  /** Reads numbers of any size. */
  readNumbers(count: number): Float64Array {
    const planeCount = this.#readPlaneCount()
    const values = new Float64Array(count)
    // One loop over four planes is faster than four loops. Three bytes fit into the bits of an integer without its sign.
    const [first, second, third, fourth] = this.#readFourPlanes(planeCount, count)
    for (let index = 0; index < count; index++)
      values[index] =
        ((first[index] as number) | ((second[index] as number) << 8) | ((third[index] as number) << 16)) +
        (fourth[index] as number) * 2 ** 24
    for (let plane = 4; plane < planeCount; plane++) {
      const bytes = this.readBytes(count)
      const factor = 256 ** plane
      for (let index = 0; index < count; index++)
        values[index] = (values[index] as number) + (bytes[index] as number) * factor
    }
    return values
  }

  /** Like `readNumbers`, for readers that need few of the numbers. */
  readPlanes(count: number): NumberPlanes {
    const planeCount = this.#readPlaneCount()
    return new NumberPlanes(Array.from({ length: planeCount }, () => this.readBytes(count)))
  }

  /** Planes that the column lacks have zeros. */
  #readFourPlanes(planeCount: number, count: number): readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array] {
    const zeros = planeCount < 4 ? new Uint8Array(count) : undefined
    const read = (plane: number) => (plane < planeCount || zeros === undefined ? this.readBytes(count) : zeros)
    return [read(0), read(1), read(2), read(3)]
  }

  #readPlaneCount(): number {
    const planeCount = this.readBytes(1)[0] as number
    if (planeCount > MAX_PLANES) throw new BlockError('A column has too many planes.')
    return planeCount
  }

  /** Call it after the last read. */
  expectEnd(): void {
    if (this.#offset !== this.#content.byteLength) throw new BlockError('A column is too long.')
  }
}

/** Computes each number when it is needed. */
export class NumberPlanes {
  readonly #planes: readonly Uint8Array[]

  constructor(planes: readonly Uint8Array[]) {
    this.#planes = planes
  }

  get(index: number): number {
    let value = 0
    for (let plane = this.#planes.length - 1; plane >= 0; plane--)
      value = value * 256 + ((this.#planes[plane] as Uint8Array)[index] as number)
    return value
  }
}
