import { expect, it } from 'vitest'
import { LineReader } from './line-reader.ts'

function readLines(...chunks: string[]): string[] {
  const reader = new LineReader()
  const lines: string[] = []
  for (const chunk of chunks.map((text) => Buffer.from(text, 'latin1'))) {
    for (let position = 0; position < chunk.length; position = reader.endPosition) {
      const line = reader.read(chunk, position)
      if (line !== undefined) lines.push(line)
    }
  }
  return lines
}

it.each([
  ['lines in one chunk', ['a\r\nbc\n\r\n'], ['a\r\n', 'bc\n', '\r\n']],
  ['a line in several chunks', ['a', 'b', 'c\r', '\n', 'd\n'], ['abc\r\n', 'd\n']],
  [
    'a line that is longer than the first buffer',
    ['a'.repeat(300), 'b'.repeat(700), '\n'],
    [`${'a'.repeat(300)}${'b'.repeat(700)}\n`],
  ],
  ['a short line after a long one', ['a'.repeat(300), '\n', 'b', '\n'], [`${'a'.repeat(300)}\n`, 'b\n']],
  ['all characters of Latin-1', ['\0\x80', '\xff\n'], ['\0\x80\xff\n']],
  ['no line without a line feed', ['a\r', 'b'], []],
])('reads %s', (_, chunks, lines) => {
  expect(readLines(...chunks)).toEqual(lines)
})

it('shows the beginning of an unfinished line', () => {
  const reader = new LineReader()
  reader.read(Buffer.from('first\nsec'), 6)
  expect([reader.peek(2), reader.peek(10), reader.unfinishedBytes]).toEqual(['se', 'sec', 3])
})
