/**
 * Sequences of non-negative whole numbers as bytes. A varint has seven bits of the number in each byte, the lowest first; the eighth bit
 * means that another byte follows.
 */

const INITIAL_BYTES = 1_024
/**
 * Eight bytes with seven bits each hold any number of 53 bits. JavaScript cannot represent all larger whole numbers.
 */
const MAX_VARINT_BYTES = 8
/** Shifting further would reach the sign bit, because JavaScript shifts 32-bit integers. */
const MAX_SHIFT = 21

export class VarintWriter {
  #bytes: Buffer = Buffer.allocUnsafe(INITIAL_BYTES)
  #length = 0

  write(number: number): void {
    if (!(number >= 0 && Number.isSafeInteger(number))) throw new RangeError(`${number} cannot be packed.`)
    if (this.#length + MAX_VARINT_BYTES > this.#bytes.length) this.#grow()
    let rest = number
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) + 128
    this.#bytes[this.#length++] = rest
  }

  protected writeByte(byte: number): void {
    this.#bytes[this.#length++] = byte
  }

  /** The bytes are only valid until the next write. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #grow(): void {
    const largerBuffer = Buffer.allocUnsafe(this.#bytes.length * 2)
    this.#bytes.copy(largerBuffer)
    this.#bytes = largerBuffer
  }
}

export class VarintReader {
  readonly #bytes: Uint8Array
  #offset: number

  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes = bytes
    this.#offset = offset
  }

  get isAtEnd(): boolean {
    return this.#offset >= this.#bytes.length
  }

  next(): number {
    const bytes = this.#bytes
    let offset = this.#offset
    // Reading past the end gives undefined, which counts as 0 in the arithmetic. The check of the offset below detects it.
    let byte = bytes[offset++] as number
    let number = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[offset++] as number
      number = shift <= MAX_SHIFT ? number | ((byte & 127) << shift) : number + (byte & 127) * 2 ** shift
    }
    if (offset > bytes.length) throw truncatedError()
    this.#offset = offset
    return number
  }
}

export function truncatedError(): RangeError {
  return new RangeError('The packed data is truncated.')
}
