/**
 * Copies of all status pages that strangers can open: those that are public or have a password. Requests are answered from them, so
 * a visitor costs no query, and pages are served while the database is unavailable. Private pages have no copy.
 */
import type { Logger } from 'pino'
import { type Clock, waitAtMost } from '../../lib/clock.ts'
import { unavailable } from '../../lib/problem.ts'
import { PRIVACY } from '../../shared/websites.ts'
import { isDatabaseUnavailable } from '../../storage/connection-loss.ts'
import type { PageKey, PageVersion } from '../load/versions.ts'
import { type CopyEntry, createEntry, hasMissedChange, isVerifiedWithin, replaceCopy } from './copy-entry.ts'
import type { CopyFolder } from './copy-folder.ts'
import type { CopySource, LoadedCopy } from './copy-source.ts'
import type { PageCopy } from './page-copy.ts'
import { prepareForm, renderBudget } from './render-form.ts'

/** An older copy is compared with the database while it is served. */
const RECHECK_AFTER_MS = 1_000
/** For an older copy, the request waits for the comparison, but only for a short time. */
const MAX_AGE_MS = 2_000
const MAX_CHECK_WAIT_MS = 500
/** The page shows its age if the copy was not compared for this long. */
const STALE_AFTER_MS = 5_000
/** A page that has not changed is read again after this time, because its figures depend on the time. */
const REREAD_AFTER_MS = 60_000
/** Once the render budget of a user is spent, visitors of their pages get a copy of at most this age. */
const MAX_THROTTLED_COPY_AGE_MS = 30_000
/** For the pages that were used last. A page of 100 monitors takes about 300 kB. The data folder has the others. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024

export interface FoundCopy {
  copy: PageCopy
  /** Whether the copy may be out of date, because the database is unavailable. */
  isStale: boolean
}

export class StatusPageCopies {
  readonly folder: CopyFolder
  readonly #log: Logger
  #clock: Clock
  #source: CopySource | undefined
  /** By slug. */
  readonly #entries = new Map<string, CopyEntry>()
  readonly #pendingEntries = new Map<string, Promise<CopyEntry | undefined>>()
  /** How often `forget` was called. A page that was read before a call may be one that is closed by now. */
  #forgetCount = 0

  constructor({ clock, folder, log }: { clock: Clock; folder: CopyFolder; log: Logger }) {
    this.#clock = clock
    this.folder = folder
    this.#log = log
  }

