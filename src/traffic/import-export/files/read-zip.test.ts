import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { makeZip } from '../../../../tests/support/zip.ts'
import { findImportFiles } from './input-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'belfry-zip-'))
afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, bytes: Uint8Array): string {
  writeFileSync(join(folder, name), bytes)
  return join(folder, name)
}

async function readAll(path: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const { name, read } of await findImportFiles(path)) {
    files[name] = Buffer.concat(await Array.fromAsync(read(() => {}))).toString()
  }
  return files
}

const long = 'date,visitors\n'.repeat(20_000)

describe('a zip file', () => {
  it('gives its CSV files, packed or not, and nothing else', async () => {
    const path = write(
      'good.zip',
      makeZip([
        { name: 'folder/', text: '' },
        { name: 'folder/b.csv', text: long },
        { name: 'a.csv', text: 'a,b\n', isStored: true },
        { name: 'empty.csv', text: '', isStored: true },
        { name: 'read.me', text: 'hello' },
        { name: '__MACOSX/folder/._b.csv', text: 'nothing' },
      ]),
    )
    expect(await readAll(path)).toEqual({ 'a.csv': 'a,b\n', 'empty.csv': '', 'folder/b.csv': long })
  })

  it('may have a comment', async () => {
    const zip = makeZip([{ name: 'a.csv', text: 'a\n' }], { comment: 'PK made by nobody' })
    expect(await readAll(write('comment.zip', zip))).toEqual({ 'a.csv': 'a\n' })
  })

  it('says how much of it has been read', async () => {
    const [input] = await findImportFiles(write('bytes.zip', makeZip([{ name: 'a.csv', text: long }])))
    let bytes = 0
    for await (const _ of input?.read((more) => (bytes += more)) ?? []);
    expect(bytes).toBe(input?.bytes)
    expect(bytes).toBe(deflateRawSync(long).length)
  })

  const zip = makeZip([{ name: 'a.csv', text: long }])
  const change = (at: number, value: number) => {
    const changed = Buffer.from(zip)
    changed.writeUInt16LE(value, at)
    return changed
  }
  const directory = zip.indexOf('PK\x01\x02')
  it.each([
    ['is damaged inside', change(60, 0xabcd), 'is damaged'],
    ['has another checksum', change(directory + 16, crc32('x') & 0xffff), 'a.csv in'],
    ['has lost its end', zip.subarray(0, -30), 'is no zip file, or it ends too early'],
    ['has lost its beginning', zip.subarray(0, 40), 'is no zip file, or it ends too early'],
    ['is encrypted', change(directory + 8, 1), 'is encrypted'],
    ['is packed otherwise', change(directory + 10, 14), 'packed in a way that Belfry does not know'],
    ['is of the large kind', change(zip.length - 12, 0xffff), '(zip64). Unpack it, and give the folder.'],
    ['holds no CSV', makeZip([{ name: 'a.txt', text: '' }]), 'There is no CSV file in'],
  ])('is refused where it %s', async (name, bytes, complaint) => {
    await expect(readAll(write(`${name}.zip`, bytes))).rejects.toThrow(complaint)
  })
})
