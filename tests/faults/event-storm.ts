/** Runs two nodes and PostgreSQL under load, and kills them at random times and at the worst possible times. */
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { createLog } from '../../src/lib/log.ts'
import { type EmbeddedDatabase, startEmbedded } from '../../src/storage/embedded/embedded.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { findProcessesIn } from '../../src/storage/embedded/processes.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { createTempFolder, type ServerProcess } from '../cli/support.ts'
import { createSeededRandom } from '../support/check-results.ts'
import { createMigratedDataFolder } from '../support/data-folder.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import type { QueryRows } from '../support/recount.ts'
import { type Belfry, createBelfry, kill, waitUntil } from './support.ts'
import { createLateEventGenerator, type GenerateLateEvents, startVisitors, type Visitors } from './visitors.ts'

const NODE_COUNT = 2
const MAX_KILL_DELAY_MS = 2_000
/** Belfry waits longer before each restart of a PostgreSQL that crashes repeatedly, up to half a minute. */
const RESTART_TIMEOUT_MS = 60_000
/** How many nodes are killed during a rollup, and how many during packing. */
const BUSY_NODE_COUNT = isFaultsRun ? NODE_COUNT : 1
/** Number of events that must be acknowledged before the next round. */
const EVENTS_BETWEEN_ROUNDS = isFaultsRun ? 200 : 30

/** The processes to kill at a random time. The rounds use these entries in turn. */
const randomKills = [
  { postgres: true, nodes: 1 },
  { postgres: false, nodes: NODE_COUNT },
  { postgres: false, nodes: 1 },
  { postgres: true, nodes: NODE_COUNT },
]

export class EventStorm {
  readonly sites = [
    { domain: 'example.com', time_zone: 'UTC', id: 0 },
    { domain: 'example.org', time_zone: 'Pacific/Kiritimati', id: 0 },
    { domain: 'example.net', time_zone: 'America/Los_Angeles', id: 0 },
  ]
  readonly killCounts = { nodes: 0, rollingUp: 0, packing: 0, postgres: 0 }
  /** The nodes that have not been killed. */
  readonly nodes: ServerProcess[] = []
  readonly #folder = createTempFolder()
  readonly #dataDir = this.#folder.data('postgres')
  readonly #random: () => number
  readonly #generateLateEvents: GenerateLateEvents
  #database: EmbeddedDatabase | undefined
  #belfry: Belfry | undefined
  #visitors: Visitors | undefined
  #round = 0
  #randomKillCount = 0

  constructor(seed: number) {
    this.#random = createSeededRandom(seed)
    this.#generateLateEvents = createLateEventGenerator(this.sites, this.#random)
  }

