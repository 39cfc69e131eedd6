/**
 * Makes a screenshot a third as large: with the 256 colours that say most, as a PNG with a palette. Pages have few colours,
 * and the shades at the edges of letters may differ by a little. Reads what Chromium writes: 8 bits, not interlaced.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const COLOURS = 256
/** Two colours are one where they differ by no more, of 255 in each of red, green and blue. */
const SAME = 5

interface Chunk {
  type: string
  data: Buffer
}

function* chunksOf(png: Buffer): Generator<Chunk> {
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) }
    at += 12 + length
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** What a byte is told as the difference from: the one to its left, the one above, and what is between them. */
function predict(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter !== 4) return 0
  const [byLeft, byUp, byCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  if (byLeft <= byUp && byLeft <= byCorner) return left
  return byUp <= byCorner ? up : corner
}

/** Each pixel as one number, 0xRRGGBB. */
function pixelsOf(raw: Buffer, width: number, height: number, size: number): Uint32Array {
  const stride = width * size
  const lines = Buffer.alloc(height * stride)
  const pixels = new Uint32Array(width * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] as number
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x
      const left = x < size ? 0 : (lines[at - size] as number)
      const up = y === 0 ? 0 : (lines[at - stride] as number)
      const corner = x < size || y === 0 ? 0 : (lines[at - stride - size] as number)
      lines[at] = (raw[y * (stride + 1) + 1 + x] as number) + predict(filter, left, up, corner)
    }
    for (let x = 0; x < width; x++) pixels[y * width + x] = lines.readUIntBE(y * stride + x * size, 3)
  }
  return pixels
}

const apart = (one: number, other: number) =>
  Math.max(
    Math.abs((one >> 16) - (other >> 16)),
    Math.abs(((one >> 8) & 255) - ((other >> 8) & 255)),
    Math.abs((one & 255) - (other & 255)),
  )

/** The most frequent ones, of which no two are nearly the same. */
function choosePalette(counts: Map<number, number>): number[] {
  const palette: number[] = []
  for (const [colour] of [...counts].sort(([, one], [, other]) => other - one)) {
    if (palette.length === COLOURS) break
    if (palette.every((chosen) => apart(chosen, colour) > SAME)) palette.push(colour)
  }
  return palette
}

function nearest(palette: readonly number[], colour: number): number {
  let best = 0
  for (const [index, chosen] of palette.entries()) {
    if (apart(chosen, colour) < apart(palette[best] as number, colour)) best = index
  }
  return best
}

export function shrinkPng(png: Buffer): Buffer {
  const chunks = [...chunksOf(png)]
  const header = Buffer.from(chunks[0]?.data ?? [])
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const packed = Buffer.concat(chunks.flatMap(({ type, data }) => (type === 'IDAT' ? [data] : [])))
  const pixels = pixelsOf(inflateSync(packed), width, height, header[9] === 6 ? 4 : 3)
  const counts = new Map<number, number>()
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const palette = choosePalette(counts)
  const places = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]))
  const lines = Buffer.alloc(height * (width + 1))
  for (const [index, colour] of pixels.entries()) {
    lines[Math.floor(index / width) * (width + 1) + 1 + (index % width)] = places.get(colour) as number
  }
  const colours = Buffer.alloc(palette.length * 3)
  for (const [index, colour] of palette.entries()) colours.writeUIntBE(colour, index * 3, 3)
  header[9] = 3
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
