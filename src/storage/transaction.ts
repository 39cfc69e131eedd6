/** A transaction on a connection that nobody else uses in the meantime. */
import type { Row, Statement, StatementResult } from './batch.ts'
import type { OpenConnection } from './open-connection.ts'
import { RoundTrips } from './round-trips.ts'
import { type GroupLimits, limitTransaction } from './session-setup.ts'
import type { WaitBudget } from './wait-budget.ts'

export interface Queries {
  /** Runs one statement and returns its rows. */
  query<R extends Row = Row>(text: string, values?: readonly unknown[]): Promise<R[]>
  /** Runs several statements in one round trip and one transaction. */
  batch(...statements: Statement[]): Promise<StatementResult[]>
}

/**
 * What the work of a transaction can do. Calls of `query` and `batch` without an `await` between them share a round trip. Await every call: those
 * that were not sent when the work ends are rejected.
 */
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
  /**
   * Receives the results of the opening statements, and throws if the caller is refused. Then the work doesn't run, or, in a snapshot, its result
   * is dropped.
   */
  checkOpeningResults?: (results: StatementResult[]) => void
  /** Whether the transaction only reads, and all its statements see the same state. Then its work begins before `checkOpeningResults` is called. */
  isSnapshot?: boolean
}

const ROLLBACK_TIMEOUT_MS = 1_000

interface TransactionRun<T> extends TransactionOptions {
  connection: OpenConnection
  budget: WaitBudget
  limits: GroupLimits
  /** Called with the result of a snapshot before its COMMIT, which changes nothing. */
  onSnapshotResult: (result: T) => void
}

export async function runInTransaction<T>(
  options: TransactionRun<T>,
  work: (queries: TransactionQueries) => Promise<T>,
): Promise<T> {
  const { openingStatements, checkOpeningResults, isSnapshot = false, connection, budget, limits } = options
  const send = (statements: readonly Statement[]) =>
    budget.spend((timeoutMs) => connection.run(statements, timeoutMs, budget.per))
  const roundTrips = new RoundTrips(send)
  const begin = isSnapshot ? 'begin isolation level repeatable read read only' : 'begin'
  const open = async () => {
    const statements = [{ text: begin }, limitTransaction(limits, isSnapshot), ...openingStatements]
    const [, , ...results] = await roundTrips.run(statements)
    checkOpeningResults?.(results)
  }
  const workInside = async () =>
    work({
      query: async <R extends Row = Row>(text: string, values: readonly unknown[] = []) =>
        (await roundTrips.run([{ text, values }]))[0]?.rows as R[],
      batch: (...statements) => roundTrips.run(statements),
      copyRows: (select) =>
        roundTrips.runAlone(() => budget.spend((timeoutMs) => connection.copyRows(select, timeoutMs))),
    })
  try {
    const result = isSnapshot ? await runTogether(open, workInside) : await open().then(workInside)
    if (isSnapshot) options.onSnapshotResult(result)
    await roundTrips.end()
    await send([{ text: 'commit' }])
    return result
  } catch (error) {
    await roundTrips.end()
    await rollBack(connection)
    throw error
  }
}

/**
 * The first statements of `work` travel together with those of `open`. If `open` fails, its error is thrown, and what `work` returned or threw is
 * dropped. PostgreSQL has shown `work` only rows that the caller may read.
 */
async function runTogether<T>(open: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  const [opened, worked] = await Promise.allSettled([open(), work()])
  if (opened.status === 'rejected') throw opened.reason
  if (worked.status === 'rejected') throw worked.reason
  return worked.value
}

/** Without a successful ROLLBACK, the connection may still be inside the transaction. The next caller must not get it. */
async function rollBack(connection: OpenConnection): Promise<void> {
  if (connection.isDestroyed) return
  await connection.run([{ text: 'rollback' }], ROLLBACK_TIMEOUT_MS).catch(() => connection.destroy())
}
