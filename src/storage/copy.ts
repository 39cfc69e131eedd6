/**
 * Reads rows in PostgreSQL's binary format, by COPY. pg turns every field of a plain query into a string, so it would
 * receive binary data as hexadecimal text.
 */
import type { Connection } from 'pg'
import pg from 'pg'
import { MessageSplitter } from './message-splitter.ts'
import { SharedBufferSocket } from './shared-buffer-socket.ts'
import { type WireCallback, type WireProtocol, WireQuery } from './wire-query.ts'

/** Every binary copy begins with these bytes, flags (4 bytes), and the length of an extension (4 bytes) that follows. */
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
const EXTENSION_LENGTH_OFFSET = SIGNATURE.length + 4
const HEADER_LENGTH = SIGNATURE.length + 8
/** In place of a row's number of fields: there are no further rows. */
const TRAILER = -1
/** The types of messages, as in PostgreSQL's protocol. */
const COPY_DATA = 'd'.charCodeAt(0)
const READY_FOR_QUERY = 'Z'.charCodeAt(0)

class BinaryCopy extends WireQuery {
  readonly rows: Uint8Array[] = []
  readonly #text: string
  #hasHeader = false

  constructor(text: string, callback: WireCallback) {
    super(callback)
    this.#text = text
  }

  /** Without TLS, reads the rows from the socket, which is faster than pg. pg still handles all other messages. */
  override submit(connection: Connection): void {
    const { stream: socket } = connection as unknown as { stream: unknown }
    if (socket instanceof SharedBufferSocket) this.#readRowsFrom(socket)
    super.submit(connection)
  }

  #readRowsFrom(socket: SharedBufferSocket): void {
    const splitter = new MessageSplitter(({ header, content }) => {
      if (header[0] === COPY_DATA) {
        this.#add(content)
        return
      }
      // The next query may begin as soon as pg has this message.
      if (header[0] === READY_FOR_QUERY) socket.reader = undefined
      socket.sendToPg(Buffer.concat([header, content]))
    })
    socket.reader = (chunk) => splitter.add(chunk)
  }

  protected override send(wire: WireProtocol): void {
    // Each text differs, so a named statement would be used only once. The next unnamed statement replaces this one.
    wire.parse({ name: '', text: this.#text })
    wire.bind({ statement: '', values: [] })
    wire.execute({})
  }

  /** pg overwrites its buffer later, and a caller may transfer the row to another thread. So the row gets a buffer of its own. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.#add(new Uint8Array(chunk))
  }

  /** PostgreSQL sends each row in a message of its own, but may send the header together with the first row or the trailer. */
  #add(message: Uint8Array): void {
    const start = this.#hasHeader ? 0 : findHeaderEnd(message)
    this.#hasHeader = true
    // An exception would end the process, because this method runs when the socket is read.
    if (start === undefined) this.finish(new Error('PostgreSQL sent a binary copy with an unknown header'))
    else if (start < message.length && viewOf(message).getInt16(start) !== TRAILER)
      this.rows.push(start === 0 ? message : message.slice(start))
  }

  /** pg calls this method although there is nothing to do. */
  handleCommandComplete(): void {}
}

function findHeaderEnd(message: Uint8Array): number | undefined {
  if (message.length < HEADER_LENGTH || !SIGNATURE.equals(message.subarray(0, SIGNATURE.length))) return undefined
  return HEADER_LENGTH + viewOf(message).getInt32(EXTENSION_LENGTH_OFFSET)
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => new DataView(buffer, byteOffset, byteLength)

/** Returns the rows of a select in the format that `copy-binary.ts` reads. */
export async function copyRows(client: pg.ClientBase, select: string): Promise<Uint8Array[]> {
  const text = `copy (${select}) to stdout (format binary)`
  try {
    return await new Promise((resolve, reject) => {
      const copy = new BinaryCopy(text, (error) => (error ? reject(error) : resolve(copy.rows)))
      client.query(copy)
    })
  } catch (error) {
    // The error was created when pg read from the socket, so it lacks our call stack.
    if (error instanceof pg.DatabaseError) Error.captureStackTrace(error, copyRows)
    throw error
  }
}
