/** The database as one caller sees it: every round trip begins by entering as them. */
import pg from 'pg'
import { Problem } from '../lib/problem.ts'
import { type Begin, type Connections, inTransaction, type Queries, queriesOn, withClient } from './client.ts'
import { despiteDeadlocks } from './deadlock.ts'
import type { Row, Statement, StatementResult } from './flight.ts'

export interface TenantId {
  userId: number
  keyId: number | null
  sessionId: number | null
}

/** Enters as a user, with what they showed. */
export function enterAs({ userId, keyId, sessionId }: TenantId): Statement {
  return { text: 'select enter($1, $2, $3) as entered', values: [userId, keyId, sessionId] }
}

/** Enters as a user who owns a website, and opens its statistics. */
export function enterForStatistics({ userId, keyId, sessionId }: TenantId, websiteId: number): Statement {
  const text = 'select case when enter($1, $2, $3) then open_statistics($4) else false end as entered'
  return { text, values: [userId, keyId, sessionId, websiteId] }
}

/** Enters as nobody, for the statistics of a website that is not private. */
export function enterAsGuest(ownerId: number, websiteId: number): Statement {
  return { text: 'select open_statistics_to_guest($1, $2) as entered', values: [ownerId, websiteId] }
}

/** A flight is for reading, changing and removing; what inserts belongs in a transaction, which checks first who entered. */
export class Tenant implements Queries {
  readonly #connections: Connections
  readonly #enter: Statement
  readonly #refuse: () => Problem

  constructor(connections: Connections, enter: Statement, refuse: () => Problem = goneCaller) {
    this.#connections = connections
    this.#enter = enter
    this.#refuse = refuse
  }

  async query<R extends Row = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const [result] = await this.flight({ text, values })
    return result?.rows as R[]
  }

  async flight(...statements: Statement[]): Promise<StatementResult[]> {
    const flight = [this.#enter, ...statements]
    const [entered, ...results] = await despiteDeadlocks(() => this.#connections.lanes.fly(flight))
    this.#requireEntered(entered)
    return results
  }

  /** The work is done again where others were in its way, so it does nothing but ask the database. */
  async transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    try {
      return await despiteDeadlocks(() => this.#inTransaction('begin', work))
    } catch (error) {
      throw isOfNobody(error) ? goneCaller(error) : error
    }
  }

  /** Everything is read as it was at one moment. */
  snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#inTransaction('begin isolation level repeatable read read only', work)
  }

  #inTransaction<T>(begin: Begin, work: (queries: Queries) => Promise<T>): Promise<T> {
    const admit = ([entered]: StatementResult[]) => this.#requireEntered(entered)
    return withClient(this.#connections.pool, (client) =>
      inTransaction(client, [this.#enter], () => work(queriesOn(client)), { admit, begin }),
    )
  }

  #requireEntered(result: StatementResult | undefined): void {
    if (result?.rows[0]?.['entered'] !== true) throw this.#refuse()
  }
}

/** The user was deleted after they had entered, and what they wanted to add would have belonged to nobody. */
function isOfNobody(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /_user_id_fkey$/.test(error.constraint ?? '')
}

function goneCaller(cause?: unknown): Problem {
  return new Problem('unauthenticated', 'The API key or session has ended.', { cause })
}
