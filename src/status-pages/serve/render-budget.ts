/**
 * Limits how much of the main thread the pages of one user take to render. A page with hundreds of monitors takes a good part of a
 * second, and its owner can make its content change every second. Without a limit, visitors of such pages could keep the server busy.
 */
import { BoundedMap } from '../../lib/bounded-map.ts'

/** The share of the main thread that the pages of one user can take in the long run. */
const RENDER_SHARE = 0.2
/** How long the pages of one user can take to render without a pause. */
const MAX_BURST_MS = 2_000
/** Users whose pages were rendered least recently are forgotten, and start with a full budget again. */
const MAX_USERS = 10_000

interface Account {
  availableMs: number
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
      account.availableMs -= this.#now() - startedAt
    }
  }

  isSpent(userId: number): boolean {
    return this.#update(userId).availableMs <= 0
  }

  /** How long it takes until the user has a budget again. 0 if it is not spent. */
  findWaitSeconds(userId: number): number {
    const { availableMs } = this.#update(userId)
    return availableMs > 0 ? 0 : Math.floor(-availableMs / RENDER_SHARE / 1_000) + 1
  }

  #update(userId: number): Account {
    const now = this.#now()
    const account = this.#accounts.get(userId) ?? { availableMs: MAX_BURST_MS, updatedAt: now }
    account.availableMs = Math.min(MAX_BURST_MS, account.availableMs + (now - account.updatedAt) * RENDER_SHARE)
    account.updatedAt = now
    this.#accounts.set(userId, account)
    return account
  }
}
