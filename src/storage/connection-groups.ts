/** The groups of connections of one process. Nothing in one group can take the connections of another. */
import { unavailable } from '../lib/problem.ts'
import { READ_ONLY_DETAIL } from './connection-loss.ts'
import { ConnectionPools, type PoolSizes } from './connection-pools.ts'
import type { ConnectionSettings } from './connection-settings.ts'
import { Connector } from './connector.ts'
import { DeadConnections } from './dead-connections.ts'
import type { PoolUsage } from './pool-usage.ts'
import { backgroundLimits, limitRequests } from './session-setup.ts'

export type GroupName = 'requests' | 'ingest' | 'background'

export interface DatabaseLimits {
  /** How long a request waits for the database. */
  timeoutMs: number
  /** The number of connections of the group `requests`, pipelined ones and those for transactions together. */
  requestConnections: number
  /** The number of connections of the group `background`. */
  backgroundConnections: number
}

/**
 * With two pipelined connections, PostgreSQL can receive one batch while it stores another. The connection for
 * transactions stores counts of dropped events.
 */
const INGEST_SIZES: PoolSizes = { pipelined: 2, transactions: 1 }

/** How long a disk counts as full after PostgreSQL reported it. Belfry writes more often than that, so it notices if the disk is still full. */
const DISK_FULL_MS = 60_000

export class ConnectionGroups {
  readonly #pools: Record<GroupName, ConnectionPools>
  readonly #deadConnections: DeadConnections
  #isClosing = false
  #diskFullAt = Number.NEGATIVE_INFINITY

  constructor(options: {
    connection: ConnectionSettings
    limits: DatabaseLimits
    onLoss: (error: Error) => void
    /** Called when a pooler was switched to transaction mode (true) or back (false). */
    onTransactionMode?: (isOn: boolean) => void
  }) {
    const { timeoutMs, requestConnections, backgroundConnections } = options.limits
    const connector = new Connector(options.connection, options.onTransactionMode)
    // When the server stops, PostgreSQL may terminate a connection that we are just closing. We don't report that.
    const onLoss = (error: Error) => this.#isClosing || options.onLoss(error)
    const onDiskFull = () => {
      this.#diskFullAt = performance.now()
    }
    const common = { connector, onLoss, onDiskFull }
    this.#pools = {
      requests: new ConnectionPools({
        ...common,
        sizes: splitConnections(requestConnections),
        limits: limitRequests(timeoutMs),
      }),
      ingest: new ConnectionPools({ ...common, sizes: INGEST_SIZES, limits: limitRequests(timeoutMs) }),
      background: new ConnectionPools({
        ...common,
        sizes: splitConnections(backgroundConnections),
        limits: backgroundLimits,
      }),
    }
    const pools = Object.values(this.#pools)
    this.#deadConnections = new DeadConnections(connector, () => pools.flatMap(({ connections }) => connections))
  }

  /** Whether PostgreSQL recently refused to write because its disk is full. */
  get isDiskFull(): boolean {
    return performance.now() - this.#diskFullAt < DISK_FULL_MS
  }

  get(name: GroupName): ConnectionPools {
    return this.#pools[name]
  }

  listUsage(): [GroupName, PoolUsage][] {
    return Object.entries(this.#pools).map(([name, pools]) => [name as GroupName, pools.usage])
  }

  /**
   * Connections are only opened to a server that accepts writes. This throws if the server has become read-only since
   * then.
   */
  async requireWritable(): Promise<void> {
    const [result] = await this.#pools.requests.run([
      { text: `select pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as is_read_only` },
    ])
    if (result?.rows[0]?.['is_read_only']) throw unavailable(READ_ONLY_DETAIL)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#deadConnections.stop()
    await Promise.all(Object.values(this.#pools).map((pools) => pools.close()))
  }
}

/** Reserves slightly more than half of the connections for transactions, which hold a connection for several round trips. */
export function splitConnections(total: number): PoolSizes {
  const transactions = Math.min(total - 1, Math.ceil((total * 5) / 9))
  return { pipelined: total - transactions, transactions }
}
