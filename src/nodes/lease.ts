/**
 * Keeps the claims of this process on checks and messages: as long as its heartbeat reaches the database, other nodes
 * leave them alone. Each claim carries a node id. If the lease expires, the process continues with new node ids, and
 * results under the old ones are ignored.
 */
import type { Logger } from 'pino'
import type { Role } from '../config/config.ts'
import { type Clock, systemClock, waitAtMost } from '../lib/clock.ts'
import type { Queries } from '../storage/transaction.ts'
import type { DatabaseClock } from './database-clock.ts'
import { createRandomId, deleteNodes, insertNodes, type LiveLease, type NodeProcess, sendHeartbeat } from './store.ts'

const HEARTBEAT_INTERVAL_MS = 1_000
/** Other nodes take over after 6 seconds without a heartbeat. This process stops using its claims earlier. */
const LEASE_VALID_MS = 4_000
const STOP_TIMEOUT_MS = 1_000
/**
 * After a database outage every node looks expired until its next heartbeat, and nodes may still have to store which
 * messages they sent. So this process releases no claims of expired nodes until every node has had time for both.
 */
const STABLE_AFTER_MS = 3_000

interface Deps {
  db: Queries
  log: Logger
  /** The roles of this process, which other nodes see. */
  roles?: Iterable<Role>
  /** Every heartbeat measures PostgreSQL's time for this clock. */
  databaseClock?: DatabaseClock
  /** Called after every heartbeat with the leases of all nodes. */
  onHeartbeat?(liveLeases: readonly LiveLease[]): void
  /** This machine's clock. */
  localClock?: Clock
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

export class Lease {
  readonly #deps: Deps
  readonly #now: () => number
  readonly #localClock: Clock
  readonly #process: NodeProcess
  /** Each claimant's id; undefined until the database has stored it. */
  readonly #ids = new Map<Claimant, number | undefined>()
  /** Ids that this process no longer uses. The next heartbeat deletes them, so that other nodes needn't wait for them to expire. */
  readonly #abandonedIds = new Set<number>()
  #renewedAt = Number.NEGATIVE_INFINITY
  /** The time of the last heartbeat by this machine's clock. */
  #renewedAtLocal = Number.NEGATIVE_INFINITY
  /** When an expired lease was last regained. */
  #regainedAt = Number.NEGATIVE_INFINITY
  #firstRenewal: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #currentRenewal: Promise<void> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#now = deps.now ?? (() => performance.now())
    this.#localClock = deps.localClock ?? systemClock
    this.#process = { processId: createRandomId(), roles: [...(deps.roles ?? [])] }
  }

  get processId(): number {
    return this.#process.processId
  }

  /** Call it before `start`, because the first heartbeat gives every claimant its id. */
  createClaimant(): Claimant {
    const claimant = new Claimant(this)
    this.#ids.set(claimant, undefined)
    return claimant
  }

  findId(claimant: Claimant): number | undefined {
    return this.#ids.get(claimant)
  }

