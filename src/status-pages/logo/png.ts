/**
 * Checks a PNG file, and writes a new one that has only the picture: no texts, no metadata such as GPS coordinates, and no animation. See
 * https://www.w3.org/TR/png-3/. The pixels stay as they are: the checksums detect a damaged file, and a browser decodes only as many
 * pixels as the header says.
 */
import { crc32 } from 'node:zlib'
import type { ParseResult } from '../../lib/field-parser.ts'

/** A picture whose sides have this length takes 16 MB in the memory of each visitor's browser. */
const MAX_PNG_SIDE = 2_000

/** Every decoder has to understand these chunks. */
const criticalChunks = ['IHDR', 'PLTE', 'IDAT', 'IEND']
/** These chunks say how pixel values become colors. Color profiles (iCCP) are left out, because they contain texts. */
const colorChunks = ['tRNS', 'gAMA', 'cHRM', 'sRGB', 'cICP']

export function cleanPng(file: Buffer): ParseResult<Buffer> {
  const chunks = readPngChunks(file)
  if (typeof chunks === 'string') return { errors: [chunks] }
  const error = findPictureError(chunks)
  if (error !== undefined) return { errors: [error] }
  return { value: writePngFile(chunks.filter(({ type }) => [...criticalChunks, ...colorChunks].includes(type))) }
}

function findPictureError(chunks: readonly PngChunk[]): string | undefined {
  const [header] = chunks
  if (header?.type !== 'IHDR' || header.data.length !== 13) return 'is damaged: the header is missing'
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)]
  if (width > MAX_PNG_SIDE || height > MAX_PNG_SIDE) {
    return `must be at most ${MAX_PNG_SIDE} pixels wide and high, but is ${width} × ${height}`
  }
  if (width === 0 || height === 0) return 'is damaged: the picture is empty'
  if (!chunks.some(({ type }) => type === 'IDAT')) return 'is damaged: the picture is missing'
  // A capital letter marks a chunk without which the picture can't be shown.
  const unknown = chunks.find(({ type }) => /^[A-Z]/.test(type) && !criticalChunks.includes(type))
  return unknown && `requires the unknown chunk ${unknown.type}: save the image again as a standard PNG file`
}

export interface PngChunk {
  type: string
  data: Buffer
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** The bytes of a chunk besides its data: length, type and checksum. */
const CHUNK_OVERHEAD = 12

/** Returns the chunks up to IEND, or what is wrong. Bytes after IEND are ignored. */
export function readPngChunks(file: Buffer): PngChunk[] | string {
  if (!file.subarray(0, signature.length).equals(signature)) return 'is not a PNG image'
  const chunks: PngChunk[] = []
  let offset = signature.length
  while (offset + CHUNK_OVERHEAD <= file.length) {
    const length = file.readUInt32BE(offset)
    const end = offset + CHUNK_OVERHEAD + length
    if (end > file.length) break
    const typeAndData = file.subarray(offset + 4, end - 4)
    const type = typeAndData.toString('latin1', 0, 4)
    if (!/^[A-Za-z]{4}$/.test(type)) return 'is damaged: the name of a chunk is not valid'
    if (crc32(typeAndData) !== file.readUInt32BE(end - 4))
      return `is damaged: the checksum of the ${type} chunk is wrong`
    chunks.push({ type, data: typeAndData.subarray(4) })
    if (type === 'IEND') return chunks
    offset = end
  }
  return 'is incomplete: the end of the image is missing'
}

export function writePngFile(chunks: readonly PngChunk[]): Buffer {
  return Buffer.concat([signature, ...chunks.flatMap(writeChunk)])
}

function writeChunk({ type, data }: PngChunk): Buffer[] {
  const typeAndData = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(typeAndData))
  return [length, typeAndData, checksum]
}
