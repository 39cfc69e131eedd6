/** Who somebody is for a day: the same number all day long, and one that nobody can trace back once the salt is gone. */
import { createHmac, randomBytes } from 'node:crypto'
import { addDays } from '../../lib/local-day.ts'
import type { Queries } from '../../storage/client.ts'
import { ensureSalt } from './site-store.ts'

const SALT_BYTES = 32
/** Days are not the same everywhere: at most three are today for somebody. */
const KEPT_DAYS = 2

export class Salts {
  readonly #salts = new Map<string, Buffer>()

  find(day: string): Buffer {
    const salt = this.#salts.get(day)
    if (salt === undefined) throw new Error(`the salt of ${day} was not prepared`)
    return salt
  }

  async prepare(q: Queries, days: Iterable<string>): Promise<void> {
    for (const day of days) {
      if (this.#salts.has(day)) continue
      this.#salts.set(day, await ensureSalt(q, day, randomBytes(SALT_BYTES)))
      this.#forgetBefore(addDays(day, -KEPT_DAYS))
    }
  }

  /** What is deleted must not live on in memory. */
  #forgetBefore(day: string): void {
    for (const known of this.#salts.keys()) if (known < day) this.#salts.delete(known)
  }
}

/** 52 bits, which a number holds: among a million visitors of one day two are the same once in 9,000 days. */
const DIGITS = 13

export function visitorOf(salt: Buffer, websiteId: number, address: string, userAgent: string): number {
  // As text: that is a quarter faster than to make a buffer of it.
  const digest = createHmac('sha256', salt).update(`${websiteId}\n${address}\n${userAgent}`).digest('hex')
  return Number.parseInt(digest.slice(0, DIGITS), 16)
}
