/**
 * The socket of a pooled connection to PostgreSQL without TLS. All of them read into the same memory. Otherwise, Node allocates 64 KiB for each read, and
 * pg collects each long row in a buffer that it doubles as the row grows. While blocks of traffic were read, the garbage collector
 * therefore stopped the main thread several times a second, for up to 20 ms.
 */
import { Socket } from 'node:net'

const MAX_READ_BYTES = 65_536
/** Whoever gets a part of it must copy it, because the next read overwrites it. */
const readMemory = Buffer.alloc(MAX_READ_BYTES)

/** A chunk is only valid during the call. */
export type ReadChunk = (chunk: Buffer) => void

export class DatabaseSocket extends Socket {
  /** Gets what PostgreSQL sends, instead of pg. */
  reader: ReadChunk | undefined

  constructor() {
    super({
      onread: {
        buffer: readMemory,
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
