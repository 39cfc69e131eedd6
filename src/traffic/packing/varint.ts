/**
 * Whole numbers, none negative, in as few bytes as they need, all of them in base64: seven bits a byte, the lowest first; the
 * eighth says that there are more.
 */

const FIRST_BYTES = 1_024
/** Of the largest number that is exact, of 53 bits. */
const MOST_BYTES = 8
/** More bits than these would reach the sign of what is shifted. */
const SHIFT_MOST = 21

export class VarintWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #length = 0

  write(number: number): void {
    if (!(number >= 0 && Number.isSafeInteger(number))) throw new RangeError(`${number} cannot be packed.`)
    if (this.#length + MOST_BYTES > this.#bytes.length) this.#grow()
    let rest = number
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) + 128
    this.#bytes[this.#length++] = rest
  }

  toString(): string {
    return this.#bytes.toString('base64', 0, this.#length)
  }

  #grow(): void {
    const larger = Buffer.allocUnsafe(this.#bytes.length * 2)
    this.#bytes.copy(larger)
    this.#bytes = larger
  }
}

export class VarintReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(packed: string) {
    this.#bytes = Buffer.from(packed, 'base64')
  }

  get isOver(): boolean {
    return this.#at >= this.#bytes.length
  }

  next(): number {
    const bytes = this.#bytes
    let at = this.#at
    // Past the end undefined is read, which counts as 0 here and is noticed below.
    let byte = bytes[at++] as number
    let number = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] as number
      number = shift <= SHIFT_MOST ? number | ((byte & 127) << shift) : number + (byte & 127) * 2 ** shift
    }
    if (at > bytes.length) throw new RangeError('The packed numbers are cut off.')
    this.#at = at
    return number
  }
}
