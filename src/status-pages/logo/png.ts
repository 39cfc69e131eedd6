/** Checks a PNG file, and writes a new one that has only the picture: no texts, no metadata, no animation. */
import { inflate } from 'node:zlib'
import type { ParseResult } from '../../lib/field-parser.ts'
import { type PngChunk, readPngChunks, writePngFile } from './png-chunks.ts'

export const MAX_PNG_SIDE = 2_000

/** For each color type, the number of values per pixel and the bit depths. */
const colorTypes: Record<number, { channels: number; depths: number[] }> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
}
const PALETTE_COLOR_TYPE = 3

/**
 * Chunks that say how pixel values become colors, with their lengths in bytes. Color profiles (iCCP) are left out, because they
 * contain texts.
 */
const colorChunkLengths: Record<string, number> = { gAMA: 4, cHRM: 32, sRGB: 1, cICP: 4 }

interface PngHeader {
  width: number
  height: number
  depth: number
  colorType: number
  channels: number
  isInterlaced: boolean
}

export async function cleanPng(file: Buffer): Promise<ParseResult<Buffer>> {
  const chunks = readPngChunks(file)
  if (typeof chunks === 'string') return { errors: [chunks] }
  const header = parseHeader(chunks[0])
  if (typeof header === 'string') return { errors: [header] }
  const kept = keepPictureChunks(chunks, header)
  if (typeof kept === 'string') return { errors: [kept] }
  const pixels = await inflatePixels(Buffer.concat(kept.pixelData), header)
  if (typeof pixels === 'string') return { errors: [pixels] }
  return {
    value: writePngFile([...kept.chunks, { type: 'IDAT', data: pixels }, { type: 'IEND', data: Buffer.alloc(0) }]),
  }
}

function parseHeader(chunk: PngChunk | undefined): PngHeader | string {
  if (chunk?.type !== 'IHDR' || chunk.data.length !== 13) return 'is damaged: the header is missing'
  const [width, height] = [chunk.data.readUInt32BE(0), chunk.data.readUInt32BE(4)]
  const [depth = 0, colorType = 0, compression, filter, interlace] = chunk.data.subarray(8)
  if (width === 0 || height === 0) return 'is damaged: the picture is empty'
  if (width > MAX_PNG_SIDE || height > MAX_PNG_SIDE) {
    return `must be at most ${MAX_PNG_SIDE} pixels wide and high, but is ${width} × ${height}`
  }
  const { channels, depths } = colorTypes[colorType] ?? { channels: 0, depths: [] }
  if (!depths.includes(depth) || compression !== 0 || filter !== 0 || (interlace !== 0 && interlace !== 1)) {
    return 'is damaged: the header has unknown values'
  }
  return { width, height, depth, colorType, channels, isInterlaced: interlace === 1 }
}

/** Returns the chunks before the pixels, and the pixels. */
function keepPictureChunks(
  chunks: readonly PngChunk[],
  header: PngHeader,
): { chunks: PngChunk[]; pixelData: Buffer[] } | string {
  const [firstPixels, lastPixels] = [
    chunks.findIndex(({ type }) => type === 'IDAT'),
    chunks.findLastIndex(({ type }) => type === 'IDAT'),
  ]
  if (firstPixels === -1) return 'is damaged: the picture is missing'
  const pixelChunks = chunks.slice(firstPixels, lastPixels + 1)
  if (pixelChunks.some(({ type }) => type !== 'IDAT')) return 'is damaged: the picture is interrupted by other data'
  const unknown = chunks.find(({ type }) => /^[A-Z]/.test(type) && !['IHDR', 'PLTE', 'IDAT', 'IEND'].includes(type))
  if (unknown !== undefined)
    return `requires the unknown chunk ${unknown.type}: save the image again as a standard PNG file`
  const kept = chunks
    .slice(0, firstPixels)
    .filter(({ type, data }) => ['IHDR', 'PLTE', 'tRNS'].includes(type) || colorChunkLengths[type] === data.length)
  if (new Set(kept.map(({ type }) => type)).size < kept.length) return 'is damaged: a chunk appears twice'
  const paletteError = findPaletteError(kept, header)
  if (paletteError !== undefined) return paletteError
  return { chunks: kept, pixelData: pixelChunks.map(({ data }) => data) }
}

function findPaletteError(chunks: readonly PngChunk[], { colorType, depth }: PngHeader): string | undefined {
  const [palette, transparency] = ['PLTE', 'tRNS'].map((wanted) => chunks.findIndex(({ type }) => type === wanted))
  const lengthOf = (index = -1) => chunks[index]?.data.length ?? 0
  const colors = lengthOf(palette) / 3
  const needsPalette = colorType === PALETTE_COLOR_TYPE
  const maxColors = needsPalette ? 2 ** depth : 256
  const allowsPalette = needsPalette || colorType === 2 || colorType === 6
  const hasPalette = palette !== -1
  if (hasPalette ? !allowsPalette : needsPalette) return 'is damaged: the palette is missing or not allowed'
  if (hasPalette && (!Number.isInteger(colors) || colors < 1 || colors > maxColors)) {
    return 'is damaged: the palette has a wrong length'
  }
  if (transparency === -1) return undefined
  const length = lengthOf(transparency)
  const isValid = needsPalette
    ? length >= 1 && length <= colors && (transparency as number) > (palette as number)
    : length === ({ 0: 2, 2: 6 } as Record<number, number>)[colorType]
  return isValid ? undefined : 'is damaged: the transparency has a wrong length'
}

/** Columns and rows at which each pass of an interlaced picture starts, and the steps between its pixels. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

/** Each row has a byte that names its filter, and its pixels. */
function countPixelBytes({ width, height, depth, channels, isInterlaced }: PngHeader): number {
  const countBytes = (columns: number, rows: number) =>
    columns === 0 ? 0 : rows * (1 + Math.ceil((columns * depth * channels) / 8))
  if (!isInterlaced) return countBytes(width, height)
  return passes
    .map(([x, y, stepX, stepY]) =>
      countBytes(Math.ceil(Math.max(0, width - x) / stepX), Math.ceil(Math.max(0, height - y) / stepY)),
    )
    .reduce((sum, bytes) => sum + bytes)
}

/** Returns the compressed pixels without anything that follows them, or what is wrong. Never decompresses more than the picture. */
async function inflatePixels(compressed: Buffer, header: PngHeader): Promise<Buffer | string> {
  const expectedLength = countPixelBytes(header)
  const wrongLength = 'is damaged: the picture has more or fewer pixels than its header says'
  const result = await new Promise<{ length: number; compressedLength: number } | string>((resolve) => {
    inflate(
      compressed,
      { maxOutputLength: expectedLength, info: true },
      (error: NodeJS.ErrnoException | null, inflated) => {
        if (error === null) {
          const { buffer, engine } = inflated as unknown as { buffer: Buffer; engine: { bytesWritten: number } }
          resolve({ length: buffer.length, compressedLength: engine.bytesWritten })
        } else
          resolve(error.code === 'ERR_BUFFER_TOO_LARGE' ? wrongLength : "is damaged: the picture can't be decompressed")
      },
    )
  })
  if (typeof result === 'string') return result
  return result.length === expectedLength ? compressed.subarray(0, result.compressedLength) : wrongLength
}
