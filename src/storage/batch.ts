/**
 * Runs several statements in one round trip and one transaction.
 *
 * PostgreSQL runs everything between two Sync messages as one transaction, so the statement that sets the tenant and the
 * query travel together, without BEGIN and COMMIT. docs/decisions/0004-one-round-trip.md has the measurements.
 */
import pg from 'pg'
import { prepareValue } from 'pg/lib/utils.js'
import { type Column, prepare, preparedStatementsOn } from './prepared-statements.ts'
import { type WireCallback, type WireProtocol, WireQuery } from './wire-query.ts'

export interface Statement {
  text: string
  values?: readonly unknown[]
  /** Returns the rows as JSON text, so that they need not be parsed into objects and serialized again. */
  asJson?: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: the SQL decides the shape of a row; stores declare it
export type Row = Record<string, any>

export interface StatementResult {
  rows: Row[]
  /** With `asJson`: the rows as JSON objects, joined by commas, without the brackets of the list. */
  json: string
  /** Rows returned or affected. */
  count: number
}

/** A prepared statement with its values, ready to send. */
interface BoundStatement {
  name: string
  columns: Column[]
  values: (string | Buffer | null)[]
  asJson: boolean
}

function parseRow(columns: Column[], fields: (string | null)[]): Row {
  const row: Row = {}
  for (let index = 0; index < columns.length; index++) {
    const { name, isOptional, parse } = columns[index] as Column
    const text = fields[index] as string | null
    if (isOptional && text === null) continue
    row[name] = text === null ? null : parse(text)
  }
  return row
}

function writeRowJson(columns: Column[], fields: (string | null)[]): string {
  let json = '{'
  for (let index = 0; index < columns.length; index++) {
    const { jsonName, isOptional, toJson } = columns[index] as Column
    const text = fields[index] as string | null
    if (isOptional && text === null) continue
    if (index > 0) json += ','
    json += jsonName + (text === null ? 'null' : toJson(text))
  }
  return `${json}}`
}

class StatementBatch extends WireQuery {
  readonly results: StatementResult[]
  readonly #statements: BoundStatement[]
  readonly #onProgress: (() => void) | undefined
  #currentIndex = 0

  constructor(statements: BoundStatement[], onProgress: (() => void) | undefined, callback: WireCallback) {
    super(callback)
    this.#statements = statements
    this.#onProgress = onProgress
    this.results = statements.map(() => ({ rows: [], json: '', count: 0 }))
  }

  protected override send(wire: WireProtocol): void {
    for (const { name, values } of this.#statements) {
      wire.bind({ statement: name, values })
      wire.execute({})
      // Without Flush, PostgreSQL may keep the result until it has completed the last statement.
      if (this.#onProgress !== undefined) wire.flush()
    }
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    const statement = this.#statements[this.#currentIndex]
    const result = this.results[this.#currentIndex]
    if (statement === undefined || result === undefined) return
    if (statement.asJson)
      result.json += (result.json === '' ? '' : ',') + writeRowJson(statement.columns, message.fields)
    else result.rows.push(parseRow(statement.columns, message.fields))
  }

  handleCommandComplete(message: { text: string }): void {
    const result = this.results[this.#currentIndex]
    if (result) result.count = Number(message.text.slice(message.text.lastIndexOf(' ') + 1)) || 0
    this.#endStatement()
  }

  handleEmptyQuery(): void {
    this.#endStatement()
  }

  #endStatement(): void {
    this.#currentIndex++
    this.#onProgress?.()
  }
}

export interface BatchOptions {
  /** Returns true once no caller waits for the results any more. Then the statements are not sent. */
  isObsolete?: () => boolean
  /** Called when PostgreSQL has prepared or completed a statement. */
  onProgress?: (() => void) | undefined
}

export async function runBatch(
  client: pg.ClientBase,
  statements: readonly Statement[],
  { isObsolete = () => false, onProgress }: BatchOptions = {},
): Promise<StatementResult[]> {
  const preparedStatements = preparedStatementsOn(client)
  const boundStatements: BoundStatement[] = []
  for (const { text, values = [], asJson = false } of statements) {
    let prepared = preparedStatements.get(text)
    if (prepared === undefined) {
      prepared = await prepare(client, text)
      onProgress?.()
    }
    boundStatements.push({ ...prepared, values: values.map(prepareValue), asJson })
  }
  // Preparing may have taken longer than the caller waits.
  if (isObsolete()) throw new Error('The statements were not sent in time')
  return new Promise((resolve, reject) => {
    const batch = new StatementBatch(boundStatements, onProgress, (error) => {
      if (error) reject(withStack(error))
      else resolve(batch.results)
    })
    client.query(batch)
  })
}

/** Adds our call stack to an error that was received from the socket. PostgreSQL's fields stay. */
function withStack(error: Error): Error {
  if (error instanceof pg.DatabaseError) Error.captureStackTrace(error, runBatch)
  return error
}
