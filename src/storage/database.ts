/** Two ways in: one for requests, which sees what `enter` lets it see, and one for our own work across users. */
import pg from 'pg'
import { notFound } from '../lib/problem.ts'
import type { Rights } from './access.ts'
import { type Connections, inTransaction, type Queries, queriesOn, withClient } from './client.ts'
import { despiteDeadlocks } from './deadlock.ts'
import type { Row, Statement, StatementResult } from './flight.ts'
import { Lanes } from './lanes.ts'
import { enterAs, enterAsGuest, enterForStatistics, Tenant, type TenantId } from './tenant.ts'

/** Connections of each way in: lanes are shared by all, a transaction has one to itself. */
export interface PoolSizes {
  lanes: number
  transactions: number
}

/** How long a request waits for a free connection or a broken database before it is told so. */
const WAIT_MS = 5_000
/** Longer than any honest question takes; a query beyond it is cancelled by PostgreSQL. */
const STATEMENT_TIMEOUT_MS = 30_000
/** A little longer, so that PostgreSQL cancels first. */
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 5_000

export class Database implements Queries {
  readonly rights: Rights
  readonly #requests: Connections
  readonly #across: Connections

  constructor(options: {
    connection: pg.ClientConfig
    rights: Rights
    sizes: PoolSizes
    onIdleError: (error: Error) => void
  }) {
    this.rights = options.rights
    const { requestRole } = options.rights
    this.#requests = connect(options, requestRole === undefined ? '' : `set role ${pg.escapeIdentifier(requestRole)};`)
    this.#across = connect(options, `set belfry.across_users = 'on';`)
  }

  /** The database as one caller sees it. */
  as(id: TenantId): Tenant {
    return new Tenant(this.#requests, enterAs(id))
  }

  /** The traffic of one website, as its owner sees it. */
  asReader(id: TenantId, websiteId: number): Tenant {
    return new Tenant(this.#requests, enterForStatistics(id, websiteId), notFound)
  }

  /** And as anybody does. */
  asGuest(ownerId: number, websiteId: number): Tenant {
    return new Tenant(this.#requests, enterAsGuest(ownerId, websiteId), notFound)
  }

  /** Across users: only where a table's `across_users` policy stands in access.sql. */
  async query<R extends Row = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await this.flight({ text, values }))[0]?.rows as R[]
  }

  flight(...statements: Statement[]): Promise<StatementResult[]> {
    return despiteDeadlocks(() => this.#across.lanes.fly(statements))
  }

  /** The work is done again where others were in its way, so it does nothing but ask the database. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return despiteDeadlocks(() =>
      withClient(this.#across.pool, (client) => inTransaction(client, [], () => work(queriesOn(client)))),
    )
  }

  /** Everything is read as it was at one moment. */
  snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const begin = 'begin isolation level repeatable read read only'
    return withClient(this.#across.pool, (client) =>
      inTransaction(client, [], () => work(queriesOn(client)), { begin }),
    )
  }

  /** A connection of our own for COPY and other work that is no query. */
  withConnection<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return withClient(this.#across.pool, work)
  }

  async close(): Promise<void> {
    await Promise.all([this.#requests, this.#across].flatMap(({ lanes, pool }) => [lanes.close(), pool.end()]))
  }
}

function connect(
  options: { connection: pg.ClientConfig; sizes: PoolSizes; onIdleError: (error: Error) => void },
  own: string,
): Connections {
  const connection = { ...options.connection, connectionTimeoutMillis: WAIT_MS, keepAlive: true }
  const setUp = `set search_path = belfry, public; set timezone = 'UTC'; set statement_timeout = ${STATEMENT_TIMEOUT_MS}; ${own}`
  const lanes = new Lanes({
    connection,
    size: options.sizes.lanes,
    setUp,
    silenceMs: SILENCE_MS,
    onLoss: options.onIdleError,
  })
  const pool = new pg.Pool({
    ...connection,
    max: options.sizes.transactions,
    idleTimeoutMillis: 60_000,
    query_timeout: SILENCE_MS,
    onConnect: async (client: pg.ClientBase) => {
      await client.query(setUp)
    },
  } as pg.PoolConfig)
  pool.on('error', options.onIdleError)
  // Whoever has a connection that is cut notices with the next query; with nobody to hear of it the process would end.
  pool.on('connect', (client) => client.on('error', () => {}))
  return { lanes, pool }
}
