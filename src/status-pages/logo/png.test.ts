import { deflateSync, inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { buildPng, chunk, endChunk, headerChunk, pixelChunk } from '../../../tests/support/png.ts'
import { cleanPng, readPngChunks, writePngFile } from './png.ts'

function clean(file: Buffer) {
  const result = cleanPng(file)
  if ('errors' in result) return result.errors.join()
  const chunks = readPngChunks(result.value)
  if (typeof chunks === 'string') throw new Error(chunks)
  // The file contains nothing after its last chunk.
  expect(writePngFile(chunks).equals(result.value)).toBe(true)
  return chunks.map(({ type }) => type).join(' ')
}

it('cleanPng keeps a file with only a picture unchanged', () => {
  const file = buildPng()
  expect(cleanPng(file)).toEqual({ value: file })
})

it('cleanPng keeps colors and transparency, and removes texts, metadata, animations and unknown chunks', () => {
  const keptChunks = [chunk('gAMA', Buffer.alloc(4)), chunk('sRGB', Buffer.alloc(1)), chunk('tRNS', Buffer.alloc(6))]
  const removedChunks = [
    chunk('tEXt', 'Comment\0<script>'),
    chunk('zTXt', 'a'),
    chunk('iTXt', 'a'),
    chunk('eXIf', 'GPS'),
    chunk('tIME', Buffer.alloc(7)),
    chunk('iCCP', 'profile\0\0'),
    chunk('acTL', Buffer.alloc(8)),
    chunk('fcTL', Buffer.alloc(26)),
    chunk('prIv', 'secret'),
  ]
  const file = writePngFile([
    headerChunk(),
    ...removedChunks,
    ...keptChunks,
    pixelChunk,
    chunk('fdAT', 'another frame'),
    chunk('tEXt', 'a'),
    endChunk,
  ])
  expect(cleanPng(file)).toEqual({ value: buildPng(keptChunks) })
})

it('cleanPng removes what follows the image', () => {
  const polyglot = Buffer.concat([buildPng(), Buffer.from('PK<script>alert(1)</script>')])
  expect(cleanPng(polyglot)).toEqual({ value: buildPng() })
})

it('cleanPng keeps large and interlaced pictures', () => {
  const noise = Buffer.from(Array.from({ length: 300 * 901 }, (_, n) => (n % 901 === 0 ? 0 : (n * 7919) % 251)))
  const file = writePngFile([headerChunk({ width: 300, height: 300 }), chunk('IDAT', deflateSync(noise)), endChunk])
  const result = cleanPng(Buffer.concat([file, Buffer.alloc(10)]))
  const chunks = readPngChunks((result as { value: Buffer }).value)
  expect(typeof chunks !== 'string' && inflateSync(chunks[1]?.data as Buffer).equals(noise)).toBe(true)
  // 5 × 3 pixels of one bit each: the passes have 1, 1, 0, 1, 1, 2 and 1 rows, each with a filter and a byte of pixels.
  const interlaced = chunk('IDAT', deflateSync(Buffer.alloc(2 * 7)))
  const header = headerChunk({ width: 5, height: 3, depth: 1, colorType: 0, interlace: 1 })
  expect(clean(writePngFile([header, interlaced, endChunk]))).toBe('IHDR IDAT IEND')
})

const createDamagedFile = (damageFile: (file: Buffer) => void) => {
  const file = buildPng()
  damageFile(file)
  return file
}

it.each<[string, Buffer, string]>([
  ['text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'is not a PNG image'],
  ['a file with only a signature', buildPng().subarray(0, 8), 'is incomplete: the end of the image is missing'],
  ['a truncated file', buildPng().subarray(0, -1), 'is incomplete: the end of the image is missing'],
  [
    'a chunk longer than the file',
    createDamagedFile((file) => file.writeUInt32BE(0xffff_ffff, 8)),
    'is incomplete: the end of the image is missing',
  ],
  [
    'a file with a wrong checksum',
    createDamagedFile((file) => file.writeUInt8(9, 17)),
    'is damaged: the checksum of the IHDR chunk is wrong',
  ],
  ['an invalid chunk name', writePngFile([chunk('I<R>')]), 'is damaged: the name of a chunk is not valid'],
  ['a file without a header', writePngFile([pixelChunk, endChunk]), 'is damaged: the header is missing'],
  ['a file without pixels', writePngFile([headerChunk(), endChunk]), 'is damaged: the picture is missing'],
  ['an empty picture', buildPng([], { width: 0 }), 'is damaged: the picture is empty'],
  ['huge dimensions', buildPng([], { width: 2_001 }), 'must be at most 2000 pixels wide and high, but is 2001 × 2'],
  [
    'an unknown critical chunk',
    buildPng([chunk('EVIL')]),
    'requires the unknown chunk EVIL: save the image again as a standard PNG file',
  ],
])('cleanPng rejects %s', (_name, file, error) => {
  expect(clean(file)).toBe(error)
})
