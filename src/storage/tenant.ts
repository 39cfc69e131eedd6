/** The database as one caller sees it: every round trip begins with a statement that sets the caller. */
import pg from 'pg'
import { Problem } from '../lib/problem.ts'
import type { Row, Statement, StatementResult } from './batch.ts'
import type { ConnectionPools } from './connection-pools.ts'
import type { Queries, TransactionQueries } from './transaction.ts'

/** The PostgreSQL role that the statements of a request run as; null if our login can't create roles. See `DatabaseRoles`. */
type RequestRole = string | null

export interface TenantId {
  /** The team whose things the caller works on. In tables, the column `user_id` contains it. */
  teamId: number
  /** The person who calls, or who created the API key that calls. */
  userId: number
  keyId: number | null
  sessionId: number | null
  /**
   * Whether the database has found the key or session during this request. If the caller comes from a cache, the key
   * may be revoked and the session may have ended.
   */
  isConfirmed?: boolean
}

/** Sets the caller: a user, with the key or session they authenticated with. */
export function enterAs({ userId, keyId, sessionId }: TenantId, requestRole: RequestRole): Statement {
  return { text: 'select enter($1, $2, $3, $4) as entered', values: [userId, keyId, sessionId, requestRole] }
}

/** Sets the caller to a user who owns a website, and gives access to its statistics. */
export function enterForStatistics(
  { userId, keyId, sessionId }: TenantId,
  websiteId: number,
  requestRole: RequestRole,
): Statement {
  const text = 'select case when enter($1, $2, $3, $4) then open_statistics($5) else false end as entered'
  return { text, values: [userId, keyId, sessionId, requestRole, websiteId] }
}

/** Gives an anonymous visitor access to the statistics of a website that isn't private. */
export function enterAsGuest(ownerId: number, websiteId: number, requestRole: RequestRole): Statement {
  return { text: 'select open_statistics_to_guest($1, $2, $3) as entered', values: [ownerId, websiteId, requestRole] }
}

/** Gives access to the rows of all users, in tables that have an `across_users` policy in access.sql. */
export const enterAcrossUsers: Statement = { text: 'select enter_across_users()' }

/**
 * `query` and `batch` send their statements together with the one that sets the caller. If the caller's key or session
 * is no longer valid, a select, update or delete finds no rows, but an insert would fail with a database error. So
 * insert in a transaction, which checks the caller before it sends anything else.
 */
export class Tenant implements Queries {
  readonly #pools: ConnectionPools
  readonly #enterStatement: Statement
  readonly #id: TenantId | undefined
  readonly #createRefusal: () => Problem

  /** `id` is undefined for an anonymous visitor. */
  constructor(
    pools: ConnectionPools,
    enterStatement: Statement,
    id: TenantId | undefined,
    createRefusal: () => Problem = credentialEndedProblem,
  ) {
    this.#pools = pools
    this.#enterStatement = enterStatement
    this.#id = id
    this.#createRefusal = createRefusal
  }

  /**
   * Throws if the caller's key or session is no longer valid. Call it before anything that has an effect outside the
   * database. Sends nothing if the database has already found the key or session.
   */
  async confirm(): Promise<void> {
    if (this.#id?.isConfirmed !== true) await this.batch()
  }

  async query<R extends Row = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const [result] = await this.batch({ text, values })
    return result?.rows as R[]
  }

  async batch(...statements: Statement[]): Promise<StatementResult[]> {
    const batch = [this.#enterStatement, ...statements]
    const [enterResult, ...results] = await this.#pools.run(batch)
    this.#requireEntered(enterResult)
    return results
  }

  /** Repeats `work` after a deadlock, so `work` must have no side effects outside the database. */
  async transaction<T>(work: (queries: TransactionQueries) => Promise<T>): Promise<T> {
    try {
      return await this.#inTransaction(work)
    } catch (error) {
      throw isCausedByDeletedUser(error) ? credentialEndedProblem(error) : error
    }
  }

  /**
   * Runs `work` in a read-only transaction in which every statement sees the same state. `work` begins before the caller is checked. If the
   * caller is refused, `work` sees at most rows that the caller may read, often none, and its result is dropped. So `work` must not conclude
   * from missing rows, in a cache for example, that they don't exist.
   */
  snapshot<T>(work: (queries: TransactionQueries) => Promise<T>): Promise<T> {
    return this.#inTransaction(work, { isSnapshot: true })
  }

  #inTransaction<T>(work: (queries: TransactionQueries) => Promise<T>, { isSnapshot = false } = {}): Promise<T> {
    const checkOpeningResults = ([enterResult]: StatementResult[]) => this.#requireEntered(enterResult)
    return this.#pools.transaction({ openingStatements: [this.#enterStatement], checkOpeningResults, isSnapshot }, work)
  }

  #requireEntered(result: StatementResult | undefined): void {
    if (result?.rows[0]?.['entered'] !== true) throw this.#createRefusal()
    if (this.#id !== undefined) this.#id.isConfirmed = true
  }
}

/** Whether the user was deleted during the transaction, so that the new row violates its foreign key to users. */
function isCausedByDeletedUser(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /_user_id_fkey$/.test(error.constraint ?? '')
}

function credentialEndedProblem(cause?: unknown): Problem {
  return new Problem('unauthenticated', 'The API key or session has ended.', { cause })
}
