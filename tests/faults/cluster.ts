/** Two Belfry processes on a PostgreSQL primary with or without a replica, under load from visitors, API clients and checks. */

import type { ServerProcess } from '../cli/support.ts'
import { createSeededRandom } from '../support/check-results.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { type Pgbouncer, startPgbouncer } from '../support/pgbouncer.ts'
import {
  buildDatabaseUrl,
  type PostgresCluster,
  type PostgresServer,
  startPostgresCluster,
} from '../support/postgres-cluster.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { type ApiClients, startApiClients } from './api-clients.ts'
import { type CheckTarget, startCheckTarget } from './check-target.ts'
import { type Belfry, createBelfry } from './support.ts'
import { startVisitors, type Visitors } from './visitors.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

export interface FaultClusterOptions {
  /** The roles of each node. */
  nodeRoles: readonly string[]
  /**
   * `hosts`: DATABASE_URL lists both servers. `pooler`: DATABASE_URL names a pgbouncer in session mode, which connects
   * to the current primary.
   */
  access: 'hosts' | 'pooler'
  /** Failovers need a replica. */
  replicaCount: 0 | 1
  /** How many outages a run can simulate. Each outage has its own monitor. */
  outageCount: number
  seed: number
}

export interface ClusterMonitor {
  id: number
  name: string
}

interface ClusterNode extends ServerProcess {
  roles: string
}

const INTERVAL_S = 5
/**
 * With this many monitors, there are several checks a second, so tests soon see that checks run. The nodes share the
 * processor with other tests in `npm run test:system`, so they get less to do there.
 */
const STEADY_MONITOR_COUNT = isFaultsRun ? 30 : 10
const EVENT_INTERVAL_MS = isFaultsRun ? 80 : 1_200
const REQUEST_INTERVAL_MS = isFaultsRun ? 200 : 800
const METRICS_TOKEN = 'a token that is only good for tests'

export class FaultCluster {
  readonly nodes: ClusterNode[] = []
  /** Monitors whose targets always respond. */
  readonly steadyMonitors: ClusterMonitor[] = []
  /** Monitors whose targets fail when a test says so. */
  readonly outageMonitors: ClusterMonitor[] = []
  readonly domain = 'example.com'
  websiteId = 0
  /** How many leases both nodes have together. */
  leaseCount = 0
  readonly #options: FaultClusterOptions
  readonly #proxies = new Map<PostgresServer, TcpProxy>()
  #postgres: PostgresCluster | undefined
  #current: PostgresServer | undefined
  #pooler: Pgbouncer | undefined
  #belfry: Belfry | undefined
  #target: CheckTarget | undefined
  #receiver: WebhookReceiver | undefined
  #visitors: Visitors | undefined
  #clients: ApiClients | undefined
  #closed: Promise<void> | undefined

  constructor(options: FaultClusterOptions) {
    this.#options = options
  }

