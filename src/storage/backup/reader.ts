/** Takes a backup's text apart, piece by piece: memory holds one piece and one row. */
import { createHash, type Hash } from 'node:crypto'
import { damaged } from './format.ts'

/** A header of ten thousand partitions has about one megabyte; a row may hold what one request may send. */
const LONGEST_LINE = 64 * 1024 * 1024

const NEWLINE = 10
const END = Buffer.from('\\.\n')
const NEWLINE_END = Buffer.from('\n\\.\n')

export class BackupReader {
  readonly #source: AsyncIterator<Buffer>
  readonly #hash: Hash = createHash('sha256')
  #held: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** The next line without its end. `hashed`: whether it counts for the checksum, as all but the last do. */
  async line(hashed = true): Promise<string> {
    let end = this.#held.indexOf(NEWLINE)
    while (end === -1) {
      if (!(await this.#more())) throw damaged('it ends too early')
      end = this.#held.indexOf(NEWLINE)
    }
    return this.#take(end + 1, hashed).toString('utf8', 0, end)
  }

  /** Whole rows up to the end of the block, in pieces as they come. */
  async *rows(): AsyncGenerator<Buffer> {
    while (true) {
      if (this.#held.subarray(0, END.length).equals(END)) break
      const end = this.#held.indexOf(NEWLINE_END)
      if (end !== -1) {
        yield this.#take(end + 1)
        break
      }
      // What may be the beginning of the end stays for the next piece, with the line it follows.
      const whole = this.#held.lastIndexOf(NEWLINE, -END.length) + 1
      if (whole > 0) yield this.#take(whole)
      if (!(await this.#more())) throw damaged('it ends too early')
    }
    this.#take(END.length)
  }

  async end(): Promise<void> {
    if (this.#held.length > 0 || (await this.#more())) throw damaged('something follows its last line')
  }

  digest(): string {
    return this.#hash.digest('hex')
  }

  #take(length: number, hashed = true): Buffer {
    const taken = this.#held.subarray(0, length)
    this.#held = this.#held.subarray(length)
    if (hashed) this.#hash.update(taken)
    return taken
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#source.next()
    if (done) return false
    this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value])
    if (this.#held.length > LONGEST_LINE) throw damaged('one of its lines never ends')
    return true
  }
}
