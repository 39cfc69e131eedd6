/**
 * Statements are prepared and described once a connection, in a round trip of their own: when a statement fails, later
 * ones that were sent behind it must not find it missing. A prepared statement whose columns change is refused by
 * PostgreSQL, never answered differently, so what was described stays true.
 */
import type { Connection, FieldDef, Submittable } from 'pg'
import pg from 'pg'
import { jsonWriterOf, parserOf } from './types.ts'

export interface Column {
  name: string
  parse: (text: string) => unknown
  /** The value as JSON, and the name with a colon behind it. */
  toJson: (text: string) => string
  jsonName: string
}

export interface Prepared {
  name: string
  columns: Column[]
}

/** The part of pg's connection that a query object speaks to; its types lag behind its code. */
export interface Wire {
  stream: { cork(): void; uncork(): void }
  parse(message: { name: string; text: string }): void
  describe(message: { type: 'S'; name: string }): void
  bind(message: { statement: string; values: (string | Buffer | null)[] }): void
  execute(message: object): void
  sync(): void
}

class Preparation implements Submittable {
  callback: ((error: Error | null) => void) | null
  columns: Column[] = []
  readonly #statement: { name: string; text: string }

  constructor(statement: { name: string; text: string }, callback: (error: Error | null) => void) {
    this.callback = callback
    this.#statement = statement
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as Wire
    wire.stream.cork()
    wire.parse(this.#statement)
    wire.describe({ type: 'S', name: this.#statement.name })
    wire.sync()
    wire.stream.uncork()
  }

  handleRowDescription(message: { fields: FieldDef[] }): void {
    this.columns = message.fields.map(({ name, dataTypeID }) => ({
      name,
      parse: parserOf(dataTypeID),
      toJson: jsonWriterOf(dataTypeID),
      jsonName: `${JSON.stringify(name)}:`,
    }))
  }

  handleError(error: Error): void {
    this.callback?.(error)
    this.callback = null
  }

  handleReadyForQuery(): void {
    this.callback?.(null)
    this.callback = null
  }
}

// See Flight: one round trip, one Sync.
Object.setPrototypeOf(Preparation.prototype, pg.Query.prototype)

interface Statements {
  ready: Map<string, Prepared>
  /** By text, so that many who need one at the same moment prepare it once. */
  underway: Map<string, Promise<Prepared>>
  count: number
}

const statementsOf = new WeakMap<pg.ClientBase, Statements>()

function statementsOn(client: pg.ClientBase): Statements {
  let statements = statementsOf.get(client)
  if (statements === undefined) {
    statements = { ready: new Map(), underway: new Map(), count: 0 }
    statementsOf.set(client, statements)
  }
  return statements
}

export function preparedOn(client: pg.ClientBase): ReadonlyMap<string, Prepared> {
  return statementsOn(client).ready
}

export function prepare(client: pg.ClientBase, text: string): Promise<Prepared> {
  const statements = statementsOn(client)
  const running = statements.underway.get(text)
  if (running !== undefined) return running
  // A new name each time: whether a failed attempt left its name behind need not be known.
  const name = `belfry_${statements.count++}`
  const started = new Promise<Prepared>((resolve, reject) => {
    const preparation = new Preparation({ name, text }, (error) => {
      statements.underway.delete(text)
      if (error) return reject(error)
      const prepared = { name, columns: preparation.columns }
      statements.ready.set(text, prepared)
      resolve(prepared)
    })
    client.query(preparation)
  })
  statements.underway.set(text, started)
  return started
}
