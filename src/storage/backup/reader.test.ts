import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { BackupReader } from './reader.ts'

async function* splitIntoChunks(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size)
}

async function readText(rows: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of rows) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

const body = 'head\n1\tä\\nb\n2\t\\\\.\n\\N\n\\.\nbetween\n\\.\nrest\n'

describe("a backup's text", () => {
  it.each([1, 2, 3, 4, 5, 7, 1000])('is parsed the same way in chunks of %i bytes', async (size) => {
    const reader = new BackupReader(splitIntoChunks(`${body}trailer\n`, size))
    expect(await reader.readLine()).toBe('head')
    expect(await readText(reader.readRows())).toBe('1\tä\\nb\n2\t\\\\.\n\\N\n')
    expect(await reader.readLine()).toBe('between')
    expect(await readText(reader.readRows())).toBe('')
    expect(await reader.readLine()).toBe('rest')
    expect(reader.digest()).toBe(createHash('sha256').update(body).digest('hex'))
    expect(await reader.readLine(false)).toBe('trailer')
    await reader.expectEnd()
  })

  it.each(['', 'no end', '1\n2\n', '1\n\\.'])('that ends too early is damaged: %j', async (text) => {
    const reader = new BackupReader(splitIntoChunks(text, 2))
    await expect(readText(reader.readRows())).rejects.toThrow('it ends too early')
  })

  it('is read only as far as needed', async () => {
    let chunksRead = 0
    async function* endless() {
      for (; ; chunksRead++) yield Buffer.from('row\n')
    }
    const rows = new BackupReader(endless()).readRows()
    await rows.next()
    expect(chunksRead).toBeLessThan(4)
  })
})
