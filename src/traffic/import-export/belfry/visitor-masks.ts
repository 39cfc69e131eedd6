/** Gives imported visitors other numbers: nobody of a file can be taken for somebody who was here. */
import { createHash, randomBytes } from 'node:crypto'

const HIGH = 2 ** 32

/** One for each import, and out of it one for each day: whoever was one in the file is one afterwards, for that day. */
export class VisitorMasks {
  readonly #key = randomBytes(32)
  #day = ''
  #high = 0
  #low = 0

  /** Without a number: somebody new. */
  apply(day: string, visitor: number | undefined): number {
    if (visitor === undefined) return bits53(randomBytes(7))
    if (day !== this.#day) this.#turnTo(day)
    const high = (Math.floor(visitor / HIGH) ^ this.#high) >>> 0
    const low = ((visitor % HIGH) ^ this.#low) >>> 0
    return high * HIGH + low
  }

  #turnTo(day: string): void {
    const mask = bits53(createHash('sha256').update(this.#key).update(day).digest())
    this.#day = day
    this.#high = Math.floor(mask / HIGH)
    this.#low = mask % HIGH
  }
}

function bits53(bytes: Buffer): number {
  return bytes.readUIntBE(0, 6) * 32 + ((bytes[6] as number) & 31)
}