  get visitors(): Visitors {
    if (this.#visitors === undefined) throw new Error('The storm has not started')
    return this.#visitors
  }

  /** Opens a connection for each query, because PostgreSQL is killed in between. */
  readonly queryRows: QueryRows = async (sql, values) => {
    const client = new pg.Client(this.#getConnection())
    client.on('error', () => {})
    await client.connect()
    try {
      await client.query(`set search_path = belfry; set belfry.across_users = 'on'; set timezone = 'UTC'`)
      return (await client.query(sql, values)).rows
    } finally {
      await client.end().catch(() => {})
    }
  }

  async start(): Promise<void> {
    await createMigratedDataFolder(this.#dataDir)
    this.#database = await startEmbedded({ dataDir: this.#dataDir, log: createLog('fatal', process.stderr) })
    this.#belfry = createBelfry(this.#getConnection())
    await this.#startNodes(BUSY_NODE_COUNT)
    for (const site of this.sites) {
      const { domain, time_zone } = site
      site.id = await this.#belfry.createResource('/api/v1/websites', { domain, time_zone })
    }
    const listNodeUrls = () => this.nodes.filter((node) => !node.hasEnded()).map(({ url }) => url)
    this.#visitors = startVisitors({
      domains: this.sites.map(({ domain }) => domain),
      listNodeUrls,
      random: this.#random,
      repeatsEvents: true,
    })
    await waitUntil('events of every website have been rolled up', async () => {
      return (await this.queryRows('select from traffic_days')).length >= this.sites.length
    })
  }

  async runRound(): Promise<void> {
    const faults = [this.#killNodesDuringRollupAndPacking, this.#killAtRandomTime, this.#killPostgresDuringRollup]
    await faults[this.#round++ % faults.length]?.call(this)
    await waitUntil('PostgreSQL is available again', () => this.#isPostgresAvailable(), RESTART_TIMEOUT_MS)
    // In `npm test`, the second and last fault spares one node, which serves the remaining requests alone.
    await this.#resume(isFaultsRun || this.#round === 1 ? NODE_COUNT : 1)
  }

  /** Starts the nodes that were killed, and waits until visitors are served. */
  async #resume(nodeCount: number): Promise<void> {
    await this.#startNodes(nodeCount)
    const acknowledgedCountBefore = this.visitors.acknowledgedPages.size
    await waitUntil(
      'events are acknowledged again',
      () => this.visitors.acknowledgedPages.size > acknowledgedCountBefore + EVENTS_BETWEEN_ROUNDS,
    )
  }

  async close(): Promise<void> {
    await this.#visitors?.stop()
    await this.#belfry?.close()
    await this.#database?.stop()
    await this.#folder.remove()
  }

  /**
   * Nodes roll up events all the time, but pack days only when they start. So they pack when they restart after the
   * first kill, and the second kill interrupts the packing.
   */
  async #killNodesDuringRollupAndPacking(): Promise<void> {
    await this.#storeLateEvents()
    await waitUntil('late events are rolled up', async () => {
      return (await this.queryRows(`select from event_inbox where events like '%/late/%'`)).length === 0
    })
    await this.#killNodesDuring('insert into traffic_counts', 'today')
    this.killCounts.rollingUp++
    await this.#killNodesDuring('delete from traffic_counts', 'earlier')
    this.killCounts.packing++
  }

  /** Kills the nodes while their `statement` waits for a lock on the counts of these days. */
  async #killNodesDuring(statement: string, days: 'today' | 'earlier'): Promise<void> {
    const lock = await lockCounts(this.#getConnection(), days)
    try {
      await this.#resume(BUSY_NODE_COUNT)
      await lock.waitUntilBlocking(statement)
      await this.#killNodes()
    } finally {
      await lock.release()
    }
  }

  async #killAtRandomTime(): Promise<void> {
    void this.#storeLateEvents()
    await delay(this.#random() * MAX_KILL_DELAY_MS)
    const victims = randomKills[this.#randomKillCount++ % randomKills.length]
    await Promise.all([victims?.postgres && this.#killPostgres(), this.#killNodes(victims?.nodes)])
  }

  /** The nodes must survive the crash of PostgreSQL. */
  async #killPostgresDuringRollup(): Promise<void> {
    const lock = await lockCounts(this.#getConnection(), 'today')
    await lock.waitUntilBlocking('insert into traffic_counts')
    await this.#killPostgres()
    await lock.release()
  }

  /** Stores events of past days, like an import. If PostgreSQL is killed in the meantime, they may or may not be stored. */
  async #storeLateEvents(): Promise<void> {
    const { sentPages, acknowledgedPages } = this.visitors
    const events = this.#generateLateEvents()
    for (const { page } of events) sentPages.add(page)
    try {
      await insertBatch({ query: this.queryRows } as never, events)
    } catch {
      return
    }
    for (const { page } of events) acknowledgedPages.add(page)
  }

  #getConnection() {
    if (this.#database === undefined) throw new Error('The storm has not started')
    return this.#database.address
  }

  #isPostgresAvailable(): Promise<boolean> {
    return this.queryRows('select 1').then(
      () => true,
      () => false,
    )
  }

  async #startNodes(nodeCount: number): Promise<void> {
    const starts = Array.from({ length: Math.max(0, nodeCount - this.nodes.length) }, async () => {
      this.nodes.push((await this.#belfry?.start({ BELFRY_ROLES: 'web,worker' })) as ServerProcess)
    })
    await Promise.all(starts)
  }

  async #killNodes(count = NODE_COUNT): Promise<void> {
    for (const node of this.nodes)
      if (node.hasEnded()) throw new Error(`A node stopped unexpectedly:\n${node.output()}`)
    const victims = this.nodes.splice(0, count)
    this.killCounts.nodes += victims.length
    await Promise.all(victims.map(kill))
  }

  async #killPostgres(): Promise<void> {
    const pids = await findProcessesIn(layoutOf(this.#dataDir).cluster)
    process.kill(Math.min(...pids), 'SIGKILL')
    this.killCounts.postgres++
  }
}

/** A test kills a node in the middle of a rollup or of packing while this lock blocks it. */
interface CountsLock {
  /** Waits until the lock blocks a statement that starts with this text. */
  waitUntilBlocking(statement: string): Promise<void>
  release(): Promise<void>
}

/**
 * Locks the counts of these days. When a rollup reaches the locked rows, it has written events, visits and totals, but not
 * committed them. When packing reaches them, it has written the packed day, but not committed it.
 */
async function lockCounts(connection: pg.ClientConfig, days: 'today' | 'earlier'): Promise<CountsLock> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  await client.query(`set search_path = belfry; set belfry.across_users = 'on'; begin`)
  // `today` includes the day before in UTC, which is still the current day of websites in western time zones.
  const condition = days === 'today' ? 'day >= current_date - 1' : 'day < current_date - 1'
  await client.query(`select from traffic_counts where ${condition} for update`)
  return {
    async waitUntilBlocking(statement) {
      await waitUntil(`a statement is blocked: ${statement}`, async () => {
        // Within a transaction, pg_stat_activity shows the same snapshot until it is cleared.
        await client.query('select pg_stat_clear_snapshot()')
        const { rows } = await client.query<{ query: string }>(
          'select query from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))',
        )
        return rows.some(({ query }) => query.startsWith(statement))
      })
    },
    release: () => client.end(),
  }
}
