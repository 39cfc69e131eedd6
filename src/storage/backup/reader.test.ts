import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { BackupReader } from './reader.ts'

async function* pieces(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function textOf(rows: AsyncIterable<Buffer>): Promise<string> {
  const found: Buffer[] = []
  for await (const piece of rows) found.push(Buffer.from(piece))
  return Buffer.concat(found).toString()
}

const body = 'head\n1\tä\\nb\n2\t\\\\.\n\\N\n\\.\nbetween\n\\.\nrest\n'

describe("a backup's text", () => {
  it.each([1, 2, 3, 4, 5, 7, 1000])('comes apart the same in pieces of %i bytes', async (size) => {
    const reader = new BackupReader(pieces(`${body}trailer\n`, size))
    expect(await reader.line()).toBe('head')
    expect(await textOf(reader.rows())).toBe('1\tä\\nb\n2\t\\\\.\n\\N\n')
    expect(await reader.line()).toBe('between')
    expect(await textOf(reader.rows())).toBe('')
    expect(await reader.line()).toBe('rest')
    expect(reader.digest()).toBe(createHash('sha256').update(body).digest('hex'))
    expect(await reader.line(false)).toBe('trailer')
    await reader.end()
  })

  it.each(['', 'no end', '1\n2\n', '1\n\\.'])('that ends too early is damaged: %j', async (text) => {
    const reader = new BackupReader(pieces(text, 2))
    await expect(textOf(reader.rows())).rejects.toThrow('it ends too early')
  })

  it('is read no further than needed', async () => {
    let read = 0
    async function* endless() {
      for (; ; read++) yield Buffer.from('row\n')
    }
    const rows = new BackupReader(endless()).rows()
    await rows.next()
    expect(read).toBeLessThan(4)
  })
})
