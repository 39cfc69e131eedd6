/**
 * Reads lines from bytes that arrive in chunks. Keeps an unfinished line in a buffer that doubles in size, so that a long line that
 * arrives one byte at a time takes little CPU time and memory.
 */
const LINE_FEED = 10
const MIN_BUFFER_BYTES = 256
const emptyBuffer = Buffer.alloc(0)

export class LineReader {
  #unfinishedLine = emptyBuffer
  #unfinishedBytes = 0
  #endPosition = 0

  /** Where the last call of `read` stopped in its chunk. */
  get endPosition(): number {
    return this.#endPosition
  }

  get unfinishedBytes(): number {
    return this.#unfinishedBytes
  }

  /** Returns the next line in Latin-1 with its line feed, or undefined if it does not end in this chunk. */
  read(chunk: Buffer, position: number): string | undefined {
    const lineFeedPosition = chunk.indexOf(LINE_FEED, position)
    this.#endPosition = lineFeedPosition === -1 ? chunk.length : lineFeedPosition + 1
    if (lineFeedPosition !== -1 && this.#unfinishedBytes === 0)
      return chunk.toString('latin1', position, this.#endPosition)
    this.#append(chunk, position, this.#endPosition)
    return lineFeedPosition === -1 ? undefined : this.#takeLine()
  }

  /** Returns at most `maxLength` bytes from the beginning of the unfinished line. */
  peek(maxLength: number): string {
    return this.#unfinishedLine.toString('latin1', 0, Math.min(maxLength, this.#unfinishedBytes))
  }

  #append(chunk: Buffer, start: number, end: number): void {
    const byteCount = this.#unfinishedBytes + end - start
    if (byteCount > this.#unfinishedLine.length) {
      const largerBuffer = Buffer.allocUnsafe(Math.max(MIN_BUFFER_BYTES, byteCount, 2 * this.#unfinishedLine.length))
      this.#unfinishedLine.copy(largerBuffer, 0, 0, this.#unfinishedBytes)
      this.#unfinishedLine = largerBuffer
    }
    chunk.copy(this.#unfinishedLine, this.#unfinishedBytes, start, end)
    this.#unfinishedBytes = byteCount
  }

  #takeLine(): string {
    const line = this.peek(this.#unfinishedBytes)
    this.#unfinishedBytes = 0
    return line
  }
}
