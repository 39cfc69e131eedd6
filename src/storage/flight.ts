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

interface Column {
  name: string
  parse: (text: string) => unknown
}

/** A statement as one connection has prepared it. */
interface Prepared {
  /** false: a flight failed before we knew, so close it and prepare anew. */
  sure: boolean
  /** PostgreSQL describes it once: a prepared statement whose columns change is refused, not answered differently. */
  columns: Column[]
}

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

const preparedBy = new WeakMap<Connection, Map<string, Prepared>>()

export class Flight implements Submittable {
  /** pg replaces it to watch over its `query_timeout`, so it has to be called this. */
  callback: Callback | null
  readonly #statements: { name: string; text: string; values: (string | Buffer | null)[] }[]
  readonly #results: StatementResult[]
  readonly #prepared: Prepared[] = []
  readonly #fresh: Prepared[] = []
  #current = 0

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
    const known = preparedBy.get(connection) ?? new Map<string, Prepared>()
    preparedBy.set(connection, known)
    const wire = connection as unknown as Wire
    wire.stream.cork()
    for (const { name, text, values } of this.#statements) {
      let prepared = known.get(name)
      if (prepared === undefined || !prepared.sure) {
        if (prepared !== undefined) wire.close({ type: 'S', name })
        wire.parse({ name, text })
        wire.describe({ type: 'S', name })
        prepared = { sure: true, columns: [] }
        known.set(name, prepared)
        this.#fresh.push(prepared)
      }
      this.#prepared.push(prepared)
      wire.bind({ statement: name, values })
      wire.execute({})
    }
    wire.sync()
    wire.stream.uncork()
  }

  handleRowDescription(message: { fields: FieldDef[] }): void {
    const prepared = this.#prepared[this.#current]
    if (prepared === undefined) return
    prepared.columns = message.fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }))
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    const columns = this.#prepared[this.#current]?.columns ?? []
    const row: Row = {}
    for (let index = 0; index < columns.length; index++) {
      const { name, parse } = columns[index] as Column
      const text = message.fields[index] as string | null
      row[name] = text === null ? null : parse(text)
    }
    this.#results[this.#current]?.rows.push(row)
  }

  handleCommandComplete(message: { text: string }): void {
    const result = this.#results[this.#current]
    if (result) result.count = Number(message.text.slice(message.text.lastIndexOf(' ') + 1)) || 0
    this.#current++
  }

  handleEmptyQuery(): void {
    this.#current++
  }

  handleError(error: Error): void {
    for (const prepared of this.#fresh) prepared.sure = false
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
  describe(message: { type: 'S'; name: string }): void
  bind(message: { statement: string; values: (string | Buffer | null)[] }): void
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
