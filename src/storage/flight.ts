/**
 * Several statements in one round trip and one transaction.
 *
 * PostgreSQL runs everything between two Syncs as one transaction, so the tenant and the query travel together,
 * without BEGIN and COMMIT. A list of 20 rows under row level security, 32 at a time on two cores: 6,100 to 7,100/s;
 * the same as four pipelined statements of pg itself: 3,200 to 4,000/s.
 */
import type { Connection, FieldDef, Submittable } from 'pg'
import pg from 'pg'
import { prepareValue } from 'pg/lib/utils.js'
import { parserOf } from './types.ts'

export interface Statement {
  text: string
  values?: readonly unknown[]
}

// biome-ignore lint/suspicious/noExplicitAny: the shape of a row is what its SQL says; stores name it
export type Row = Record<string, any>

export interface StatementResult {
  rows: Row[]
  /** Rows affected, for statements that return none. */
  count: number
}

type Callback = (error: Error | null, results?: StatementResult[]) => void

/** Every text gets one name for the life of the process; each connection prepares it once. */
const names = new Map<string, string>()

function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `belfry_${names.size}`
    names.set(text, name)
  }
  return name
}

/** What a connection has prepared. `false`: a flight failed before we knew, so close it and prepare anew. */
const prepared = new WeakMap<Connection, Map<string, boolean>>()

export class Flight implements Submittable {
  /** pg replaces it to watch over its `query_timeout`, so it has to be called this. */
  callback: Callback | null
  readonly #statements: { name: string; text: string; values: (string | Buffer | null)[] }[]
  readonly #results: StatementResult[]
  readonly #newNames: string[] = []
  #current = 0
  #fields: { name: string; parse: (text: string) => unknown }[] = []

  constructor(statements: readonly Statement[], callback: Callback) {
    this.callback = callback
    // Values are converted before anything is sent: one that cannot be must not leave half a flight on the wire.
    this.#statements = statements.map(({ text, values = [] }) => ({
      name: nameOf(text),
      text,
      values: values.map(prepareValue),
    }))
    this.#results = statements.map(() => ({ rows: [], count: 0 }))
  }

  submit(connection: Connection): void {
    const known = prepared.get(connection) ?? new Map<string, boolean>()
    prepared.set(connection, known)
    const wire = connection as unknown as Wire
    wire.stream.cork()
    for (const { name, text, values } of this.#statements) {
      if (!known.get(name)) {
        if (known.has(name)) wire.close({ type: 'S', name })
        wire.parse({ name, text })
        known.set(name, true)
        this.#newNames.push(name)
      }
      wire.bind({ statement: name, values })
      wire.describe({ type: 'P', name: '' })
      wire.execute({})
    }
    wire.sync()
    wire.stream.uncork()
  }

  handleRowDescription(message: { fields: FieldDef[] }): void {
    this.#fields = message.fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }))
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    const row: Row = {}
    for (const [index, field] of this.#fields.entries()) {
      const text = message.fields[index]
      row[field.name] = text === null || text === undefined ? null : field.parse(text)
    }
    this.#results[this.#current]?.rows.push(row)
  }

  handleCommandComplete(message: { text: string }): void {
    const result = this.#results[this.#current]
    if (result) result.count = Number(/\d+$/.exec(message.text)?.[0] ?? 0)
    this.#current++
  }

  handleEmptyQuery(): void {
    this.#current++
  }

  handleError(error: Error, connection: Connection): void {
    for (const name of this.#newNames) prepared.get(connection)?.set(name, false)
    this.#finish(error)
  }

  handleReadyForQuery(): void {
    this.#finish(null)
  }

  #finish(error: Error | null): void {
    const callback = this.callback
    this.callback = null
    if (error) callback?.(error)
    else callback?.(null, this.#results)
  }
}

/** The part of pg's connection that a query object speaks to; its types lag behind its code. */
interface Wire {
  stream: { cork(): void; uncork(): void }
  parse(message: { name: string; text: string }): void
  close(message: { type: 'S'; name: string }): void
  bind(message: { statement: string; values: (string | Buffer | null)[] }): void
  describe(message: { type: 'P'; name: string }): void
  execute(message: object): void
  sync(): void
}

export function fly(client: pg.ClientBase, statements: readonly Statement[]): Promise<StatementResult[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new Flight(statements, (error, results) => {
        if (error) reject(asThrown(error))
        else resolve(results ?? [])
      }),
    )
  })
}

/** An error that arrives from the socket has no trace of ours; give it one, and keep PostgreSQL's fields. */
function asThrown(error: Error): Error {
  if (error instanceof pg.DatabaseError) Error.captureStackTrace(error, fly)
  return error
}
