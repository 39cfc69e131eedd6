/** Replaces the visitor numbers of a file, so that an imported visitor is never mistaken for one whose events we collected. */
import { createHash, randomBytes } from 'node:crypto'

/** A visitor number is its low 32 bits plus this times its high bits. */
const HIGH_BITS_FACTOR = 2 ** 32

/**
 * Combines each visitor number with a mask (XOR). The mask depends on the day and on a random key of the import. Events of one
 * day that have the same number get the same new number.
 */
export class VisitorMasks {
  readonly #key = randomBytes(32)
  #day = ''
  #highMask = 0
  #lowMask = 0

  /** Returns a new random number if `visitor` is undefined. */
  apply(day: string, visitor: number | undefined): number {
    if (visitor === undefined) return read53Bits(randomBytes(7))
    if (day !== this.#day) this.#setDay(day)
    // The number is masked in two halves, because bitwise operators work on 32 bits.
    const high = (Math.floor(visitor / HIGH_BITS_FACTOR) ^ this.#highMask) >>> 0
    const low = ((visitor % HIGH_BITS_FACTOR) ^ this.#lowMask) >>> 0
    return high * HIGH_BITS_FACTOR + low
  }

  #setDay(day: string): void {
    const mask = read53Bits(createHash('sha256').update(this.#key).update(day).digest())
    this.#day = day
    this.#highMask = Math.floor(mask / HIGH_BITS_FACTOR)
    this.#lowMask = mask % HIGH_BITS_FACTOR
  }
}

function read53Bits(bytes: Buffer): number {
  return bytes.readUIntBE(0, 6) * 32 + ((bytes[6] as number) & 31)
}
