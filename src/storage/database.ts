/**
 * The database with two sets of connections: one for requests, limited to the caller's rows, and one for work across users.
 * Rights on rows never belong to a connection. Every transaction sets its own, so a pooler can't hand them to anybody else.
 */
import pg from 'pg'
import { notFound } from '../lib/problem.ts'
import type { DatabaseRoles } from './access.ts'
import type { Row, Statement, StatementResult } from './batch.ts'
import { type ConnectionPools, type Queries, queriesOn, runInTransaction, withClient } from './client.ts'
import { retryOnDeadlock } from './deadlock.ts'
import { PipelinedPool } from './pipelined-pool.ts'
import { enterAcrossUsers, enterAs, enterAsGuest, enterForStatistics, Tenant, type TenantId } from './tenant.ts'

/** Connections per role. All callers share the pipelined ones; each transaction has a connection to itself. */
export interface PoolSizes {
  pipelined: number
  transactions: number
}

/** How long a request waits for a connection before it fails. */
const CONNECTION_TIMEOUT_MS = 5_000
/** PostgreSQL cancels a statement after this long. No legitimate query takes nearly this long. */
const STATEMENT_TIMEOUT_MS = 30_000
/** Slightly longer than the statement timeout, so that PostgreSQL cancels first. A connection that is silent for this long is dead. */
const RESPONSE_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000

export class Database implements Queries {
  readonly roles: DatabaseRoles
  readonly #requestRole: string | null
  readonly #requestPools: ConnectionPools
  readonly #acrossUsersPools: ConnectionPools
  #isClosing = false

  constructor(options: {
    connection: pg.ClientConfig
    roles: DatabaseRoles
    sizes: PoolSizes
    onIdleError: (error: Error) => void
  }) {
    this.roles = options.roles
    this.#requestRole = options.roles.requestRole ?? null
    // When the server stops, PostgreSQL may terminate a connection that we are just closing. We don't report that.
    const onIdleError = (error: Error) => this.#isClosing || options.onIdleError(error)
    const poolOptions = { ...options, onIdleError }
    this.#requestPools = openPools(poolOptions)
    this.#acrossUsersPools = openPools(poolOptions)
  }

  /** The database as one caller sees it. */
  as(id: TenantId): Tenant {
    return new Tenant(this.#requestPools, enterAs(id, this.#requestRole), id)
  }

  /** The traffic of one website, as its owner sees it. */
  asWebsiteOwner(id: TenantId, websiteId: number): Tenant {
    return new Tenant(this.#requestPools, enterForStatistics(id, websiteId, this.#requestRole), id, notFound)
  }

  /** The traffic of one website, as an anonymous visitor sees it. */
  asGuest(ownerId: number, websiteId: number): Tenant {
    return new Tenant(this.#requestPools, enterAsGuest(ownerId, websiteId, this.#requestRole), undefined, notFound)
  }

  /** Runs a statement with access to all users' rows, in tables that have an `across_users` policy in access.sql. */
  async query<R extends Row = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await this.batch({ text, values }))[0]?.rows as R[]
  }

  async batch(...statements: Statement[]): Promise<StatementResult[]> {
    const batch = [enterAcrossUsers, ...statements]
    const [, ...results] = await retryOnDeadlock(() => this.#acrossUsersPools.pipelined.run(batch))
    return results
  }

  /** Repeats `work` after a deadlock, so `work` must have no side effects outside the database. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return retryOnDeadlock(() =>
      withClient(this.#acrossUsersPools.transactions, (client) =>
        runInTransaction(client, [enterAcrossUsers], () => work(queriesOn(client))),
      ),
    )
  }

  /** Runs `work` in a read-only transaction in which every statement sees the same state. */
  snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const begin = 'begin isolation level repeatable read read only'
    return withClient(this.#acrossUsersPools.transactions, (client) =>
      runInTransaction(client, [enterAcrossUsers], () => work(queriesOn(client)), { begin }),
    )
  }

  /** Lends a connection without any rights on rows, for COPY and anything else that isn't a plain query. */
  withConnection<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return withClient(this.#acrossUsersPools.transactions, work)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all(
      [this.#requestPools, this.#acrossUsersPools].flatMap(({ pipelined, transactions }) => [
        pipelined.close(),
        transactions.end(),
      ]),
    )
  }
}

function openPools(options: {
  connection: pg.ClientConfig
  sizes: PoolSizes
  onIdleError: (error: Error) => void
}): ConnectionPools {
  const connection = { ...options.connection, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS, keepAlive: true }
  const setup = `set search_path = belfry, public; set timezone = 'UTC'; set statement_timeout = ${STATEMENT_TIMEOUT_MS}`
  const pipelined = new PipelinedPool({
    connection,
    size: options.sizes.pipelined,
    setup,
    responseTimeoutMs: RESPONSE_TIMEOUT_MS,
    onLoss: options.onIdleError,
  })
  const pool = new pg.Pool({
    ...connection,
    max: options.sizes.transactions,
    idleTimeoutMillis: 60_000,
    query_timeout: RESPONSE_TIMEOUT_MS,
    onConnect: async (client: pg.ClientBase) => {
      await client.query(setup)
    },
  } as pg.PoolConfig)
  pool.on('error', options.onIdleError)
  // The next query reports a lost connection. Without a listener the 'error' event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return { pipelined, transactions: pool }
}
