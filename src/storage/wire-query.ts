/** The base class of our query objects: it sends messages of PostgreSQL's protocol, and reports whether they succeeded. */
import type { Connection, Submittable } from 'pg'
import pg from 'pg'

/** The methods of pg's connection that a query object uses. pg's own types don't declare them. */
export interface WireProtocol {
  stream: { writable: boolean; write(chunk: Uint8Array): void }
  parse(message: { name: string; text: string }): void
  describe(message: { type: 'S'; name: string }): void
  bind(message: { statement: string; values: (string | Buffer | null)[] }): void
  execute(message: object): void
  flush(): void
  sync(): void
}

export type WireCallback = (error: Error | null) => void

export abstract class WireQuery implements Submittable {
  /** pg looks for a property of this name and wraps it to implement `query_timeout`. */
  callback: WireCallback | null

  constructor(callback: WireCallback) {
    this.callback = callback
  }

  /** Sends the messages of the query. A Sync follows, which ends the round trip. */
  protected abstract send(wire: WireProtocol): void

  submit(connection: Connection): void {
    const wire = connection as unknown as WireProtocol
    const { stream } = wire
    const messages: Uint8Array[] = []
    // The stream takes one long message in less time than many short ones.
    wire.stream = { writable: stream.writable, write: (message) => messages.push(message) }
    try {
      this.send(wire)
      wire.sync()
    } finally {
      wire.stream = stream
    }
    // pg sends nothing on a connection that has ended.
    if (messages.length > 0) stream.write(Buffer.concat(messages))
  }

  handleError(error: Error): void {
    this.finish(error)
  }

  handleReadyForQuery(): void {
    this.finish(null)
  }

  /** pg also calls `handleReadyForQuery` after an error, so only the first call counts. */
  protected finish(error: Error | null): void {
    const callback = this.callback
    this.callback = null
    callback?.(error)
  }
}

// A pipelined pg connection accepts only instances of pg's own Query, because other query objects may need several round
// trips. Ours need one round trip with one Sync, like pg's own queries, so this makes them instances of Query.
Object.setPrototypeOf(WireQuery.prototype, pg.Query.prototype)
