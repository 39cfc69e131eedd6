import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createZip } from '../../../../tests/support/zip.ts'
import { type ImportFile, openImportFiles } from './input-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'belfry-zip-'))
afterAll(() => rmSync(folder, { recursive: true }))

function writeFile(name: string, bytes: Uint8Array): string {
  writeFileSync(join(folder, name), bytes)
  return join(folder, name)
}

async function findImportFiles(path: string): Promise<ImportFile[]> {
  const { files, close } = await openImportFiles(path)
  onTestFinished(close)
  return files
}

async function readAll(path: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const { name, read } of await findImportFiles(path)) {
    files[name] = Buffer.concat(await Array.fromAsync(read(() => {}))).toString()
  }
  return files
}

const longText = 'date,visitors\n'.repeat(20_000)

describe('a ZIP archive', () => {
  it('yields its CSV files, compressed or not, and no other files', async () => {
    const path = writeFile(
      'good.zip',
      createZip([
        { name: 'folder/', text: '' },
        { name: 'folder/b.csv', text: longText },
        { name: 'a.csv', text: 'a,b\n', isStored: true },
        { name: 'empty.csv', text: '', isStored: true },
        { name: 'read.me', text: 'hello' },
        { name: '__MACOSX/folder/._b.csv', text: 'nothing' },
      ]),
    )
    expect(await readAll(path)).toEqual({ 'a.csv': 'a,b\n', 'empty.csv': '', 'folder/b.csv': longText })
  })

  it('may have a comment', async () => {
    const zip = createZip([{ name: 'a.csv', text: 'a\n' }], { comment: 'PK is not a signature here' })
    expect(await readAll(writeFile('comment.zip', zip))).toEqual({ 'a.csv': 'a\n' })
  })

  it('reports how many bytes of it have been read', async () => {
    const [file] = await findImportFiles(writeFile('bytes.zip', createZip([{ name: 'a.csv', text: longText }])))
    let bytes = 0
    for await (const _ of file?.read((readBytes) => (bytes += readBytes)) ?? []);
    expect(bytes).toBe(file?.bytes)
    expect(bytes).toBe(deflateRawSync(longText).length)
  })

  it('does not have to be read to its end', async () => {
    const [file] = await findImportFiles(writeFile('partial.zip', createZip([{ name: 'a.csv', text: longText }])))
    for await (const chunk of file?.read(() => {}) ?? []) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
  })

  const zip = createZip([{ name: 'a.csv', text: longText }])
  const changeBytes = (offset: number, value: number) => {
    const changedZip = Buffer.from(zip)
    changedZip.writeUInt16LE(value, offset)
    return changedZip
  }
  const directoryOffset = zip.indexOf('PK\x01\x02')
  it.each([
    ['has damaged contents', changeBytes(60, 0xabcd), 'is damaged'],
    ['has a wrong checksum', changeBytes(directoryOffset + 16, crc32('x') & 0xffff), 'a.csv in'],
    ['unpacks to more than it declares', changeBytes(directoryOffset + 24, 100), 'a.csv in'],
    ['has no end', zip.subarray(0, -30), 'is not a ZIP file, or it is truncated'],
    ['has only its beginning', zip.subarray(0, 40), 'is not a ZIP file, or it is truncated'],
    ['is encrypted', changeBytes(directoryOffset + 8, 1), 'is encrypted'],
    [
      'has an unknown compression method',
      changeBytes(directoryOffset + 10, 14),
      'compression method that Belfry does not support',
    ],
    ['declares tens of thousands of files', changeBytes(zip.length - 12, 0xffff), 'has more than 10000 files'],
    ['has no CSV file', createZip([{ name: 'a.txt', text: '' }]), 'There is no CSV file in'],
    ['leads out of its folder', createZip([{ name: '../a.csv', text: 'a\n' }]), 'is damaged'],
  ])('is rejected if it %s', async (name, bytes, message) => {
    await expect(readAll(writeFile(`${name}.zip`, bytes))).rejects.toThrow(message)
  })
})
