/** Parses a backup's text as a stream: memory holds one chunk and one row. */
import { createHash, type Hash } from 'node:crypto'
import { damaged } from './format.ts'

/** Bytes. A header with ten thousand partitions takes about 1 MB; a row can hold as much as a request body. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024

const NEWLINE = 10
const END = Buffer.from('\\.\n')
const NEWLINE_END = Buffer.from('\n\\.\n')

export class BackupReader {
  readonly #source: AsyncIterator<Buffer>
  readonly #hash: Hash = createHash('sha256')
  #buffer: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** The next line, without its newline. The checksum covers every line but the last: pass `hashed` false for that one. */
  async line(hashed = true): Promise<string> {
    let end = this.#buffer.indexOf(NEWLINE)
    while (end === -1) {
      if (!(await this.#readMore())) throw damaged('it ends too early')
      end = this.#buffer.indexOf(NEWLINE)
    }
    return this.#take(end + 1, hashed).toString('utf8', 0, end)
  }

  /** The rows of the current block, in chunks of complete rows. */
  async *rows(): AsyncGenerator<Buffer> {
    while (true) {
      if (this.#buffer.subarray(0, END.length).equals(END)) break
      const end = this.#buffer.indexOf(NEWLINE_END)
      if (end !== -1) {
        yield this.#take(end + 1)
        break
      }
      // The last bytes may be the start of the end marker, so they wait for the next chunk, together with their line.
      const whole = this.#buffer.lastIndexOf(NEWLINE, -END.length) + 1
      if (whole > 0) yield this.#take(whole)
      if (!(await this.#readMore())) throw damaged('it ends too early')
    }
    this.#take(END.length)
  }

  async end(): Promise<void> {
    if (this.#buffer.length > 0 || (await this.#readMore())) throw damaged('there is data after its last line')
  }

  digest(): string {
    return this.#hash.digest('hex')
  }

  #take(length: number, hashed = true): Buffer {
    const taken = this.#buffer.subarray(0, length)
    this.#buffer = this.#buffer.subarray(length)
    if (hashed) this.#hash.update(taken)
    return taken
  }

  async #readMore(): Promise<boolean> {
    const { value, done } = await this.#source.next()
    if (done) return false
    this.#buffer = this.#buffer.length === 0 ? value : Buffer.concat([this.#buffer, value])
    if (this.#buffer.length > MAX_LINE_LENGTH) throw damaged('one of its lines is too long')
    return true
  }
}
