import { Readable } from 'node:stream'

/** Bytes that somebody may leave unread: more than a storm of ten thousand outages, which is told at once. */
const UNREAD_MOST = 4_000_000

/** One who listens: server-sent events, for as long as the connection lasts. */
export class EventStream extends Readable {
  readonly #unreadMost: number
  #isClosed = false

  constructor({ unreadMost = UNREAD_MOST }: { unreadMost?: number } = {}) {
    super({ encoding: 'utf8' })
    this.#unreadMost = unreadMost
    // The answer begins with its first bytes, so there have to be some.
    this.beat()
  }

  /** Nothing is made on demand. */
  override _read(): void {}

  /** For proxies and readers who take silence for the end. */
  beat(): void {
    this.#push(':\n\n')
  }

  tell(event: string, data: unknown): void {
    this.#push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Whoever does not read is not waited for. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    if (this.readableLength > 0) this.destroy()
    else this.push(null)
  }

  #push(text: string): void {
    if (this.destroyed || this.#isClosed) return
    // They connect again, and ask for what they missed.
    if (this.readableLength > this.#unreadMost) this.destroy()
    else this.push(text)
  }
}
