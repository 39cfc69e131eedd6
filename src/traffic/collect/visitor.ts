/** Who somebody is for a day: the same number all day long, and one that nobody can trace back once the salt is gone. */
import { createHmac, randomBytes } from 'node:crypto'
import type { Queries } from '../../storage/client.ts'
import { ensureSalt } from './site-store.ts'

const SALT_BYTES = 32
/**
 * The database has the say: what is deleted there must not live on in memory, even if nobody comes any more, and after a
 * restore beside running servers all of them take up the same new salt.
 */
const KEPT_MS = 60_000

export class Salts {
  readonly #keptMs: number
  readonly #salts = new Map<string, Buffer>()

  constructor(keptMs = KEPT_MS) {
    this.#keptMs = keptMs
  }

  find(day: string): Buffer {
    const salt = this.#salts.get(day)
    if (salt === undefined) throw new Error(`the salt of ${day} was not prepared`)
    return salt
  }

  /** Whoever goes on at once finds all of them: where one is missing, none is relied on to last until that one is there. */
  async prepare(q: Queries, days: Iterable<string>): Promise<void> {
    const wanted = [...days]
    if (wanted.every((day) => this.#salts.has(day))) return
    const salts = await Promise.all(wanted.map((day) => ensureSalt(q, day, randomBytes(SALT_BYTES))))
    for (const [index, day] of wanted.entries()) this.#remember(day, salts[index] as Buffer)
  }

  #remember(day: string, salt: Buffer): void {
    this.#salts.set(day, salt)
    setTimeout(() => this.#salts.delete(day), this.#keptMs).unref()
  }
}

/** 52 bits, which a number holds: among a million visitors of one day two are the same once in 9,000 days. */
const DIGITS = 13

export function visitorOf(salt: Buffer, websiteId: number, address: string, userAgent: string): number {
  // As text: that is a quarter faster than to make a buffer of it.
  const digest = createHmac('sha256', salt).update(`${websiteId}\n${address}\n${userAgent}`).digest('hex')
  return Number.parseInt(digest.slice(0, DIGITS), 16)
}
