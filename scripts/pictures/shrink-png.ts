/**
 * Reduces a screenshot to a third of its size by using a palette of the 256 most frequent colors. Pages have few colors, so
 * only the edges of letters may change slightly. Reads only the PNG variant that Chromium writes: 8 bits, not interlaced.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const MAX_COLORS = 256
/** Two colors count as one if each of red, green and blue, which range from 0 to 255, differs by at most this much. */
const MAX_COLOR_DIFFERENCE = 5

interface Chunk {
  type: string
  data: Buffer
}

function* readChunks(png: Buffer): Generator<Chunk> {
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) }
    at += 12 + length
  }
}

function writeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

/**
 * Returns the value that a PNG filter subtracts from a byte: the byte to the left, the byte above, their average, or
 * the result of the Paeth predictor.
 */
function predict(filter: number, left: number, up: number, upLeft: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter !== 4) return 0
  const [leftDistance, upDistance, upLeftDistance] = [
    Math.abs(up - upLeft),
    Math.abs(left - upLeft),
    Math.abs(left + up - 2 * upLeft),
  ]
  if (leftDistance <= upDistance && leftDistance <= upLeftDistance) return left
  return upDistance <= upLeftDistance ? up : upLeft
}

/** Returns each pixel as 0xRRGGBB. */
function readPixels(raw: Buffer, width: number, height: number, bytesPerPixel: number): Uint32Array {
  const stride = width * bytesPerPixel
  const unfilteredBytes = Buffer.alloc(height * stride)
  const pixels = new Uint32Array(width * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] as number
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x
      const left = x < bytesPerPixel ? 0 : (unfilteredBytes[at - bytesPerPixel] as number)
      const up = y === 0 ? 0 : (unfilteredBytes[at - stride] as number)
      const upLeft = x < bytesPerPixel || y === 0 ? 0 : (unfilteredBytes[at - stride - bytesPerPixel] as number)
      unfilteredBytes[at] = (raw[y * (stride + 1) + 1 + x] as number) + predict(filter, left, up, upLeft)
    }
    for (let x = 0; x < width; x++)
      pixels[y * width + x] = unfilteredBytes.readUIntBE(y * stride + x * bytesPerPixel, 3)
  }
  return pixels
}

const measureColorDistance = (one: number, other: number) =>
  Math.max(
    Math.abs((one >> 16) - (other >> 16)),
    Math.abs(((one >> 8) & 255) - ((other >> 8) & 255)),
    Math.abs((one & 255) - (other & 255)),
  )

/** Chooses the most frequent colors, without near duplicates. */
function choosePalette(colorCounts: Map<number, number>): number[] {
  const palette: number[] = []
  for (const [color] of [...colorCounts].sort(([, one], [, other]) => other - one)) {
    if (palette.length === MAX_COLORS) break
    if (palette.every((paletteColor) => measureColorDistance(paletteColor, color) > MAX_COLOR_DIFFERENCE))
      palette.push(color)
  }
  return palette
}

function findNearestIndex(palette: readonly number[], color: number): number {
  let bestIndex = 0
  for (const [index, paletteColor] of palette.entries()) {
    if (measureColorDistance(paletteColor, color) < measureColorDistance(palette[bestIndex] as number, color))
      bestIndex = index
  }
  return bestIndex
}

export function shrinkPng(png: Buffer): Buffer {
  const chunks = [...readChunks(png)]
  const header = Buffer.from(chunks[0]?.data ?? [])
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const compressedPixels = Buffer.concat(chunks.flatMap(({ type, data }) => (type === 'IDAT' ? [data] : [])))
  const pixels = readPixels(inflateSync(compressedPixels), width, height, header[9] === 6 ? 4 : 3)
  const colorCounts = new Map<number, number>()
  for (const color of pixels) colorCounts.set(color, (colorCounts.get(color) ?? 0) + 1)
  const palette = choosePalette(colorCounts)
  const paletteIndexes = new Map([...colorCounts.keys()].map((color) => [color, findNearestIndex(palette, color)]))
  const scanlines = Buffer.alloc(height * (width + 1))
  for (const [index, color] of pixels.entries()) {
    scanlines[Math.floor(index / width) * (width + 1) + 1 + (index % width)] = paletteIndexes.get(color) as number
  }
  const colors = Buffer.alloc(palette.length * 3)
  for (const [index, color] of palette.entries()) colors.writeUIntBE(color, index * 3, 3)
  header[9] = 3
  return Buffer.concat([
    SIGNATURE,
    writeChunk('IHDR', header),
    writeChunk('PLTE', colors),
    writeChunk('IDAT', deflateSync(scanlines, { level: 9 })),
    writeChunk('IEND', Buffer.alloc(0)),
  ])
}
