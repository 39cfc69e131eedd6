/**
 * Several statements in one round trip and one transaction.
 *
 * PostgreSQL runs everything between two Syncs as one transaction, so the tenant and the query travel together,
 * without BEGIN and COMMIT. docs/decisions/0004-one-flight.md has the measurements.
 */
import type { Connection, Submittable } from 'pg'
import pg from 'pg'
import { prepareValue } from 'pg/lib/utils.js'
import { type Column, prepare, preparedOn, type Wire } from './prepared.ts'

export interface Statement {
  text: string
  values?: readonly unknown[]
  /** Rows come as finished JSON: a list need not become objects only to become text again. */
  asJson?: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: the shape of a row is what its SQL says; stores name it
export type Row = Record<string, any>

export interface StatementResult {
  rows: Row[]
  /** With `asJson`, the rows as JSON objects with commas between: a list without its brackets. */
  json: string
  /** Rows returned or affected. */
  count: number
}

/** One statement, ready to be sent. */
interface Leg {
  name: string
  columns: Column[]
  values: (string | Buffer | null)[]
  asJson: boolean
}

type Callback = (error: Error | null, results?: StatementResult[]) => void

function rowOf(columns: Column[], fields: (string | null)[]): Row {
  const row: Row = {}
  for (let index = 0; index < columns.length; index++) {
    const { name, parse } = columns[index] as Column
    const text = fields[index] as string | null
    row[name] = text === null ? null : parse(text)
  }
  return row
}

function jsonOf(columns: Column[], fields: (string | null)[]): string {
  let json = '{'
  for (let index = 0; index < columns.length; index++) {
    const { jsonName, toJson } = columns[index] as Column
    const text = fields[index] as string | null
    if (index > 0) json += ','
    json += jsonName + (text === null ? 'null' : toJson(text))
  }
  return `${json}}`
}

class Flight implements Submittable {
  /** pg replaces it to watch over its `query_timeout`, so it has to be called this. */
  callback: Callback | null
  readonly #legs: Leg[]
  readonly #results: StatementResult[]
  #current = 0

  constructor(legs: Leg[], callback: Callback) {
    this.callback = callback
    this.#legs = legs
    this.#results = legs.map(() => ({ rows: [], json: '', count: 0 }))
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as Wire
    wire.stream.cork()
    for (const { name, values } of this.#legs) {
      wire.bind({ statement: name, values })
      wire.execute({})
    }
    wire.sync()
    wire.stream.uncork()
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    const leg = this.#legs[this.#current]
    const result = this.#results[this.#current]
    if (leg === undefined || result === undefined) return
    if (leg.asJson) result.json += (result.json === '' ? '' : ',') + jsonOf(leg.columns, message.fields)
    else result.rows.push(rowOf(leg.columns, message.fields))
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

// A pipelined connection takes only what it believes to be a query of pg's own: it fears objects that need several
// round trips. A flight is one round trip with one Sync, just as those are.
Object.setPrototypeOf(Flight.prototype, pg.Query.prototype)

export async function fly(client: pg.ClientBase, statements: readonly Statement[]): Promise<StatementResult[]> {
  const prepared = preparedOn(client)
  const legs: Leg[] = []
  for (const { text, values = [], asJson = false } of statements) {
    const { name, columns } = prepared.get(text) ?? (await prepare(client, text))
    legs.push({ name, columns, values: values.map(prepareValue), asJson })
  }
  return new Promise((resolve, reject) => {
    client.query(
      new Flight(legs, (error, results) => {
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