  /** The server that accepts writes. */
  get database(): PostgresServer {
    return started(this.#current)
  }

  /** The other server. It is a replica, or a former primary that a fault has killed. */
  get standby(): PostgresServer {
    const { primary, replicas } = started(this.#postgres)
    return started([primary, ...replicas].find((server) => server !== this.#current))
  }

  /** The proxy between Belfry and the current primary. */
  get proxy(): TcpProxy {
    return started(this.#proxies.get(this.database))
  }

  get pooler(): Pgbouncer {
    return started(this.#pooler)
  }

  get target(): CheckTarget {
    return started(this.#target)
  }

  get receiver(): WebhookReceiver {
    return started(this.#receiver)
  }

  get visitors(): Visitors {
    return started(this.#visitors)
  }

  get clients(): ApiClients {
    return started(this.#clients)
  }

  get webNodes(): ClusterNode[] {
    return this.nodes.filter(({ roles }) => roles.includes('web'))
  }

  /** The query sees the rows of all users. Cast bigint columns (`id::float8`), which are strings otherwise. */
  query<R extends object>(sql: string, values?: unknown[]): Promise<R[]> {
    return this.database.query(sql, 'belfry', values) as Promise<R[]>
  }

  async start(): Promise<void> {
    this.#postgres = await startPostgresCluster({ replicaCount: this.#options.replicaCount })
    this.#current = this.#postgres.primary
    this.#target = await startCheckTarget()
    this.#receiver = await startWebhookReceiver()
    await this.#startNodes(await this.#openDatabaseUrl(this.#postgres))
    await this.#createResources(started(this.#belfry))
    const webUrls = this.webNodes.map(({ url }) => url)
    this.#visitors = startVisitors({
      domains: [this.domain],
      listNodeUrls: () => webUrls,
      random: createSeededRandom(this.#options.seed),
      eventIntervalMs: EVENT_INTERVAL_MS,
    })
    this.#clients = startApiClients({
      nodeUrls: this.nodes.map(({ url }) => url),
      webUrls,
      cookie: await started(this.#belfry).getCookie(),
      websiteId: this.websiteId,
      requestIntervalMs: REQUEST_INTERVAL_MS,
    })
    this.leaseCount = (await this.query('select from nodes')).length
  }

  async #openDatabaseUrl(postgres: PostgresCluster): Promise<string> {
    const servers = [postgres.primary, ...postgres.replicas]
    if (this.#options.access === 'hosts') {
      for (const server of servers) this.#proxies.set(server, await startTcpProxy(server.port))
      return buildDatabaseUrl([...this.#proxies.values()])
    }
    const proxy = await startTcpProxy(postgres.primary.port)
    for (const server of servers) this.#proxies.set(server, proxy)
    this.#pooler = await startPgbouncer(postgres, 'session', proxy.port)
    return buildDatabaseUrl([{ port: this.#pooler.connection.port as number }])
  }

  async #startNodes(databaseUrl: string): Promise<void> {
    const belfry = createBelfry(started(this.#postgres).primary.connection)
    this.#belfry = belfry
    const env = { DATABASE_URL: databaseUrl, BELFRY_METRICS_TOKEN: METRICS_TOKEN }
    const starts = this.#options.nodeRoles.map(async (roles) => ({
      ...(await belfry.start({ ...env, BELFRY_ROLES: roles })),
      roles,
    }))
    this.nodes.push(...(await Promise.all(starts)))
  }

  async #createResources(belfry: Belfry): Promise<void> {
    this.websiteId = await belfry.createResource('/api/v1/websites', { domain: this.domain })
    await belfry.createResource('/api/providers', this.receiver.channelFields)
    // Each alert is a message of its own, so that tests can find it.
    await this.query('update users set group_alerts = false')
    const createMonitor = async (name: string) => {
      const settings = { interval: INTERVAL_S, timeout: INTERVAL_S, retries: 0 }
      const fields = { friendly_name: name, url: this.target.url(name), ...settings }
      return { id: await belfry.createResource('/api/monitors', fields), name }
    }
    for (let n = 0; n < STEADY_MONITOR_COUNT; n++) this.steadyMonitors.push(await createMonitor(`steady${n}`))
    for (let n = 0; n < this.#options.outageCount; n++) this.outageMonitors.push(await createMonitor(`outage${n}`))
  }

  /**
   * Call this after the replica was promoted. It moves the pooler's proxy to the new primary, like a virtual address.
   */
  followPromotion(): void {
    this.#current = this.standby
    if (this.#options.access === 'pooler') this.proxy.forwardTo(this.database.port)
  }

  /** Returns how many checks each node with the role `checker` has finished, by the node's URL. */
  async countChecks(): Promise<Map<string, number>> {
    const checkers = this.nodes.filter(({ roles }) => roles.includes('checker'))
    const readCount = async ({ url }: ClusterNode): Promise<[string, number]> => {
      const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
      const counts = (await response.text()).matchAll(/^belfry_checks_total\{[^}]*\} (\d+)/gm)
      return [url, counts.reduce((sum, [, count]) => sum + Number(count), 0)]
    }
    return new Map(await Promise.all(checkers.map(readCount)))
  }

  async stopLoad(): Promise<void> {
    await Promise.all([this.#visitors?.stop(), this.#clients?.stop()])
  }

  /** Can be called twice. */
  close(): Promise<void> {
    this.#closed ??= this.#closeAll()
    return this.#closed
  }

  async #closeAll(): Promise<void> {
    await this.stopLoad()
    await this.#belfry?.close()
    await this.#pooler?.kill()
    await Promise.all([...new Set(this.#proxies.values())].map((proxy) => proxy.close()))
    await Promise.all([this.#postgres?.close(), this.#target?.close(), this.#receiver?.close()])
  }
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('The cluster has not started')
  return part
}
