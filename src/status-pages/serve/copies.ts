/**
 * Copies of all status pages that strangers can open: those that are public or have a password. Requests are answered
 * from copies, so a visitor costs no query, and pages are served while the database is unavailable. The copy of a
 * private page is only for its owner, and is kept only for a second.
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
import { RenderBudget } from './render-budget.ts'
import { prepareFormat, refuseIfBudgetIsSpent } from './render-format.ts'

/** A copy that is older than this is compared with the database while it is served. */
const RECHECK_AFTER_MS = 1_000
/** A request for a copy that is older than this waits for the comparison, but only for `MAX_CHECK_WAIT_MS`. */
const MAX_AGE_MS = 2_000
const MAX_CHECK_WAIT_MS = 500
/** The page shows its age if its copy was last compared with the database longer ago than this. */
const STALE_AFTER_MS = 5_000
/** A page that has not changed is read again after this time, because its figures depend on the time. */
const REREAD_AFTER_MS = 60_000
/** Once the render budget of a user is spent, visitors of their pages get a copy of at most this age. */
const MAX_THROTTLED_COPY_AGE_MS = 30_000
/** The most recently used copies stay in memory, and the others only in the data folder. A page of 100 monitors takes about 300 kB. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024
/**
 * The owner of a private page gets the same copy for this long, unless a request to this node has changed data of the
 * owner.
 */
const MAX_PRIVATE_COPY_AGE_MS = 1_000
const MAX_PRIVATE_COPIES = 20

export interface FoundCopy {
  copy: PageCopy
  /** Whether the copy may be out of date, because the database is unavailable. */
  isStale: boolean
}

interface PrivateCopy {
  teamId: number
  /** When the node began to read the page, in epoch milliseconds. */
  startedAt: number
  copy: Promise<PageCopy | undefined>
}

export class StatusPageCopies {
  readonly folder: CopyFolder
  readonly renderBudget = new RenderBudget()
  readonly #log: Logger
  #clock: Clock
  #source: CopySource | undefined
  /** Entries by slug. */
  readonly #entries = new Map<string, CopyEntry>()
  readonly #pendingEntries = new Map<string, Promise<CopyEntry | undefined>>()
  /** Private copies by the id of the page, oldest first. */
  readonly #privateCopies = new Map<number, PrivateCopy>()
  /** How often `forget` was called. If the number changes while a page is being read, visitors may have lost access to the page. */
  #forgetCount = 0

  constructor({ clock, folder, log }: { clock: Clock; folder: CopyFolder; log: Logger }) {
    this.#clock = clock
    this.folder = folder
    this.#log = log
  }

