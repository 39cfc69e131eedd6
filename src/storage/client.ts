/** Queries and transactions on a connection. */
import type pg from 'pg'
import { type Row, runBatch, type Statement, type StatementResult } from './batch.ts'
import { connectionLostProblem, isConnectionLoss } from './connection-loss.ts'
import type { PipelinedPool } from './pipelined-pool.ts'

/** The connections of one role: pipelined ones that all callers share, and a pool for transactions. */
export interface ConnectionPools {
  pipelined: PipelinedPool
  transactions: pg.Pool
}

export interface Queries {
  /** Runs one statement and returns its rows. */
  query<R extends Row = Row>(text: string, values?: readonly unknown[]): Promise<R[]>
  /** Runs several statements in one round trip and one transaction. */
  batch(...statements: Statement[]): Promise<StatementResult[]>
}

export async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  let client: pg.PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    throw connectionLostProblem(error)
  }
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    const isLost = isConnectionLoss(error)
    client.release(isLost)
    throw isLost ? connectionLostProblem(error) : error
  }
}

export function queriesOn(client: pg.ClientBase): Queries {
  return {
    query: async <R extends Row = Row>(text: string, values: readonly unknown[] = []) =>
      (await runBatch(client, [{ text, values }]))[0]?.rows as R[],
    batch: (...statements) => runBatch(client, statements),
  }
}

export type BeginStatement = 'begin' | 'begin isolation level repeatable read read only'

/**
 * Sends BEGIN and `openingStatements` in one round trip. `checkOpeningResults` receives their results and throws if `work`
 * must not run.
 */
export async function runInTransaction<T>(
  client: pg.PoolClient,
  openingStatements: Statement[],
  work: () => Promise<T>,
  {
    checkOpeningResults = () => {},
    begin = 'begin',
  }: { checkOpeningResults?: (results: StatementResult[]) => void; begin?: BeginStatement } = {},
): Promise<T> {
  try {
    const [, ...results] = await runBatch(client, [{ text: begin }, ...openingStatements])
    checkOpeningResults(results)
    const result = await work()
    await runBatch(client, [{ text: 'commit' }])
    return result
  } catch (error) {
    // Ignore an error of the ROLLBACK, which fails only on a broken connection. `error` reports the same loss, and
    // withClient drops the connection when it sees `error`.
    await runBatch(client, [{ text: 'rollback' }]).catch(() => {})
    throw error
  }
}
