/** Reads and writes the chunks of PNG files. See https://www.w3.org/TR/png-3/. */
import { crc32 } from 'node:zlib'

export const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export interface PngChunk {
  type: string
  data: Buffer
}

/** The bytes of a chunk besides its data: length, type and checksum. */
const CHUNK_OVERHEAD = 12

/** Returns the chunks up to IEND, or what is wrong. Bytes after IEND are ignored. */
export function readPngChunks(file: Buffer): PngChunk[] | string {
  if (!file.subarray(0, pngSignature.length).equals(pngSignature)) return 'is not a PNG image'
  const chunks: PngChunk[] = []
  let offset = pngSignature.length
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
  return Buffer.concat([pngSignature, ...chunks.flatMap(writeChunk)])
}

function writeChunk({ type, data }: PngChunk): Buffer[] {
  const typeAndData = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(typeAndData))
  return [length, typeAndData, checksum]
}
