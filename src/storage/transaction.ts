/** A transaction on a connection that nobody else uses in the meantime. */
import type { Row, Statement, StatementResult } from './batch.ts'
import type { OpenConnection } from './open-connection.ts'
import { type GroupLimits, limitTransaction } from './session-setup.ts'
import type { WaitBudget } from './wait-budget.ts'

export interface Queries {
  /** Runs one statement and returns its rows. */
  query<R extends Row = Row>(text: string, values?: readonly unknown[]): Promise<R[]>
  /** Runs several statements in one round trip and one transaction. */
  batch(...statements: Statement[]): Promise<StatementResult[]>
}

/** What the work of a transaction can do. */
export interface TransactionQueries extends Queries {
  /**
   * Runs a select and returns each row in PostgreSQL's binary format, in a buffer of its own. `copy-binary.ts` reads such rows. COPY
   * takes no parameters: write values into the text with the functions of `copy-literals.ts`.
   */
  copyRows(select: string): Promise<Uint8Array[]>
}

export interface TransactionOptions {
  /** These statements are sent together with BEGIN. */
  openingStatements: Statement[]
  /** Receives the results of the opening statements, and throws if the work must not run. */
  checkOpeningResults?: (results: StatementResult[]) => void
  /** Whether the transaction only reads, and all its statements see the same state. */
  isSnapshot?: boolean
}

const ROLLBACK_TIMEOUT_MS = 1_000

export async function runInTransaction<T>(
  options: TransactionOptions & { connection: OpenConnection; budget: WaitBudget; limits: GroupLimits },
  work: (queries: TransactionQueries) => Promise<T>,
): Promise<T> {
  const { openingStatements, checkOpeningResults, isSnapshot = false, connection, budget, limits } = options
  const run = (statements: readonly Statement[]) => budget.spend((timeoutMs) => connection.run(statements, timeoutMs))
  const begin = isSnapshot ? 'begin isolation level repeatable read read only' : 'begin'
  try {
    const [, , ...results] = await run([{ text: begin }, limitTransaction(limits, isSnapshot), ...openingStatements])
    checkOpeningResults?.(results)
    const result = await work({
      query: async <R extends Row = Row>(text: string, values: readonly unknown[] = []) =>
        (await run([{ text, values }]))[0]?.rows as R[],
      batch: (...statements) => run(statements),
      copyRows: (select) => budget.spend((timeoutMs) => connection.copyRows(select, timeoutMs)),
    })
    await run([{ text: 'commit' }])
    return result
  } catch (error) {
    await rollBack(connection)
    throw error
  }
}

/** Without a successful ROLLBACK, the connection may still be inside the transaction. The next caller must not get it. */
async function rollBack(connection: OpenConnection): Promise<void> {
  if (connection.isDestroyed) return
  await connection.run([{ text: 'rollback' }], ROLLBACK_TIMEOUT_MS).catch(() => connection.destroy())
}
