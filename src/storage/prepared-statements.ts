/**
 * Prepares and describes each statement once per connection, in a separate round trip: otherwise a failing statement would
 * also discard the preparation of statements queued behind it. PostgreSQL rejects a prepared statement whose result columns
 * have changed, so the cached description can't go stale.
 */
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { FieldDef } from 'pg'
import { findJsonWriter, findParser } from './types.ts'
import { type WireCallback, type WireProtocol, WireQuery } from './wire-query.ts'

export interface Column {
  /** Without the question mark of an optional column. */
  name: string
  /** Whether rows leave the column out if it is null. The alias of such a column in the statement ends with a question mark. */
  isOptional: boolean
  parse: (text: string) => unknown
  toJson: (text: string) => string
  /** The name as a JSON key, colon included. */
  jsonName: string
}

export interface PreparedStatement {
  name: string
  columns: Column[]
}

class Preparation extends WireQuery {
  columns: Column[] = []
  readonly #statement: { name: string; text: string }

  constructor(statement: { name: string; text: string }, callback: WireCallback) {
    super(callback)
    this.#statement = statement
  }

  protected override send(wire: WireProtocol): void {
    wire.parse(this.#statement)
    wire.describe({ type: 'S', name: this.#statement.name })
  }

  handleRowDescription(message: { fields: FieldDef[] }): void {
    this.columns = message.fields.map(({ name: alias, dataTypeID }) => {
      const isOptional = alias.endsWith('?')
      const name = isOptional ? alias.slice(0, -1) : alias
      const jsonName = `${JSON.stringify(name)}:`
      return { name, isOptional, parse: findParser(dataTypeID), toJson: findJsonWriter(dataTypeID), jsonName }
    })
  }
}

interface ConnectionStatements {
  preparedByText: Map<string, PreparedStatement>
  /** Preparations in progress, by text, so that concurrent callers prepare a statement only once. */
  pendingByText: Map<string, Promise<PreparedStatement>>
  /**
   * Makes the names of this connection's statements unique. A pooler may send a statement to the session of another
   * connection. There, a unique name doesn't exist, while a name that both use would run another statement. Sessions
   * that a pooler keeps open also hold the names of earlier connections.
   */
  namePrefix: string
  usedNameCount: number
}

const statementsByClient = new WeakMap<pg.ClientBase, ConnectionStatements>()

function statementsOn(client: pg.ClientBase): ConnectionStatements {
  let statements = statementsByClient.get(client)
  if (statements === undefined) {
    const namePrefix = `belfry_${randomBytes(8).toString('hex')}`
    statements = { preparedByText: new Map(), pendingByText: new Map(), namePrefix, usedNameCount: 0 }
    statementsByClient.set(client, statements)
  }
  return statements
}

export function preparedStatementsOn(client: pg.ClientBase): ReadonlyMap<string, PreparedStatement> {
  return statementsOn(client).preparedByText
}

export function prepare(client: pg.ClientBase, text: string): Promise<PreparedStatement> {
  const statements = statementsOn(client)
  const pendingPreparation = statements.pendingByText.get(text)
  if (pendingPreparation !== undefined) return pendingPreparation
  // A failed attempt may or may not leave its name behind, so each attempt uses a new one.
  const name = `${statements.namePrefix}_${statements.usedNameCount++}`
  const preparationPromise = new Promise<PreparedStatement>((resolve, reject) => {
    const preparation = new Preparation({ name, text }, (error) => {
      statements.pendingByText.delete(text)
      if (error) return reject(error)
      const preparedStatement = { name, columns: preparation.columns }
      statements.preparedByText.set(text, preparedStatement)
      resolve(preparedStatement)
    })
    client.query(preparation)
  })
  statements.pendingByText.set(text, preparationPromise)
  return preparationPromise
}
