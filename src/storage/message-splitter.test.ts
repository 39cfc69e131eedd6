import { describe, expect, it } from 'vitest'
import { MessageSplitter } from './message-splitter.ts'

function encode(type: string, content: string): Buffer {
  const header = Buffer.alloc(5)
  header.write(type)
  header.writeUInt32BE(4 + content.length, 1)
  return Buffer.concat([header, Buffer.from(content)])
}

/** Adds chunks of `chunkSize` bytes that share one memory, as those of a socket. */
function split(bytes: Buffer, chunkSize: number): { messages: [string, string][]; contents: Uint8Array[] } {
  const messages: [string, string][] = []
  const contents: Uint8Array[] = []
  const splitter = new MessageSplitter(({ header, content }) => {
    messages.push([header.toString('latin1', 0, 1), Buffer.from(content).toString()])
    contents.push(content)
  })
  const memory = Buffer.alloc(chunkSize)
  for (let offset = 0; offset < bytes.length; offset += chunkSize) {
    const length = bytes.copy(memory, 0, offset)
    splitter.add(memory.subarray(0, length))
  }
  return { messages, contents }
}

describe('messages of PostgreSQL', () => {
  const sent: [string, string][] = [
    ['H', 'header'],
    ['d', 'first row'],
    ['d', ''],
    ['d', 'x'.repeat(100)],
    ['c', ''],
    ['Z', 'I'],
  ]
  const bytes = Buffer.concat(sent.map(([type, content]) => encode(type, content)))

  it('are the same however they are divided', () => {
    for (let chunkSize = 1; chunkSize <= bytes.length; chunkSize++)
      expect(split(bytes, chunkSize).messages).toEqual(sent)
  })

  it('get memory of their own, of exactly their size', () => {
    const { contents } = split(bytes, 7)
    expect(contents.map(({ buffer }) => buffer.byteLength)).toEqual(sent.map(([, content]) => content.length))
    expect(new Set(contents.map(({ buffer }) => buffer)).size).toBe(sent.length)
  })

  it.each([3, 2 ** 31])('of %d bytes are refused', (length) => {
    const header = Buffer.alloc(5, 'd')
    header.writeUInt32BE(length, 1)
    expect(() => split(header, 5)).toThrow(RangeError)
  })
})
