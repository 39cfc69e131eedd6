/**
 * The baseline for beats and events: a server that accepts the same requests, written the usual way with Fastify and a `pg` pool. It collects
 * requests for 10 ms, stores them with one INSERT, and acknowledges them after its commit. So it is as durable as Belfry, and shares the cost of
 * a commit between many requests, too. Unlike Belfry, it stores what it received as it is, without looking up heartbeats and websites.
 */
import Fastify from 'fastify'
import type { Pool } from 'pg'
import { openUsualPool } from './usual-pool.ts'

const COLLECT_MS = 10

interface WaitingRow {
  values: readonly (string | null)[]
  resolve(): void
  reject(error: unknown): void
}

/** Stores rows in batches. */
class BatchWriter {
  readonly #pool: Pool
  readonly #sql: string
  #waitingRows: WaitingRow[] = []

  constructor(pool: Pool, table: string, columns: readonly string[]) {
    this.#pool = pool
    const lists = columns.map((_, index) => `$${index + 1}::text[]`)
    this.#sql = `insert into usual.${table} (${columns.join(', ')}) select * from unnest(${lists.join(', ')})`
  }

  /** Resolves once the row is stored durably. */
  store(...values: (string | null)[]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waitingRows.push({ values, resolve, reject })
    if (this.#waitingRows.length === 1) setTimeout(() => this.#storeWaiting(), COLLECT_MS)
    return promise
  }

  async #storeWaiting(): Promise<void> {
    const rows = this.#waitingRows
    this.#waitingRows = []
    const columns = rows[0]?.values.map((_, index) => rows.map(({ values }) => values[index])) ?? []
    try {
      await this.#pool.query(this.#sql, columns)
      for (const { resolve } of rows) resolve()
    } catch (error) {
      for (const { reject } of rows) reject(error)
    }
  }
}

/** Fails if PostgreSQL acknowledges commits before they are on disk. */
async function createTables(pool: Pool): Promise<void> {
  const { rows } = await pool.query(
    `select current_setting('fsync') = 'on' and current_setting('synchronous_commit') = 'on' as is_durable`,
  )
  if (!rows[0].is_durable) throw new Error('PostgreSQL does not wait until a commit is on disk.')
  await pool.query(`
    create schema usual;
    create table usual.beats (
      id bigint generated always as identity primary key,
      received_at timestamptz not null default now(),
      token text not null
    );
    create table usual.events (
      id bigint generated always as identity primary key,
      received_at timestamptz not null default now(),
      ip text not null,
      user_agent text not null,
      name text not null,
      url text not null,
      domain text not null,
      referrer text
    )`)
}

interface EventBody {
  n: string
  u: string
  d: string
  r: string | null
}

const { PORT, USUAL_DATA = '' } = process.env
const pool = openUsualPool(USUAL_DATA, {})
await createTables(pool)
const beatWriter = new BatchWriter(pool, 'beats', ['token'])
const eventWriter = new BatchWriter(pool, 'events', ['ip', 'user_agent', 'name', 'url', 'domain', 'referrer'])

const app = Fastify({ trustProxy: true })
app.get('/beat/:token', async (request) => {
  await beatWriter.store((request.params as { token: string }).token)
  return 'OK'
})
app.post('/api/event', async (request, reply) => {
  const { n, u, d, r } = request.body as EventBody
  await eventWriter.store(request.ip, request.headers['user-agent'] ?? '', n, u, d, r)
  return reply.code(202).send()
})
app.get('/readyz', () => ({ status: 'ok' }))
await app.listen({ port: Number(PORT), host: '127.0.0.1' })
process.on('SIGTERM', () => process.exit(0))
