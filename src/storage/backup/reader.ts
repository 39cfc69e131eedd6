/** Parses a backup's text as a stream, holding at most one chunk and one row in memory. */
import { createHash, type Hash } from 'node:crypto'
import { damagedBackupError } from './format.ts'

/**
 * The longest lines are rows of `traffic_blocks`. A large block takes about 4 MB as hexadecimal digits, and up to 60 MB if its events
 * have long properties (`MAX_BLOCK_BYTES` in traffic/blocks/pack-part.ts). In backups of earlier versions, the packed visits of a day take up to 32 MB. A header takes 1 MB with 10,000
 * partitions.
 */
const MAX_LINE_BYTES = 64 * 1024 * 1024

const NEWLINE = 10
const END_MARKER = Buffer.from('\\.\n')
const NEWLINE_AND_END_MARKER = Buffer.from('\n\\.\n')

export class BackupReader {
  readonly #source: AsyncIterator<Buffer>
  readonly #hash: Hash = createHash('sha256')
  #buffer: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Returns the next line, without its newline. `isHashed` is false for the last line, which the checksum doesn't cover. */
  async readLine(isHashed = true): Promise<string> {
    let end = this.#buffer.indexOf(NEWLINE)
    while (end === -1) {
      if (!(await this.#readMore())) throw damagedBackupError('it ends too early')
      end = this.#buffer.indexOf(NEWLINE)
    }
    return this.#consume(end + 1, isHashed).toString('utf8', 0, end)
  }

  /** Yields the rows of the current block, in chunks of complete rows. */
  async *readRows(): AsyncGenerator<Buffer> {
    while (true) {
      if (this.#buffer.subarray(0, END_MARKER.length).equals(END_MARKER)) break
      const end = this.#buffer.indexOf(NEWLINE_AND_END_MARKER)
      if (end !== -1) {
        yield this.#consume(end + 1)
        break
      }
      // The last few bytes may be the start of the end marker, so their line stays in the buffer until more is read.
      const completeLength = this.#buffer.lastIndexOf(NEWLINE, -END_MARKER.length) + 1
      if (completeLength > 0) yield this.#consume(completeLength)
      if (!(await this.#readMore())) throw damagedBackupError('it ends too early')
    }
    this.#consume(END_MARKER.length)
  }

  async expectEnd(): Promise<void> {
    if (this.#buffer.length > 0 || (await this.#readMore()))
      throw damagedBackupError('there is data after its last line')
  }

  digest(): string {
    return this.#hash.digest('hex')
  }

  #consume(length: number, isHashed = true): Buffer {
    const bytes = this.#buffer.subarray(0, length)
    this.#buffer = this.#buffer.subarray(length)
    if (isHashed) this.#hash.update(bytes)
    return bytes
  }

  async #readMore(): Promise<boolean> {
    const { value, done } = await this.#source.next()
    if (done) return false
    this.#buffer = this.#buffer.length === 0 ? value : Buffer.concat([this.#buffer, value])
    if (this.#buffer.length > MAX_LINE_BYTES) throw damagedBackupError('one of its lines is too long')
    return true
  }
}
