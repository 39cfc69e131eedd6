/**
 * Limits how much of the main thread the pages of one user take to render. A page with hundreds of monitors takes a good part of a
 * second, and its owner can make its content change every second. Without a limit, visitors of such pages could keep the server busy.
 */
import { BoundedMap } from '../../lib/bounded-map.ts'

/** The share of the main thread that the pages of one user can take in the long run. */
const RENDER_SHARE = 0.2
/** How much rendering a user's pages can do without a pause. */
const MAX_SAVED_MS = 2_000
/** Users whose pages were rendered last. Others have not spent anything. */
const MAX_USERS = 10_000

interface Account {
  savedMs: number
  updatedAt: number
}

export class RenderBudget {
  readonly #accounts = new BoundedMap<number, Account>(MAX_USERS)
  readonly #now: () => number

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Renders, and charges the time to the user. */
  spend<T>(userId: number, render: () => T): T {
    const startedAt = this.#now()
    try {
      return render()
    } finally {
      const account = this.#update(userId)
      account.savedMs -= this.#now() - startedAt
    }
  }

  isSpent(userId: number): boolean {
    return this.#update(userId).savedMs <= 0
  }

  #update(userId: number): Account {
    const now = this.#now()
    const account = this.#accounts.get(userId) ?? { savedMs: MAX_SAVED_MS, updatedAt: now }
    account.savedMs = Math.min(MAX_SAVED_MS, account.savedMs + (now - account.updatedAt) * RENDER_SHARE)
    account.updatedAt = now
    this.#accounts.set(userId, account)
    return account
  }
}
