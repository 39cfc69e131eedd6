/** The faults that tests inject into the database of a cluster. */
import { setTimeout as delay } from 'node:timers/promises'
import type { FaultCluster } from './cluster.ts'
import { waitUntil } from './support.ts'

export interface ClusterFault {
  /** Resolves when a database accepts writes again. */
  inject(cluster: FaultCluster, durationMs: number): Promise<void>
  /**
   * How long the fault lasts in `npm run test:system`. Unless it ends immediately, this is longer than API clients wait between requests, so that
   * they notice it.
   */
  shortMs: number
  /** How long the fault lasts in `npm run faults`. */
  longMs: number
  /** Events must be stored even during the fault. */
  sparesEvents?: boolean
}

async function makeReadOnly({ database }: FaultCluster, durationMs: number): Promise<void> {
  await database.setReadOnly(true)
  await delay(durationMs)
  await database.setReadOnly(false)
}

async function lockTable({ database }: FaultCluster, durationMs: number): Promise<void> {
  const lock = await database.lockTable('monitor_states')
  await delay(durationMs)
  await lock.release()
}

/** The processes of PostgreSQL stop, and its connections stay open. */
async function freeze({ database }: FaultCluster, durationMs: number): Promise<void> {
  await database.freeze()
  await delay(durationMs)
  await database.thaw()
}

/** The network loses everything for a while. */
async function cutNetwork({ proxy }: FaultCluster, durationMs: number): Promise<void> {
  proxy.stall()
  await delay(durationMs)
  proxy.resume()
}

/** Open connections stay silent, as behind a firewall that has lost its state. New connections work immediately. */
async function forgetConnections({ proxy }: FaultCluster): Promise<void> {
  proxy.stallOpenConnections()
}

/** A planned failover: the primary restarts as a replica, so that for a while both servers are read-only. */
async function switchOver(cluster: FaultCluster, durationMs: number): Promise<void> {
  const { database, standby } = cluster
  await database.stop()
  await database.startAsReplicaOf(standby)
  await delay(durationMs)
  await standby.promote()
  cluster.followPromotion()
}

/** The primary crashes. Synchronous replication makes sure that the replica has everything that was acknowledged. */
async function failOver(cluster: FaultCluster, durationMs: number): Promise<void> {
  const { database, standby } = cluster
  await database.query(`alter system set synchronous_standby_names = '*'`)
  await database.query('select pg_reload_conf()')
  await waitUntil('the replication is synchronous', async () => {
    return (await database.query(`select from pg_stat_replication where sync_state = 'sync'`)).length === 1
  })
  await standby.waitUntilCaughtUpWith(database)
  await database.kill()
  await delay(durationMs)
  await standby.promote()
  cluster.followPromotion()
}

async function restartPooler({ pooler }: FaultCluster, durationMs: number): Promise<void> {
  await pooler.kill()
  await delay(durationMs)
  await pooler.start()
}

export const clusterFaults = {
  'read-only database': { inject: makeReadOnly, shortMs: 1_000, longMs: 10_000 },
  // The checker discards results that it can't write within 5 s, so this fault lasts longer.
  'locked table': { inject: lockTable, shortMs: 6_000, longMs: 20_000, sparesEvents: true },
  'frozen database': { inject: freeze, shortMs: 1_500, longMs: 12_000 },
  'network down': { inject: cutNetwork, shortMs: 1_500, longMs: 12_000 },
  'forgotten connections': { inject: forgetConnections, shortMs: 0, longMs: 0 },
  'planned failover': { inject: switchOver, shortMs: 1_000, longMs: 4_000 },
  'restarted pooler': { inject: restartPooler, shortMs: 1_200, longMs: 4_000 },
  'crash and failover': { inject: failOver, shortMs: 1_000, longMs: 4_000 },
} satisfies Record<string, ClusterFault>

export type FaultName = keyof typeof clusterFaults
