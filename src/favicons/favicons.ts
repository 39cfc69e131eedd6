/**
 * The icons of users' websites. Belfry fetches an icon in the background when somebody who can see the website's statistics
 * requests it. The database caches icons, so that all nodes together fetch each icon once a day.
 */
import type { Logger } from 'pino'
import { addMs, type Clock } from '../lib/clock.ts'
import { FairQueue } from '../lib/fair-queue.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../shared/time.ts'
import type { Database } from '../storage/database.ts'
import type { FetchedIcon, FetchIcon } from './fetch-icon.ts'
import { claimIcon, findCachedIcon, saveIcon } from './store.ts'

const ICON_LIFETIME_MS = DAY_MS
/** A missing icon is cached for a shorter time, because the website may have been down. */
const MISSING_ICON_LIFETIME_MS = HOUR_MS
/** This is longer than a fetch takes. If this process ends during a fetch, another process can try after this time. */
const CLAIM_MS = MINUTE_MS
const MAX_CONCURRENT_FETCHES = 4
/** Users share the queue fairly. An icon that doesn't fit into the queue is fetched when the page requests it again. */
const MAX_QUEUED_FETCHES = 1_000

export type IconLookup = { state: 'found'; icon: FetchedIcon } | { state: 'missing' } | { state: 'pending' }

export interface IconWebsite {
  id: number
  teamId: number
  domain: string
}

interface QueuedFetch {
  website: IconWebsite
  /** `FairQueue` also limits bytes. Every entry counts as one byte. */
  bytes: number
}

interface FaviconDeps {
  db: Database
  clock: Clock
  log: Logger
  /** Undefined if the operator has turned icons off. */
  fetchIcon: FetchIcon | undefined
}

export class Favicons {
  readonly #deps: FaviconDeps
  readonly #queue = new FairQueue<QueuedFetch>({ maxItems: MAX_QUEUED_FETCHES, maxBytes: MAX_QUEUED_FETCHES })
  /** Websites in the queue or being fetched by this process. */
  readonly #pendingIds = new Set<number>()
  readonly #running = new Set<Promise<void>>()
  readonly #stopping = new AbortController()

  constructor(deps: FaviconDeps) {
    this.#deps = deps
  }

  /** Never waits for the website's server: if the icon isn't in the cache, fetches it in the background. */
  async find(website: IconWebsite): Promise<IconLookup> {
    const { clock, db, fetchIcon } = this.#deps
    if (fetchIcon === undefined) return { state: 'missing' }
    const cached = await findCachedIcon(db, website.id)
    if (cached === undefined || cached.isSample) return { state: 'missing' }
    const { icon, expiresAt } = cached
    const isFresh = expiresAt !== null && expiresAt > clock.now()
    const isBeingFetched = !isFresh && this.#enqueue(website)
    // An old icon is better than none.
    if (icon !== null) return { state: 'found', icon }
    return { state: isBeingFetched ? 'pending' : 'missing' }
  }

  /** Resolves when no fetch is waiting or running. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.settle()
  }

  /** Returns false if the user's share of the queue is used up. */
  #enqueue(website: IconWebsite): boolean {
    if (this.#stopping.signal.aborted) return false
    if (this.#pendingIds.has(website.id)) return true
    if (!this.#queue.add(website.teamId, { website, bytes: 1 })) return false
    this.#pendingIds.add(website.id)
    this.#startNext()
    return true
  }

  #startNext(): void {
    if (this.#running.size >= MAX_CONCURRENT_FETCHES || this.#stopping.signal.aborted) return
    const [next] = this.#queue.takeBatch({ maxItems: 1, maxBytes: 1 })
    if (next === undefined) return
    const run = this.#fetch(next.website)
      // The database may be unavailable. The next request for the icon tries again.
      .catch((error) =>
        this.#deps.log.debug({ err: error, website: next.website.id }, 'the icon of a website was not stored'),
      )
      .finally(() => {
        this.#running.delete(run)
        this.#pendingIds.delete(next.website.id)
        this.#startNext()
      })
    this.#running.add(run)
  }

  async #fetch({ id, domain }: IconWebsite): Promise<void> {
    const { clock, db, fetchIcon } = this.#deps
    const { signal } = this.#stopping
    const startedAt = clock.now()
    const isClaimed = await claimIcon(db, id, { now: startedAt, claimedUntil: addMs(startedAt, CLAIM_MS) })
    if (!isClaimed) return
    const icon = await fetchIcon?.(domain, signal)
    // A fetch that the shutdown interrupted says nothing about the website.
    if (signal.aborted) return
    const now = clock.now()
    const lifetimeMs = icon === undefined ? MISSING_ICON_LIFETIME_MS : ICON_LIFETIME_MS
    await saveIcon(db, id, { icon, now, expiresAt: addMs(now, lifetimeMs) })
  }
}
