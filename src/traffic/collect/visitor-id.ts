/**
 * Visitor ids: the same number for all events of a visitor on one website and one day. Once the day's salt is deleted, nobody
 * can link the number to an IP address again.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { Queries } from '../../storage/transaction.ts'
import { ensureSalt } from './store.ts'

const SALT_BYTES = 32
/**
 * Salts stay in memory only briefly. A salt that is deleted from the database must not survive here. And when a backup is
 * restored while servers are running, all servers must switch to the same new salt.
 */
const SALT_CACHE_MS = 60_000

export class VisitorSalts {
  readonly #cacheMs: number
  readonly #salts = new Map<string, Buffer>()

  constructor(cacheMs = SALT_CACHE_MS) {
    this.#cacheMs = cacheMs
  }

  /** Call `ensureLoaded` for this day first, and await nothing in between, because the cached salt may expire. */
  get(day: string): Buffer {
    const salt = this.#salts.get(day)
    if (salt === undefined) throw new Error(`The salt of ${day} is not loaded`)
    return salt
  }

  /**
   * Loads the salts of these days. If one is missing, loads all of them again, because a cached salt could expire while
   * the missing one is being loaded.
   */
  async ensureLoaded(q: Queries, days: Iterable<string>): Promise<void> {
    const neededDays = [...days]
    if (neededDays.every((day) => this.#salts.has(day))) return
    const salts = await Promise.all(neededDays.map((day) => ensureSalt(q, day, randomBytes(SALT_BYTES))))
    for (const [index, day] of neededDays.entries()) this.#cache(day, salts[index] as Buffer)
  }

  #cache(day: string, salt: Buffer): void {
    this.#salts.set(day, salt)
    setTimeout(() => this.#salts.delete(day), this.#cacheMs).unref()
  }
}

/**
 * 13 hex digits are 52 bits, which fit into a number. Among a million visitors a day, two get the same id about once in
 * 9,000 days.
 */
const ID_HEX_DIGITS = 13

export function computeVisitorId(salt: Buffer, websiteId: number, clientIp: string, userAgent: string): number {
  // Creating a hex digest takes a quarter less time than creating a Buffer.
  const digest = createHmac('sha256', salt).update(`${websiteId}\n${clientIp}\n${userAgent}`).digest('hex')
  return Number.parseInt(digest.slice(0, ID_HEX_DIGITS), 16)
}