  /** Until this call, there are only the copies of the data folder. */
  connect(source: CopySource, clock: Clock): void {
    this.#source = source
    this.#clock = clock
    for (const entry of this.#entries.values()) entry.hasFailed = false
  }

  /** Reads the copies of the data folder. Returns their number. */
  async openFolder(): Promise<number> {
    for await (const copy of this.folder.readAll()) {
      this.#entries.set(copy.snapshot.page.slug, createEntry(copy, { version: '', verifiedAt: copy.snapshot.readAt }))
      copy.onRendered = () => this.limitMemory()
      if (this.#entries.size % 100 === 0) this.limitMemory()
    }
    return this.#entries.size
  }

  has(slug: string): boolean {
    return this.#entries.has(slug)
  }

  /** `domain` is in lower case and without a port. */
  findSlugByDomain(domain: string): string | undefined {
    return this.#entries.values().find(({ customDomain }) => customDomain === domain)?.slug
  }

  get entries(): readonly CopyEntry[] {
    return [...this.#entries.values()]
  }

  /** Returns a copy that needs no comparison with the database now. */
  findFresh(slug: string): PageCopy | undefined {
    const entry = this.#entries.get(slug)
    if (entry === undefined || entry.hasFailed || hasMissedChange(entry)) return undefined
    if (!isVerifiedWithin(entry, RECHECK_AFTER_MS, this.#now)) return undefined
    entry.usedAt = performance.now()
    return entry.copy
  }

  /** Returns undefined if the page doesn't exist or is private. Rejects if that can't be known without the database. */
  async find(slug: string): Promise<FoundCopy | undefined> {
    const known = this.#entries.get(slug)
    const entry = known === undefined ? await this.#addEntry(slug) : await this.#refreshIfOld(known)
    if (entry === undefined) return undefined
    const copy = entry.copy ?? (await this.#restore(entry))
    entry.usedAt = performance.now()
    const isStale = entry.hasFailed || !isVerifiedWithin(entry, STALE_AFTER_MS, this.#now)
    return { copy, isStale }
  }

  /** For the owner of a private page. The copy is used only once. */
  async loadPrivate(key: PageKey): Promise<FoundCopy | undefined> {
    const loaded = await this.#source?.load(key, this.#clock.now())
    return loaded && { copy: loaded.copy, isStale: false }
  }

  /** Call it after a request has changed something of this user, so that their pages show it at once. */
  noteChange(userId: number): void {
    for (const entry of this.#entries.values()) if (entry.key.userId === userId) entry.changeCount++
  }

  /** Call it after the access to a page has changed: nobody must get the old copy, not even while the database is slow. */
  async forget(pageId: number): Promise<void> {
    this.#forgetCount++
    for (const { slug, key } of this.entries) if (key.pageId === pageId) await this.remove(slug)
  }

  /** Reads a page that is new or has changed. Pages that are private lose their copy. */
  async refresh(version: PageVersion): Promise<void> {
    for (const { slug, key } of this.entries) {
      if (key.pageId === version.pageId && slug !== version.slug) await this.remove(slug)
    }
    const now = this.#clock.now()
    const forgetCount = this.#forgetCount
    const known = this.#entries.get(version.slug)
    if (known !== undefined && this.#mustKeep(known, version, now)) return
    const logo = known?.copy?.logo
    const loaded = version.privacy === PRIVACY.private ? undefined : await this.#source?.load(version, now, logo)
    // The next run reads the page again.
    if (forgetCount !== this.#forgetCount) return
    if (loaded === undefined || isPrivate(loaded)) await this.remove(version.slug)
    else this.#store(loaded, now)
  }

  /** Writes new copies to the data folder. */
  async store(signal: AbortSignal): Promise<void> {
    for (const { slug, copy } of this.entries) {
      if (signal.aborted) return
      if (copy === undefined || copy.isStored) continue
      await this.folder.write(copy)
      // The page may have become private in the meantime.
      if (!this.#entries.has(slug)) await this.folder.remove(slug)
    }
  }

  async remove(slug: string): Promise<void> {
    this.#entries.delete(slug)
    await this.folder.remove(slug)
  }

  /** Drops the renderings of the least recently used copies, and the whole copy if the data folder has it. */
  limitMemory(): void {
    let bytes = this.#entries.values().reduce((sum, { copy }) => sum + (copy?.size ?? 0), 0)
    if (bytes <= MAX_MEMORY_BYTES) return
    for (const entry of this.entries.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (bytes <= MAX_MEMORY_BYTES) return
      if (entry.copy === undefined) continue
      const { copy } = entry
      bytes -= copy.size
      copy.dropRenderings()
      if (copy.isStored) entry.copy = undefined
      else bytes += copy.size
    }
  }

  get #now(): number {
    return this.#clock.now().getTime()
  }

  #addEntry(slug: string): Promise<CopyEntry | undefined> {
    const pending =
      this.#pendingEntries.get(slug) ?? this.#readEntry(slug).finally(() => this.#pendingEntries.delete(slug))
    this.#pendingEntries.set(slug, pending)
    return pending
  }

  async #readEntry(slug: string): Promise<CopyEntry | undefined> {
    if (this.#source === undefined) throw unavailable('The database is unavailable.')
    const forgetCount = this.#forgetCount
    const page = await this.#source.findPage(slug)
    // A private page takes as long as a missing one, so that strangers can't tell them apart.
    if (page === undefined || page.privacy === PRIVACY.private) return undefined
    const now = this.#clock.now()
    const loaded = await this.#source.load(page, now)
    if (forgetCount !== this.#forgetCount) return this.#readEntry(slug)
    return loaded === undefined || isPrivate(loaded) ? undefined : this.#store(loaded, now)
  }

  #store({ copy, version }: LoadedCopy, now: Date): CopyEntry {
    const { slug } = copy.snapshot.page
    const entry = createEntry(copy, { version, verifiedAt: now.getTime() })
    copy.onRendered = () => this.limitMemory()
    this.#entries.set(slug, entry)
    return entry
  }

  async #refreshIfOld(entry: CopyEntry): Promise<CopyEntry | undefined> {
    const mustWait = hasMissedChange(entry) || !isVerifiedWithin(entry, MAX_AGE_MS, this.#now)
    if (!mustWait) {
      if (!isVerifiedWithin(entry, RECHECK_AFTER_MS, this.#now)) void this.#check(entry)
      return entry
    }
    // A database that did not respond to the last comparison would make every visitor wait.
    const mayWait = !entry.hasFailed
    await this.#waitBriefly(this.#check(entry), mayWait)
    // The comparison may have begun before the change.
    if (hasMissedChange(entry) && mayWait) await this.#waitBriefly(this.#check(entry), !entry.hasFailed)
    return this.#entries.get(entry.slug)
  }

  async #waitBriefly(check: NonNullable<CopyEntry['check']>, mayWait: boolean): Promise<void> {
    const waitMs = check.startedAt + MAX_CHECK_WAIT_MS - performance.now()
    if (mayWait && waitMs > 0) await waitAtMost(waitMs, check.promise)
  }

  /** At most one comparison of each page runs at a time. Its promise never rejects. */
  #check(entry: CopyEntry): NonNullable<CopyEntry['check']> {
    entry.check ??= {
      startedAt: performance.now(),
      promise: this.#runCheck(entry).finally(() => {
        entry.check = undefined
      }),
    }
    return entry.check
  }

  async #runCheck(entry: CopyEntry): Promise<void> {
    const { slug, changeCount } = entry
    const now = this.#clock.now()
    try {
      if (this.#source === undefined) throw unavailable('The database is unavailable.')
      const version = await this.#source.findVersion(slug, now)
      if (version === undefined || version.privacy === PRIVACY.private) return await this.remove(slug)
      const isUnchanged =
        version.version === entry.version && entry.copy !== undefined && now.getTime() - entry.readAt < REREAD_AFTER_MS
      const isKept = isUnchanged || (this.#mustKeep(entry, version, now) && !hasMissedChange(entry))
      if (!isKept && !(await this.#reread(entry, version, now))) return await this.remove(slug)
      Object.assign(entry, { verifiedAt: now.getTime(), verifiedChangeCount: changeCount, hasFailed: false })
    } catch (error) {
      entry.hasFailed = true
      if (!isDatabaseUnavailable(error)) this.#log.error({ err: error, page: slug }, 'cannot read a status page')
    }
  }

  /** Renders what the old copy had rendered, so that no visitor waits for it. Returns whether the page still exists. */
  async #reread(entry: CopyEntry, key: PageKey, now: Date): Promise<boolean> {
    const loaded = await this.#source?.load(key, now, entry.copy?.logo)
    if (loaded === undefined || isPrivate(loaded)) return false
    const variants = entry.copy?.listUsedVariants().filter(({ ageMinutes }) => ageMinutes === undefined) ?? []
    await Promise.all(variants.map((variant) => prepareForm(loaded.copy, variant)))
    this.#replace(entry, loaded.copy, loaded.version)
    return true
  }

  async #restore(entry: CopyEntry): Promise<PageCopy> {
    const copy = await this.folder.read(entry.slug)
    if (copy === undefined) throw unavailable('The database is unavailable.')
    this.#replace(entry, copy, '')
    return copy
  }

  #replace(entry: CopyEntry, copy: PageCopy, version: string): void {
    copy.onRendered = () => this.limitMemory()
    replaceCopy(entry, copy, version)
  }

  /**
   * Whether visitors get the copy that exists instead of a new one, because the render budget of the page's owner is spent. A copy with
   * outdated access rules is never kept.
   */
  #mustKeep({ key, copy, readAt }: CopyEntry, version: PageVersion, now: Date): boolean {
    if (copy === undefined || !copy.hasRenderings || !renderBudget.isSpent(key.userId)) return false
    const { privacy, passwordHash } = copy.snapshot.access
    const hasSameAccess = privacy === version.privacy && passwordHash === version.passwordHash
    return hasSameAccess && now.getTime() - readAt < MAX_THROTTLED_COPY_AGE_MS
  }
}

const isPrivate = ({ copy }: LoadedCopy) => copy.snapshot.access.privacy === PRIVACY.private
