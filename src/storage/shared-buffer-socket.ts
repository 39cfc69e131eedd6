/**
 * A socket to PostgreSQL without TLS. All such sockets read into one shared buffer. With usual sockets, Node allocates 64 KiB for each read, and
 * pg collects each long row in a buffer that it doubles as the row grows. While blocks of traffic were read, the garbage collector
 * therefore stopped the main thread several times a second, for up to 20 ms.
 */
import { Socket } from 'node:net'

const MAX_READ_BYTES = 65_536
/** Readers must copy what they keep, because the next read overwrites it. */
const sharedBuffer = Buffer.alloc(MAX_READ_BYTES)

/** A chunk is only valid during the call. */
export type ReadChunk = (chunk: Buffer) => void

export class SharedBufferSocket extends Socket {
  /** Gets what PostgreSQL sends, instead of pg. */
  reader: ReadChunk | undefined

  constructor() {
    super({
      onread: {
        buffer: sharedBuffer,
        callback: (byteCount, memory) => {
          this.#receive(Buffer.from(memory.buffer, memory.byteOffset, byteCount))
          return true
        },
      },
    })
  }

  #receive(chunk: Buffer): void {
    if (this.reader === undefined) {
      this.sendToPg(Buffer.from(chunk))
      return
    }
    try {
      this.reader(chunk)
    } catch (error) {
      // pg reports it as the error of the running statement.
      this.destroy(error as Error)
    }
  }

  /** pg may keep the bytes. */
  sendToPg(bytes: Buffer): void {
    this.emit('data', bytes)
  }
}
