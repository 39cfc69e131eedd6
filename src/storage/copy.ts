/**
 * Reads rows in PostgreSQL's binary format, by COPY. pg turns every field of a plain query into a string, so it would
 * receive binary data as hexadecimal text.
 */
import pg from 'pg'
import { type WireCallback, type WireProtocol, WireQuery } from './wire-query.ts'

/** Every binary copy begins with these bytes, flags (4 bytes), and the length of an extension (4 bytes) that follows. */
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
const EXTENSION_LENGTH_OFFSET = SIGNATURE.length + 4
const HEADER_LENGTH = SIGNATURE.length + 8
/** In place of a row's number of fields: there are no further rows. */
const TRAILER = -1

class BinaryCopy extends WireQuery {
  readonly rows: Uint8Array[] = []
  readonly #text: string
  #hasHeader = false

  constructor(text: string, callback: WireCallback) {
    super(callback)
    this.#text = text
  }

  protected override send(wire: WireProtocol): void {
    // Each text differs, so a named statement would be used only once. The next unnamed statement replaces this one.
    wire.parse({ name: '', text: this.#text })
    wire.bind({ statement: '', values: [] })
    wire.execute({})
  }

  /** PostgreSQL sends each row in a message of its own, but may send the header together with the first row or the trailer. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    const start = this.#hasHeader ? 0 : findHeaderEnd(chunk)
    this.#hasHeader = true
    // An exception would end the process, because pg calls this method when it reads from the socket.
    if (start === undefined) this.finish(new Error('PostgreSQL sent a binary copy with an unknown header'))
    else if (start < chunk.length && chunk.readInt16BE(start) !== TRAILER) this.rows.push(copyBytes(chunk, start))
  }

  /** pg calls this method although there is nothing to do. */
  handleCommandComplete(): void {}
}

function findHeaderEnd(chunk: Buffer): number | undefined {
  if (chunk.length < HEADER_LENGTH || !chunk.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined
  return HEADER_LENGTH + chunk.readInt32BE(EXTENSION_LENGTH_OFFSET)
}

/** pg overwrites its buffer later, and a caller may transfer the row to another thread. So the row gets a buffer of its own. */
function copyBytes(chunk: Buffer, start: number): Uint8Array {
  return new Uint8Array(chunk.subarray(start))
}

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
