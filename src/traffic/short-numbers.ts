/**
 * Whole numbers up to 2^31 - 1 in as few bytes as they need, all of them in base64: seven bits a byte, the lowest first; the
 * eighth says that there are more.
 */

const MOST = 2 ** 31 - 1
const FIRST_BYTES = 1_024

export class NumberWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #length = 0

  write(number: number): void {
    if (!(number >= 0 && number <= MOST)) throw new RangeError(`${number} cannot be packed.`)
    if (this.#length + 5 > this.#bytes.length) this.#grow()
    let rest = number
    for (; rest > 127; rest >>= 7) this.#bytes[this.#length++] = rest | 128
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

export class NumberReader {
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
    // Past the end there is no number, and nothing of it is left in what follows: 0.
    let byte = bytes[at++] as number
    let number = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] as number
      number |= (byte & 127) << shift
    }
    if (at > bytes.length) throw new RangeError('The packed numbers are cut off.')
    this.#at = at
    return number
  }
}
