/** Splits what PostgreSQL sends into messages. Each gets memory of exactly its size, so its content is copied only once. */

/** The type of the message (1 byte), and the length of what follows the type (4 bytes, including these four). */
const HEADER_BYTES = 5
const LENGTH_BYTES = 4
/** PostgreSQL's messages are never longer than this. */
const MAX_CONTENT_BYTES = 2 ** 30

export interface WireMessage {
  header: Buffer
  content: Uint8Array
}

export class MessageSplitter {
  readonly #onMessage: (message: WireMessage) => void
  readonly #header = Buffer.alloc(HEADER_BYTES)
  #headerLength = 0
  /** Defined once the header is complete. */
  #content: Uint8Array | undefined
  #contentLength = 0

  /** `onMessage` must copy the header if it keeps it. */
  constructor(onMessage: (message: WireMessage) => void) {
    this.#onMessage = onMessage
  }

  add(chunk: Buffer): void {
    let offset = 0
    while (offset < chunk.length) {
      if (this.#content === undefined) offset += this.#addToHeader(chunk, offset)
      if (this.#content !== undefined) offset += this.#addToContent(this.#content, chunk, offset)
    }
  }

  /** Returns how many bytes belong to the header. */
  #addToHeader(chunk: Buffer, offset: number): number {
    const byteCount = chunk.copy(this.#header, this.#headerLength, offset)
    this.#headerLength += byteCount
    if (this.#headerLength < HEADER_BYTES) return byteCount
    this.#headerLength = 0
    this.#contentLength = 0
    const contentLength = this.#header.readUInt32BE(1) - LENGTH_BYTES
    if (contentLength < 0 || contentLength > MAX_CONTENT_BYTES)
      throw new RangeError(`PostgreSQL sent a message with the invalid length ${contentLength + LENGTH_BYTES}.`)
    // This memory is not filled with zeros first.
    this.#content = new Uint8Array(Buffer.allocUnsafeSlow(contentLength).buffer)
    return byteCount
  }

  /** Returns how many bytes belong to the content. */
  #addToContent(content: Uint8Array, chunk: Buffer, offset: number): number {
    const part = chunk.subarray(offset, offset + content.length - this.#contentLength)
    content.set(part, this.#contentLength)
    this.#contentLength += part.length
    if (this.#contentLength < content.length) return part.length
    this.#content = undefined
    this.#onMessage({ header: this.#header, content })
    return part.length
  }
}
