/** Builds PNG files, correct and damaged ones. */
import { deflateSync } from 'node:zlib'
import { type PngChunk, writePngFile } from '../../src/status-pages/logo/png.ts'

export const chunk = (type: string, data: Uint8Array | string = ''): PngChunk => ({
  type,
  data: Buffer.from(data as string),
})

export interface PngHeaderFields {
  width?: number
  height?: number
  depth?: number
  colorType?: number
  compression?: number
  interlace?: number
}

export function headerChunk(fields: PngHeaderFields = {}): PngChunk {
  const { width = 2, height = 2, depth = 8, colorType = 2, compression = 0, interlace = 0 } = fields
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.set([depth, colorType, compression, 0, interlace], 8)
  return { type: 'IHDR', data }
}

/** Four pixels in RGB: red and green above blue and white. */
const pixels = Buffer.from([0, 255, 0, 0, 0, 255, 0, 0, 0, 0, 255, 255, 255, 255])
export const pixelChunk = chunk('IDAT', deflateSync(pixels))
export const endChunk = chunk('IEND')

/** `chunks` are inserted between the header and the pixels. */
export const buildPng = (chunks: PngChunk[] = [], fields: PngHeaderFields = {}) =>
  writePngFile([headerChunk(fields), ...chunks, pixelChunk, endChunk])
