/**
 * Copies of pages in the folder `status-pages` of the data folder, so that they can be served after a restart without the database.
 * Each page has a file `<slug>.page` and, if it has a logo, `<slug>.logo`. The files contain password hashes, so only the user that runs
 * Belfry can read them.
 *
 * The first line of a page's file names the format and has the SHA-256 of the rest, which is the snapshot as JSON.
 */
import { hash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { requireNoLinkForRoot } from '../../lib/private-file.ts'
import type { StoredLogo } from '../logo/store.ts'
import { SNAPSHOT_FORMAT, type StatusPageSnapshot } from '../snapshot.ts'
import { PageCopy } from './page-copy.ts'

const FILE_FORMAT = 1
const headPattern = /^belfry-status-page (\d+) ([0-9a-f]{64})$/
const pageFilePattern = /^([a-z0-9-]+)\.page$/
const digestOf = (content: string | Buffer) => hash('sha256', content, 'hex')

export class CopyFolder {
  readonly #path: string
  readonly #log: Logger
  #hasFailed = false

  constructor(dataDir: string, log: Logger) {
    this.#path = join(dataDir, 'status-pages')
    this.#log = log
  }

  async listSlugs(): Promise<string[]> {
    const names = await readdir(this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') this.#log.warn({ err: error }, 'cannot read the copies of status pages')
      return []
    })
    return names.flatMap((name) => pageFilePattern.exec(name)?.[1] ?? [])
  }

  async *readAll(): AsyncGenerator<PageCopy> {
    for (const slug of await this.listSlugs()) {
      const copy = await this.read(slug)
      if (copy !== undefined) yield copy
    }
  }

  /** Returns undefined if there is no usable copy. */
  async read(slug: string): Promise<PageCopy | undefined> {
    try {
      const snapshot = parseFile(await readFile(this.#pathOf(slug, 'page'), 'utf8'))
      if (snapshot.page.slug !== slug) throw new Error(`it belongs to the page ${snapshot.page.slug}`)
      return new PageCopy(snapshot, await this.#readLogo(slug, snapshot.page.logoHash), { isStored: true })
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') this.#log.warn({ page: slug, reason: message }, 'ignored the copy of a status page')
      return undefined
    }
  }

  async #readLogo(slug: string, logoHash: string | null): Promise<StoredLogo | undefined> {
    if (logoHash === null) return undefined
    const content = await readFile(this.#pathOf(slug, 'logo')).catch(() => undefined)
    return content !== undefined && digestOf(content) === logoHash ? toLogo(content, logoHash) : undefined
  }

  /** The folder may be full or read-only. Then pages are served from memory only. */
  async write(copy: PageCopy): Promise<void> {
    const { slug } = copy.snapshot.page
    try {
      requireNoLinkForRoot(this.#path)
      await mkdir(this.#path, { recursive: true, mode: 0o700 })
      if (copy.logo !== undefined) await this.#replaceFile(this.#pathOf(slug, 'logo'), copy.logo.content)
      await this.#replaceFile(this.#pathOf(slug, 'page'), formatFile(copy.snapshot))
      copy.isStored = true
      if (this.#hasFailed) this.#log.info({}, 'the data folder accepts copies of status pages again')
      this.#hasFailed = false
    } catch (error) {
      if (!this.#hasFailed)
        this.#log.warn({ reason: (error as Error).message }, 'cannot store copies of status pages in the data folder')
      this.#hasFailed = true
    }
  }

  async remove(slug: string): Promise<void> {
    try {
      await rm(this.#pathOf(slug, 'page'), { force: true })
      await rm(this.#pathOf(slug, 'logo'), { force: true })
    } catch (error) {
      this.#log.warn({ page: slug, reason: (error as Error).message }, 'cannot delete the copy of a status page')
    }
  }

  #pathOf(slug: string, kind: 'page' | 'logo'): string {
    return join(this.#path, `${slug}.${kind}`)
  }

  /** A crash or a power failure leaves the old file or the new one, but never a part of it. */
  async #replaceFile(path: string, content: string | Buffer): Promise<void> {
    const temporaryPath = `${path}.new`
    // The path may have a file from before a crash, or a link of an attacker.
    await rm(temporaryPath, { force: true })
    const file = await open(temporaryPath, 'wx', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporaryPath, path)
  }
}

/** In the file, the id of the team is called `userId`, as earlier versions of Belfry wrote it. */
type StoredAccess = Omit<StatusPageSnapshot['access'], 'teamId'> & { userId: number }

function formatFile({ access: { teamId, ...access }, ...snapshot }: StatusPageSnapshot): string {
  const storedAccess: StoredAccess = { ...access, userId: teamId }
  const json = JSON.stringify({ ...snapshot, access: storedAccess })
  return `belfry-status-page ${FILE_FORMAT} ${digestOf(json)}\n${json}`
}

function parseFile(text: string): StatusPageSnapshot {
  const headEnd = text.indexOf('\n')
  const [, format, digest] = headPattern.exec(text.slice(0, headEnd)) ?? []
  if (format === undefined) throw new Error('it has no header')
  if (Number(format) !== FILE_FORMAT) throw new Error(`its format is ${format}, not ${FILE_FORMAT}`)
  const json = text.slice(headEnd + 1)
  if (digestOf(json) !== digest) throw new Error('it is damaged')
  const snapshot = JSON.parse(json) as Omit<StatusPageSnapshot, 'access'> & { access: StoredAccess }
  if (snapshot.format !== SNAPSHOT_FORMAT) throw new Error(`the format of its snapshot is ${snapshot.format}`)
  const { userId: teamId, ...access } = snapshot.access
  return { ...snapshot, access: { ...access, teamId } }
}

/** All logos are PNG or SVG images. */
const toLogo = (content: Buffer, logoHash: string): StoredLogo => ({
  mediaType: content.subarray(0, 4).equals(Buffer.from('\x89PNG', 'latin1')) ? 'image/png' : 'image/svg+xml',
  content,
  contentHash: logoHash,
})
