/**
 * Sequences of non-negative whole numbers, stored as base64 text: a version, then varints. A varint has seven bits of the
 * number in each byte, the lowest first; the eighth bit means that another byte follows.
 *
 * Data that was stored before versions were introduced counts as version 0. All later data begins with this prefix and a
 * byte for the version. Data of version 0 never begins with the prefix: a varint of several bytes never ends in 0x00,
 * because the writer leaves out leading zeros.
 */
const VERSION_PREFIX = [0x80, 0x00] as const

const INITIAL_BYTES = 1_024
/**
 * Eight bytes with seven bits each hold any number of 53 bits. JavaScript cannot represent all larger whole numbers.
 */
const MAX_VARINT_BYTES = 8
/** Shifting further would reach the sign bit, because JavaScript shifts 32-bit integers. */
const MAX_SHIFT = 21

export class VarintWriter {
  #bytes = Buffer.allocUnsafe(INITIAL_BYTES)
  #length = 0

  /** `version` must be between 1 and 255. */
  constructor(version: number) {
    for (const byte of [...VERSION_PREFIX, version]) this.#bytes[this.#length++] = byte
  }

  write(number: number): void {
    if (!(number >= 0 && Number.isSafeInteger(number))) throw new RangeError(`${number} cannot be packed.`)
    if (this.#length + MAX_VARINT_BYTES > this.#bytes.length) this.#grow()
    let rest = number
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) + 128
    this.#bytes[this.#length++] = rest
  }

  toString(): string {
    return this.#bytes.toString('base64', 0, this.#length)
  }

  #grow(): void {
    const largerBuffer = Buffer.allocUnsafe(this.#bytes.length * 2)
    this.#bytes.copy(largerBuffer)
    this.#bytes = largerBuffer
  }
}

export class VarintReader {
  /** 0 for data that was stored before versions were introduced. */
  readonly version: number
  readonly #bytes: Uint8Array
  #offset: number

  constructor(packed: string, latestVersion: number) {
    this.#bytes = Buffer.from(packed, 'base64')
    const hasVersion = VERSION_PREFIX.every((byte, index) => this.#bytes[index] === byte)
    const version = hasVersion ? this.#bytes[VERSION_PREFIX.length] : 0
    if (version === undefined) throw truncatedError()
    this.version = version
    this.#offset = hasVersion ? VERSION_PREFIX.length + 1 : 0
    if (this.version > latestVersion) {
      throw new RangeError(`Packed data of version ${this.version}: only versions up to ${latestVersion} can be read.`)
    }
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

function truncatedError(): RangeError {
  return new RangeError('The packed data is truncated.')
}