  /**
   * Whether other nodes still respect the claims of this process. While a machine sleeps, its monotonic clock may stand still, but
   * its wall clock is usually right when it wakes up. So the lease is valid only if both clocks say so.
   */
  isValid(): boolean {
    const elapsedMs = Math.max(this.#now() - this.#renewedAt, this.#localClock.now().getTime() - this.#renewedAtLocal)
    return elapsedMs < LEASE_VALID_MS
  }

  /** Milliseconds since the last heartbeat that reached the database. */
  get ageMs(): number {
    return this.#now() - this.#renewedAt
  }

  /** Whether the database has been reachable for long enough to trust that nodes without a heartbeat have expired. */
  isStable(): boolean {
    return this.isValid() && this.#now() - this.#regainedAt > STABLE_AFTER_MS
  }

  /** Starts the heartbeat. Later calls only wait for the first heartbeat. */
  start(): Promise<void> {
    this.#timer ??= setInterval(() => void this.renew(), HEARTBEAT_INTERVAL_MS)
    this.#firstRenewal ??= this.renew()
    return this.#firstRenewal
  }

  renew(): Promise<void> {
    this.#currentRenewal ??= this.#renew().finally(() => {
      this.#currentRenewal = undefined
    })
    return this.#currentRenewal
  }

  async #renew(): Promise<void> {
    const [startedAt, startedAtLocal] = [this.#now(), this.#localClock.now().getTime()]
    const isFirstRenewal = this.#renewedAt === Number.NEGATIVE_INFINITY
    const wasValid = this.isValid()
    try {
      await this.#renewIds()
      await this.#insertMissingIds()
      this.#renewedAt = startedAt
      this.#renewedAtLocal = startedAtLocal
      if (!wasValid && !isFirstRenewal) this.#regainedAt = this.#now()
    } catch (error) {
      this.#deps.log.debug({ reason: (error as Error).message }, 'could not renew the lease')
    }
  }

  async #renewIds(): Promise<void> {
    const { db, databaseClock, onHeartbeat } = this.#deps
    const ids = this.#currentIds()
    const finishMeasurement = databaseClock?.startMeasurement()
    const abandonedIds = [...this.#abandonedIds]
    const { renewedIds, liveLeases, databaseTimeMs } = await sendHeartbeat(db, ids, abandonedIds)
    for (const id of abandonedIds) this.#abandonedIds.delete(id)
    finishMeasurement?.(databaseTimeMs)
    onHeartbeat?.(liveLeases)
    const expiredIds = ids.filter((id) => !renewedIds.includes(id))
    if (expiredIds.length === 0) return
    this.#deps.log.warn({ nodes: expiredIds }, 'the lease of this process expired, continuing under a new id')
    for (const [claimant, id] of this.#ids) {
      if (id !== undefined && expiredIds.includes(id)) this.#ids.set(claimant, undefined)
    }
  }

  async #insertMissingIds(): Promise<void> {
    const claimantsWithoutId = [...this.#ids].filter(([, id]) => id === undefined)
    if (claimantsWithoutId.length === 0) return
    const newIds = await insertNodes(this.#deps.db, this.#process, claimantsWithoutId.length)
    for (const [index, [claimant]] of claimantsWithoutId.entries()) this.#ids.set(claimant, newIds[index])
  }

  #currentIds(): number[] {
    return [...this.#ids.values()].filter((id) => id !== undefined)
  }

  /** Lets other nodes claim everything that `claimant` holds. The claimant gets a new id. */
  async replaceId(claimant: Claimant): Promise<void> {
    await this.#currentRenewal
    const oldId = this.#ids.get(claimant)
    this.#ids.set(claimant, undefined)
    if (oldId !== undefined) this.#abandonedIds.add(oldId)
    await this.renew()
  }

  /** Stops the heartbeat and lets other nodes immediately claim everything that this process still holds. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    // A heartbeat in progress could otherwise insert new ids after the deletion.
    await waitAtMost(STOP_TIMEOUT_MS, Promise.resolve(this.#currentRenewal))
    const ids = [...this.#currentIds(), ...this.#abandonedIds]
    for (const claimant of this.#ids.keys()) this.#ids.set(claimant, undefined)
    // If the database is unavailable, no other node can take over either, so the error doesn't matter.
    if (ids.length > 0) await waitAtMost(STOP_TIMEOUT_MS, deleteNodes(this.#deps.db, ids)).catch(() => {})
  }
}

/**
 * One kind of work that holds claims under the lease, with its own id. Checks and messages have separate ids: when the
 * checker no longer knows which monitors it has claimed, it abandons all of its claims. If messages shared its id, another
 * node would then repeat the messages that this process is still sending.
 */
export class Claimant {
  readonly #lease: Lease

  constructor(lease: Lease) {
    this.#lease = lease
  }

  /**
   * Call it only right after checking that the claimant is valid. The lease may end during any `await` between the
   * check and this call.
   */
  get id(): number {
    const id = this.#lease.findId(this)
    if (id === undefined) throw new Error('The claimant has no id: the lease is not valid.')
    return id
  }

  hasId(id: number): boolean {
    return this.#lease.findId(this) === id
  }

  /** Whether other nodes still respect this claimant's claims. */
  isValid(): boolean {
    return this.#lease.findId(this) !== undefined && this.#lease.isValid()
  }

  /** Whether this claimant may release the claims of expired nodes. */
  isStable(): boolean {
    return this.isValid() && this.#lease.isStable()
  }

  /** Call it after a response of the database was lost: this process then no longer knows what it has claimed. */
  abandonClaims(): Promise<void> {
    return this.#lease.replaceId(this)
  }
}
