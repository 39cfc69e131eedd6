/** Copies of status pages in the data folder: what is read back, and what is not. */
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '../../src/lib/log.ts'
import { CopyFolder } from '../../src/status-pages/serve/copy-folder.ts'
import { PageCopy } from '../../src/status-pages/serve/page-copy.ts'
import { createPageSnapshot } from '../support/status-page-snapshots.ts'

const storedCopies = join(import.meta.dirname, 'stored-copies')

let dataDir: string
let folder: string
let logLines: string[]
let copies: CopyFolder

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'belfry-copies-'))
  folder = join(dataDir, 'status-pages')
  logLines = []
  copies = new CopyFolder(
    dataDir,
    createLog('debug', { write: (line: string) => void logLines.push(JSON.parse(line).msg) }),
  )
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const createCopy = (slug: string, logo?: ConstructorParameters<typeof PageCopy>[1]) =>
  new PageCopy(createPageSnapshot({ page: { slug, logoHash: logo?.contentHash ?? null } }), logo)

async function readSlugs(): Promise<string[]> {
  return (await Array.fromAsync(copies.readAll())).map(({ snapshot }) => snapshot.page.slug).sort()
}

describe('a copy', () => {
  it('is read back as it was written, and only the user of the server can read the file', async () => {
    const copy = createCopy('example')
    await copies.write(copy)
    expect(copy.isStored).toBe(true)
    expect((await copies.read('example'))?.snapshot).toEqual(copy.snapshot)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    expect((await stat(join(folder, 'example.page'))).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['example.page'])
    await copies.remove('example')
    expect([await copies.read('example'), await readSlugs(), logLines]).toEqual([undefined, [], []])
  })

  it('of format 1 can be read, with its logo', async () => {
    await mkdir(folder)
    for (const name of await readdir(storedCopies)) await copyFile(join(storedCopies, name), join(folder, name))
    const copy = await copies.read('format-1')
    expect(copy?.snapshot).toMatchObject({
      format: 1,
      access: { pageId: 7, teamId: 3, privacy: 2 },
      page: { slug: 'format-1', title: 'Example status' },
      groups: [{ name: 'Website', monitors: [{ label: 'Shop', days: '0-89' }] }],
      posts: [{ title: 'Slow responses', updates: [{ body: 'It is **over**.' }] }],
    })
    expect(copy?.logo?.mediaType).toBe('image/svg+xml')
    expect(copy?.logo?.content.toString()).toMatch(/^<svg /)
  })

  it('is ignored if it is damaged, from a newer version, or for another page', async () => {
    await copies.write(createCopy('good-page'))
    const text = await readFile(join(folder, 'good-page.page'), 'utf8')
    await writeFile(join(folder, 'damaged.page'), text.replace('Example status', 'Example stasis'))
    await writeFile(join(folder, 'cut-short.page'), text.slice(0, -100))
    await writeFile(join(folder, 'newer.page'), text.replace('belfry-status-page 1 ', 'belfry-status-page 2 '))
    await writeFile(join(folder, 'empty.page'), '')
    await writeFile(join(folder, 'renamed.page'), text)
    await writeFile(join(folder, 'good-page.page.new'), text.slice(0, 100))
    expect(await readSlugs()).toEqual(['good-page'])
    expect(logLines).toEqual(Array(5).fill('ignored the copy of a status page'))
  })

  it('is kept without a logo whose content does not match its hash', async () => {
    const content = Buffer.from('<svg/>')
    await copies.write(createCopy('example', { mediaType: 'image/svg+xml', content, contentHash: 'f'.repeat(64) }))
    expect((await copies.read('example'))?.logo).toBeUndefined()
  })
})

describe('a data folder that accepts no files', () => {
  it('is reported once, and once more when it works again', async () => {
    // A file in place of the folder makes writes fail for every user, even for root.
    await writeFile(folder, '')
    await chmod(folder, 0o400)
    const copy = createCopy('example')
    for (let n = 0; n < 3; n++) await copies.write(copy)
    expect([copy.isStored, await readSlugs()]).toEqual([false, []])
    await rm(folder)
    await copies.write(copy)
    expect(copy.isStored).toBe(true)
    expect(logLines).toEqual([
      'cannot store copies of status pages in the data folder',
      'cannot read the copies of status pages',
      'the data folder accepts copies of status pages again',
    ])
  })
})