  /** Until this call, visitors get only the copies that `openFolder` has read. */
  connect(source: CopySource, clock: Clock): void {
    this.#source = source
    this.#clock = clock
    for (const entry of this.#entries.values()) entry.hasFailed = false
  }

  /** Reads the copies of pages from the data folder, and returns how many there are. */
  async openFolder(): Promise<number> {
    for await (const copy of this.folder.readAll()) {
      this.#entries.set(copy.snapshot.page.slug, createEntry(copy, { version: '', verifiedAt: copy.snapshot.readAt }))
      this.#adopt(copy)
      if (this.#entries.size % 100 === 0) this.limitMemory()
    }
    return this.#entries.size
  }

  /** Throws if the server has no database yet. */
  get source(): CopySource {
    if (this.#source === undefined) throw unavailable('The database is unavailable.')
    return this.#source
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

  /**
   * Returns undefined if the page doesn't exist or is private. Rejects if only the database knows that and the database
   * is unavailable. Also rejects if the page has to be read although the render budget of its owner is spent.
   */
  async find(slug: string): Promise<FoundCopy | undefined> {
    const knownEntry = this.#entries.get(slug)
    if (knownEntry !== undefined && knownEntry.copy === undefined)
      refuseIfBudgetIsSpent(this.renderBudget, knownEntry.key.teamId)
    const entry = knownEntry === undefined ? await this.#addEntry(slug) : await this.#refreshIfOld(knownEntry)
    if (entry === undefined) return undefined
    const copy = entry.copy ?? (await this.#restore(entry))
    entry.usedAt = performance.now()
    const isStale = entry.hasFailed || !isVerifiedWithin(entry, STALE_AFTER_MS, this.#now)
    return { copy, isStale }
  }

  /**
   * Returns a copy of a private page for its owner. Concurrent requests share one copy. Rejects if the render budget of
   * the owner is spent.
   */
  async loadPrivate(key: PageKey): Promise<FoundCopy | undefined> {
    this.#dropOldPrivateCopies()
    const recentCopy = this.#privateCopies.get(key.pageId)
    const copy = await (recentCopy?.teamId === key.teamId ? recentCopy.copy : this.#readPrivate(key))
    return copy && { copy, isStale: false }
  }

  /** Call it after a request has changed data of this user, so that the user's pages show the change immediately. */
  noteChange(teamId: number): void {
    for (const [pageId, copy] of this.#privateCopies) if (copy.teamId === teamId) this.#privateCopies.delete(pageId)
    for (const entry of this.#entries.values()) if (entry.key.teamId === teamId) entry.changeCount++
  }

  /** Call it after a setting of the server has changed that pages depend on, such as its public URL. */
  noteServerChange(): void {
    this.#privateCopies.clear()
    for (const entry of this.#entries.values()) {
      entry.version = ''
      entry.changeCount++
      entry.copy?.dropRenderings()
    }
  }

  /** Call it after the access to a page has changed: nobody must get the old copy, not even while the database is slow. */
  async forget(pageId: number): Promise<void> {
    this.#forgetCount++
    this.#privateCopies.delete(pageId)
    for (const { slug, key } of this.entries) if (key.pageId === pageId) await this.remove(slug)
  }

  /** Reads a page that is new or has changed. Pages that are private lose their copy. */
  async refresh(version: PageVersion): Promise<void> {
    for (const { slug, key } of this.entries) {
      if (key.pageId === version.pageId && slug !== version.slug) await this.remove(slug)
    }
    const now = this.#clock.now()
    const forgetCount = this.#forgetCount
    const entry = this.#entries.get(version.slug)
    if (entry !== undefined && this.#mustKeep(entry, version, now)) return
    const logo = entry?.copy?.logo
    const loadedCopy = version.privacy === PRIVACY.private ? undefined : await this.#source?.load(version, now, logo)
    // `forget` was called in the meantime, so visitors may have lost access to the page. The next run reads it again.
    if (forgetCount !== this.#forgetCount) return
    if (loadedCopy === undefined || isPrivate(loadedCopy)) await this.remove(version.slug)
    else this.#store(loadedCopy, now)
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

  /**
   * Drops the renderings of the least recently used copies, and the copies themselves if the data folder has them. Only
   * users who take more than their share of the memory lose copies, so a user with many large pages can't push out the
   * pages of others.
   */
  limitMemory(): void {
    this.#dropOldPrivateCopies()
    const bytesByTeam = new Map<number, number>()
    for (const { key, copy } of this.#entries.values()) {
      bytesByTeam.set(key.teamId, (bytesByTeam.get(key.teamId) ?? 0) + (copy?.size ?? 0))
    }
    let bytes = bytesByTeam.values().reduce((sum, userBytes) => sum + userBytes, 0)
    if (bytes <= MAX_MEMORY_BYTES) return
    const share = findFairShare([...bytesByTeam.values()], MAX_MEMORY_BYTES)
    for (const entry of this.entries.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (bytes <= MAX_MEMORY_BYTES) return
      const { copy, key } = entry
      const userBytes = bytesByTeam.get(key.teamId) ?? 0
      if (copy === undefined || userBytes <= share) continue
      const sizeBefore = copy.size
      copy.dropRenderings()
      if (copy.isStored) entry.copy = undefined
      const freedBytes = sizeBefore - (entry.copy?.size ?? 0)
      bytes -= freedBytes
      bytesByTeam.set(key.teamId, userBytes - freedBytes)
    }
  }

  get #now(): number {
    return this.#clock.now().getTime()
  }

  #addEntry(slug: string): Promise<CopyEntry | undefined> {
    const pendingEntry =
      this.#pendingEntries.get(slug) ?? this.#readEntry(slug).finally(() => this.#pendingEntries.delete(slug))
    this.#pendingEntries.set(slug, pendingEntry)
    return pendingEntry
  }

  async #readEntry(slug: string): Promise<CopyEntry | undefined> {
    const { source } = this
    const forgetCount = this.#forgetCount
    const page = await source.findPage(slug)
    // The response for a private page takes as long as that for a missing one, so that strangers can't tell them apart.
    if (page === undefined || page.privacy === PRIVACY.private) return undefined
    refuseIfBudgetIsSpent(this.renderBudget, page.teamId)
    const now = this.#clock.now()
    const loadedCopy = await source.load(page, now)
    if (forgetCount !== this.#forgetCount) return this.#readEntry(slug)
    return loadedCopy === undefined || isPrivate(loadedCopy) ? undefined : this.#store(loadedCopy, now)
  }

  #readPrivate(key: PageKey): Promise<PageCopy | undefined> {
    const { teamId, pageId } = key
    refuseIfBudgetIsSpent(this.renderBudget, teamId)
    const now = this.#clock.now()
    const copy = Promise.resolve(this.#source?.load(key, now)).then((loadedCopy) => loadedCopy?.copy)
    const [oldestId] = this.#privateCopies.keys()
    if (this.#privateCopies.size >= MAX_PRIVATE_COPIES && oldestId !== undefined) this.#privateCopies.delete(oldestId)
    this.#privateCopies.set(pageId, { teamId, startedAt: now.getTime(), copy })
    copy.catch(() => {
      if (this.#privateCopies.get(pageId)?.copy === copy) this.#privateCopies.delete(pageId)
    })
    return copy
  }

  #dropOldPrivateCopies(): void {
    const now = this.#now
    for (const [pageId, { startedAt }] of this.#privateCopies) {
      const isNew = now - startedAt <= MAX_PRIVATE_COPY_AGE_MS && now >= startedAt
      if (!isNew) this.#privateCopies.delete(pageId)
    }
  }

  #store({ copy, version }: LoadedCopy, now: Date): CopyEntry {
    const { slug } = copy.snapshot.page
    const entry = createEntry(copy, { version, verifiedAt: now.getTime() })
    this.#adopt(copy)
    this.#entries.set(slug, entry)
    return entry
  }

  async #refreshIfOld(entry: CopyEntry): Promise<CopyEntry | undefined> {
    const mustWait = hasMissedChange(entry) || !isVerifiedWithin(entry, MAX_AGE_MS, this.#now)
    if (!mustWait) {
      if (!isVerifiedWithin(entry, RECHECK_AFTER_MS, this.#now)) void this.#check(entry)
      return entry
    }
    // If the database did not respond to the last comparison, waiting for it again would delay every visitor.
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

  /** At most one comparison of each page runs at a time. The promise of a comparison never rejects. */
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
      const version = await this.source.findVersion(slug, now)
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

  /**
   * Reads the page again, and renders the formats that visitors have used, so that no visitor waits for them. If the
   * owner changes the page all the time, this stops rendering when the owner's render budget is spent. Returns false if
   * the page doesn't exist or is private.
   */
  async #reread(entry: CopyEntry, key: PageKey, now: Date): Promise<boolean> {
    const loadedCopy = await this.#source?.load(key, now, entry.copy?.logo)
    if (loadedCopy === undefined || isPrivate(loadedCopy)) return false
    const mayRender = !hasMissedChange(entry) || !this.renderBudget.isSpent(key.teamId)
    const usedVariants = mayRender ? (entry.copy?.listUsedVariants() ?? []) : []
    const variants = usedVariants.filter(({ ageMinutes }) => ageMinutes === undefined)
    await Promise.all(variants.map((variant) => prepareFormat(loadedCopy.copy, variant)))
    this.#replace(entry, loadedCopy.copy, loadedCopy.version)
    return true
  }

  async #restore(entry: CopyEntry): Promise<PageCopy> {
    const copy = await this.folder.read(entry.slug)
    if (copy === undefined) throw unavailable('The database is unavailable.')
    this.#replace(entry, copy, '')
    return copy
  }

  #adopt(copy: PageCopy): void {
    copy.renderBudget = this.renderBudget
    copy.onRendered = () => this.limitMemory()
  }

  #replace(entry: CopyEntry, copy: PageCopy, version: string): void {
    this.#adopt(copy)
    replaceCopy(entry, copy, version)
  }

  /**
   * Whether visitors get the copy that exists instead of a new one, because the render budget of the page's owner is spent. A copy with
   * outdated access rules is never kept.
   */
  #mustKeep({ key, copy, readAt }: CopyEntry, version: PageVersion, now: Date): boolean {
    if (copy === undefined || !this.renderBudget.isSpent(key.teamId)) return false
    const { privacy, passwordHash } = copy.snapshot.access
    const hasSameAccess = privacy === version.privacy && passwordHash === version.passwordHash
    return hasSameAccess && now.getTime() - readAt < MAX_THROTTLED_COPY_AGE_MS
  }
}

const isPrivate = ({ copy }: LoadedCopy) => copy.snapshot.access.privacy === PRIVACY.private

/**
 * Divides `total` among users: those who need less than an equal part get what they need, and the others share the rest equally. Returns
 * how much each of the others gets.
 */
function findFairShare(sizes: readonly number[], total: number): number {
  let remainingBytes = total
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = remainingBytes / (sizes.length - index)
    if (size > share) return share
    remainingBytes -= size
  }
  return total
}
