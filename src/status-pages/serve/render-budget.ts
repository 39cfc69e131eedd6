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

/** Other programs may share the processor. The time that they take must not count, or a busy machine would refuse ordinary pages. */
function readThreadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Each server has one instance, which has the budgets of all users. */
export class RenderBudget {
  readonly #accounts = new BoundedMap<number, Account>(MAX_USERS)
  readonly #now: () => number
  readonly #readCpuMs: () => number

  /**
   * `now` returns the time of a monotonic clock in milliseconds. `readCpuMs` returns the processor time of this thread
   * in milliseconds.
   */
  constructor(now: () => number = () => performance.now(), readCpuMs: () => number = readThreadCpuMs) {
    this.#now = now
    this.#readCpuMs = readCpuMs
  }

  /** Calls `render`, and charges its processor time to the user. */
  spend<T>(teamId: number, render: () => T): T {
    const startedAt = this.#readCpuMs()
    try {
      return render()
    } finally {
      this.charge(teamId, this.#readCpuMs() - startedAt)
    }
  }

  charge(teamId: number, ms: number): void {
    this.#update(teamId).availableMs -= ms
  }

  isSpent(teamId: number): boolean {
    return this.#update(teamId).availableMs <= 0
  }

  /** Returns how long it takes until the user has a budget again, or 0 if the budget is not spent. */
  findWaitSeconds(teamId: number): number {
    const { availableMs } = this.#update(teamId)
    return availableMs > 0 ? 0 : Math.floor(-availableMs / RENDER_SHARE / 1_000) + 1
  }

  #update(teamId: number): Account {
    const now = this.#now()
    const account = this.#accounts.get(teamId) ?? { availableMs: MAX_BURST_MS, updatedAt: now }
    account.availableMs = Math.min(MAX_BURST_MS, account.availableMs + (now - account.updatedAt) * RENDER_SHARE)
    account.updatedAt = now
    this.#accounts.set(teamId, account)
    return account
  }
}
