/** Two pools: one for requests, which sees what `enter` lets it see, and one for our own work across users. */
import pg from 'pg'
import type { Rights } from './access.ts'
import { inTransaction, type Queries, queriesOn, withClient } from './client.ts'
import { fly, type Row, type Statement, type StatementResult } from './flight.ts'
import { Tenant, type TenantId } from './tenant.ts'

export interface PoolSizes {
  requests: number
  across: number
}

/** How long a request waits for a free connection or a broken database before it is told so. */
const WAIT_MS = 5_000
/** Longer than any honest question takes; a query beyond it is cancelled by PostgreSQL. */
const STATEMENT_TIMEOUT_MS = 30_000

export class Database implements Queries {
  readonly rights: Rights
  readonly #requests: pg.Pool
  readonly #across: pg.Pool

  constructor(options: {
    connection: pg.ClientConfig
    rights: Rights
    sizes: PoolSizes
    onIdleError: (error: Error) => void
  }) {
    this.rights = options.rights
    const { connection, rights, sizes } = options
    const role = rights.requestRole === undefined ? '' : `set role ${pg.escapeIdentifier(rights.requestRole)};`
    this.#requests = openPool(connection, sizes.requests, role)
    this.#across = openPool(connection, sizes.across, `set belfry.across_users = 'on';`)
    for (const pool of [this.#requests, this.#across]) pool.on('error', options.onIdleError)
  }

  /** The database as one caller sees it. */
  as(id: TenantId): Tenant {
    return new Tenant(this.#requests, id)
  }

  /** Across users: only where a table's `across_users` policy stands in access.sql. */
  query<R extends Row = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return withClient(this.#across, async (client) => (await fly(client, [{ text, values }]))[0]?.rows as R[])
  }

  flight(...statements: Statement[]): Promise<StatementResult[]> {
    return withClient(this.#across, (client) => fly(client, statements))
  }

  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return withClient(this.#across, (client) => inTransaction(client, [], () => work(queriesOn(client))))
  }

  /** A connection of our own for COPY and other work that is no query. */
  withConnection<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return withClient(this.#across, work)
  }

  async close(): Promise<void> {
    await Promise.all([this.#requests.end(), this.#across.end()])
  }
}

function openPool(connection: pg.ClientConfig, size: number, setUp: string): pg.Pool {
  return new pg.Pool({
    ...connection,
    max: size,
    connectionTimeoutMillis: WAIT_MS,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    // A little longer than PostgreSQL's own, so that it cancels first; this one notices a network that went silent.
    query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
    onConnect: async (client: pg.ClientBase) => {
      await client.query(
        `set search_path = belfry, public; set timezone = 'UTC'; set statement_timeout = ${STATEMENT_TIMEOUT_MS}; ${setUp}`,
      )
    },
  } as pg.PoolConfig)
}
