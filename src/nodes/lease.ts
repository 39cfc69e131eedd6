/**
 * The right to hold work: a row that is renewed every second. Whoever cannot renew it loses what it holds to others, and
 * goes on under another id, so that nothing of the earlier one counts any more.
 */
import type { Logger } from 'pino'
import { within } from '../lib/within.ts'
import type { Queries } from '../storage/client.ts'
import { deleteNode, insertNode, renewNode } from './store.ts'

const RENEW_MS = 1_000
/** Shorter than what makes a node dead: we stop before others begin. */
const HOLD_MS = 4_000
const STOP_MS = 1_000
/**
 * After the database was away everybody looks dead for a moment, and has messages in hand whose sending is not written yet.
 * Nothing is taken over before they had time for both.
 */
const CALM_MS = 3_000

export class Lease {
  readonly #db: Queries
  readonly #log: Logger
  /** In milliseconds, of a clock that nobody sets. */
  readonly #now: () => number
  #id: number | undefined
  #renewedAt = Number.NEGATIVE_INFINITY
  /** Without a break. */
  #heldSince = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #renewing: Promise<void> | undefined

  constructor({ db, log, now = () => performance.now() }: { db: Queries; log: Logger; now?: () => number }) {
    this.#db = db
    this.#log = log
    this.#now = now
  }

  /** Who holds what is claimed now. */
  get id(): number {
    if (this.#id === undefined) throw new Error('no lease yet')
    return this.#id
  }

  hasId(id: number): boolean {
    return this.#id === id
  }

  /** Whether nobody else can have taken over. */
  isHeld(): boolean {
    return this.#id !== undefined && this.#now() - this.#renewedAt < HOLD_MS
  }

  /** Whether whoever seems dead is: we could see the others for long enough. */
  isCalm(): boolean {
    return this.isHeld() && this.#now() - this.#heldSince > CALM_MS
  }

  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.renew(), RENEW_MS)
    await this.renew()
  }

  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  /** It is not known what is claimed under this id: an answer of the database was lost. Others may have it all. */
  async abandon(): Promise<void> {
    await this.#renewing
    const id = this.#id
    this.#id = undefined
    // If this fails too, it is taken for dead after a few seconds.
    if (id !== undefined) await deleteNode(this.#db, id).catch(() => {})
    await this.renew()
  }

  async #renew(): Promise<void> {
    const begun = this.#now()
    const isFirst = this.#renewedAt === Number.NEGATIVE_INFINITY
    const wasHeld = this.isHeld()
    try {
      if (this.#id === undefined || !(await renewNode(this.#db, this.#id))) {
        if (this.#id !== undefined) this.#log.warn({ node: this.#id }, 'taken for dead, going on under another id')
        this.#id = await insertNode(this.#db)
      }
      this.#renewedAt = begun
      if (!wasHeld && !isFirst) this.#heldSince = this.#now()
    } catch (error) {
      this.#log.debug({ reason: (error as Error).message }, 'lease not renewed')
    }
  }

  /** What is still claimed under this id becomes others' at once. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    const id = this.#id
    this.#id = undefined
    // While the database is away nobody could take over anyway.
    if (id !== undefined) await within(STOP_MS, deleteNode(this.#db, id)).catch(() => {})
  }
}
