/** What can be done with a connection. */
import type pg from 'pg'
import { connectionLost, isConnectionLoss } from './connection-loss.ts'
import { fly, type Row, type Statement, type StatementResult } from './flight.ts'
import type { Lanes } from './lanes.ts'

/** The connections of one way into the database. */
export interface Connections {
  lanes: Lanes
  pool: pg.Pool
}

export interface Queries {
  /** One statement; its rows. */
  query<R extends Row = Row>(text: string, values?: readonly unknown[]): Promise<R[]>
  /** Several statements in one round trip; their rows. */
  flight(...statements: Statement[]): Promise<StatementResult[]>
}

export async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  let client: pg.PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    throw connectionLost(error)
  }
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    const lost = isConnectionLoss(error)
    client.release(lost)
    throw lost ? connectionLost(error) : error
  }
}

export function queriesOn(client: pg.ClientBase): Queries {
  return {
    query: async <R extends Row = Row>(text: string, values: readonly unknown[] = []) =>
      (await fly(client, [{ text, values }]))[0]?.rows as R[],
    flight: (...statements) => fly(client, statements),
  }
}

export type Begin = 'begin' | 'begin isolation level repeatable read read only'

/** `opening` travels with BEGIN, and its results decide through `admit` whether the work begins. */
export async function inTransaction<T>(
  client: pg.PoolClient,
  opening: Statement[],
  work: () => Promise<T>,
  { admit = () => {}, begin = 'begin' }: { admit?: (results: StatementResult[]) => void; begin?: Begin } = {},
): Promise<T> {
  try {
    const [, ...results] = await fly(client, [{ text: begin }, ...opening])
    admit(results)
    const value = await work()
    await fly(client, [{ text: 'commit' }])
    return value
  } catch (error) {
    // If even this fails, the connection is broken and the pool drops it: withClient looks at the first error.
    await fly(client, [{ text: 'rollback' }]).catch(() => {})
    throw error
  }
}
