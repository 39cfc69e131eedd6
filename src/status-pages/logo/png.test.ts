import { deflateSync, inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { buildPng, chunk, endChunk, headerChunk, pixelChunk, pixels } from '../../../tests/support/png.ts'
import { cleanPng } from './png.ts'
import { readPngChunks, writePngFile } from './png-chunks.ts'

async function clean(file: Buffer) {
  const result = await cleanPng(file)
  if ('errors' in result) return result.errors.join()
  const chunks = readPngChunks(result.value)
  if (typeof chunks === 'string') throw new Error(chunks)
  // Nothing follows the last chunk.
  expect(writePngFile(chunks).equals(result.value)).toBe(true)
  return chunks.map(({ type }) => type).join(' ')
}

it('keeps a picture as it is', async () => {
  const file = buildPng()
  expect(await cleanPng(file)).toEqual({ value: file })
})

it('keeps colors and transparency, and removes texts, metadata, animations and unknown chunks', async () => {
  const kept = [chunk('gAMA', Buffer.alloc(4)), chunk('sRGB', Buffer.alloc(1)), chunk('tRNS', Buffer.alloc(6))]
  const removed = [
    chunk('tEXt', 'Comment\0<script>'),
    chunk('zTXt', 'a'),
    chunk('iTXt', 'a'),
    chunk('eXIf', 'GPS'),
    chunk('tIME', Buffer.alloc(7)),
    chunk('iCCP', 'profile\0\0'),
    chunk('acTL', Buffer.alloc(8)),
    chunk('fcTL', Buffer.alloc(26)),
    chunk('cHRM', 'wrong length'),
    chunk('prIv', 'secret'),
  ]
  const file = writePngFile([
    headerChunk(),
    ...removed,
    ...kept,
    pixelChunk,
    chunk('fdAT', 'another frame'),
    chunk('tEXt', 'a'),
    endChunk,
  ])
  expect(await cleanPng(file)).toEqual({ value: buildPng(kept) })
})

it('removes what follows the picture, inside and after the image', async () => {
  const data = Buffer.concat([pixelChunk.data, Buffer.from('<script>')])
  const file = writePngFile([
    headerChunk(),
    chunk('IDAT', data.subarray(0, 5)),
    chunk('IDAT', data.subarray(5)),
    endChunk,
  ])
  const polyglot = Buffer.concat([file, Buffer.from('PK<script>alert(1)</script>')])
  expect(await cleanPng(polyglot)).toEqual({ value: buildPng() })
})

it('keeps large and interlaced pictures', async () => {
  const noise = Buffer.from(Array.from({ length: 300 * 901 }, (_, n) => (n % 901 === 0 ? 0 : (n * 7919) % 251)))
  const file = writePngFile([headerChunk({ width: 300, height: 300 }), chunk('IDAT', deflateSync(noise)), endChunk])
  const result = await cleanPng(Buffer.concat([file, Buffer.alloc(10)]))
  const chunks = readPngChunks((result as { value: Buffer }).value)
  expect(typeof chunks !== 'string' && inflateSync(chunks[1]?.data as Buffer).equals(noise)).toBe(true)
  // 5 × 3 pixels of one bit each: the passes have 1, 1, 0, 1, 1, 2 and 1 rows, each with a filter and a byte of pixels.
  const interlaced = chunk('IDAT', deflateSync(Buffer.alloc(2 * 7)))
  const header = headerChunk({ width: 5, height: 3, depth: 1, colorType: 0, interlace: 1 })
  expect(await clean(writePngFile([header, interlaced, endChunk]))).toBe('IHDR IDAT IEND')
})

const damaged = (change: (file: Buffer) => void) => {
  const file = buildPng()
  change(file)
  return file
}
const palette = { depth: 8, colorType: 3, width: 1, height: 1 }
const onePixel = chunk('IDAT', deflateSync(Buffer.alloc(2)))

it.each<[string, Buffer, string]>([
  ['text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'is not a PNG image'],
  ['nothing but a signature', buildPng().subarray(0, 8), 'is incomplete: the end of the image is missing'],
  ['a cut file', buildPng().subarray(0, -1), 'is incomplete: the end of the image is missing'],
  [
    'a chunk longer than the file',
    damaged((file) => file.writeUInt32BE(0xffff_ffff, 8)),
    'is incomplete: the end of the image is missing',
  ],
  [
    'a wrong checksum',
    damaged((file) => file.writeUInt8(9, 17)),
    'is damaged: the checksum of the IHDR chunk is wrong',
  ],
  ['an invalid chunk name', writePngFile([chunk('I<R>')]), 'is damaged: the name of a chunk is not valid'],
  ['no header', writePngFile([pixelChunk, endChunk]), 'is damaged: the header is missing'],
  ['two headers', buildPng([headerChunk()]), 'is damaged: a chunk appears twice'],
  ['no pixels', writePngFile([headerChunk(), endChunk]), 'is damaged: the picture is missing'],
  [
    'interrupted pixels',
    writePngFile([headerChunk(), pixelChunk, chunk('tEXt'), pixelChunk, endChunk]),
    'is damaged: the picture is interrupted by other data',
  ],
  ['an empty picture', buildPng([], { width: 0 }), 'is damaged: the picture is empty'],
  ['huge dimensions', buildPng([], { width: 2_001 }), 'must be at most 2000 pixels wide and high, but is 2001 × 2'],
  ['an unknown color type', buildPng([], { colorType: 5 }), 'is damaged: the header has unknown values'],
  ['an unknown compression', buildPng([], { compression: 1 }), 'is damaged: the header has unknown values'],
  [
    'an unknown critical chunk',
    buildPng([chunk('EVIL')]),
    'requires the unknown chunk EVIL: save the image again as a standard PNG file',
  ],
  [
    'a decompression bomb',
    writePngFile([headerChunk(), chunk('IDAT', deflateSync(Buffer.alloc(100_000_000))), endChunk]),
    'is damaged: the picture has more or fewer pixels than its header says',
  ],
  [
    'too few pixels',
    writePngFile([headerChunk(), chunk('IDAT', deflateSync(pixels.subarray(1))), endChunk]),
    'is damaged: the picture has more or fewer pixels than its header says',
  ],
  [
    'pixels that are not compressed',
    writePngFile([headerChunk(), chunk('IDAT', pixels), endChunk]),
    "is damaged: the picture can't be decompressed",
  ],
  [
    'no palette',
    writePngFile([headerChunk(palette), onePixel, endChunk]),
    'is damaged: the palette is missing or not allowed',
  ],
  [
    'a palette of gray colors',
    buildPng([chunk('PLTE', Buffer.alloc(3))], { colorType: 0 }),
    'is damaged: the palette is missing or not allowed',
  ],
  [
    'a palette of a wrong length',
    writePngFile([headerChunk(palette), chunk('PLTE', Buffer.alloc(4)), onePixel, endChunk]),
    'is damaged: the palette has a wrong length',
  ],
  [
    'transparency of more colors than the palette has',
    writePngFile([headerChunk(palette), chunk('PLTE', Buffer.alloc(3)), chunk('tRNS', 'ab'), onePixel, endChunk]),
    'is damaged: the transparency has a wrong length',
  ],
])('rejects %s', async (_name, file, error) => {
  expect(await clean(file)).toBe(error)
})
