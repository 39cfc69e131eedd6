import { Readable } from 'node:stream'

/** Limits the buffer for a client that doesn't read. It has space for the events of ten thousand simultaneous outages. */
const MAX_UNREAD_BYTES = 4_000_000

/** The response body of one subscriber: server-sent events until the connection ends. */
export class LiveStream extends Readable {
  readonly #maxUnreadBytes: number
  #isClosed = false

  constructor({ maxUnreadBytes = MAX_UNREAD_BYTES }: { maxUnreadBytes?: number } = {}) {
    super({ encoding: 'utf8' })
    this.#maxUnreadBytes = maxUnreadBytes
    // The response headers are sent together with the first bytes of the body, so send a comment immediately.
    this.sendHeartbeat()
  }

  /** Does nothing: events are pushed when they happen, not when the reader requests more. */
  override _read(): void {}

  /** Sends a comment, so that proxies and clients don't close a quiet connection. */
  sendHeartbeat(): void {
    this.#push(':\n\n')
  }

  send(event: string, data: unknown): void {
    this.#push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Ends the stream without waiting for a client that hasn't read everything. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    if (this.readableLength > 0) this.destroy()
    else this.push(null)
  }

  #push(text: string): void {
    if (this.destroyed || this.#isClosed) return
    // A disconnected client reconnects and requests the current state, so it misses nothing.
    if (this.readableLength > this.#maxUnreadBytes) this.destroy()
    else this.push(text)
  }
}
