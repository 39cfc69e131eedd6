/** The database becomes read-only, or another server takes over. */
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readConnectionSettings } from '../../src/storage/connection-settings.ts'
import { listHosts, type PostgresCluster, startPostgresCluster } from '../support/postgres-cluster.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { expectNoOtherFailures, expectRecovery, listRefused, startDatabaseNode } from './database-node.ts'
import { waitUntil } from './support.ts'

const READ_ONLY_MS = 1_500

async function startCluster(replicaCount: number): Promise<PostgresCluster> {
  const cluster = await startPostgresCluster({ replicaCount })
  onTestFinished(() => cluster.close())
  return cluster
}

describe('a node', () => {
  it('refuses writes while the database is read-only, and recovers when it is writable again', async () => {
    const { primary } = await startCluster(0)
    const node = await startDatabaseNode(primary.connection)
    await primary.setReadOnly(true)
    await waitUntil('the node is not ready', async () => (await node.attempt('readiness')).status === 503)
    expect(await node.attempt('readiness')).toMatchObject({ detail: 'The database is read-only.' })
    const attempts = await node.hammer(pause(READ_ONLY_MS))
    expectNoOtherFailures(attempts)
    expect(new Set(listRefused(attempts).map(({ name }) => name))).toContain('write')
    await primary.setReadOnly(false)
    await expectRecovery(node, primary)
  })

  it('follows a promotion to another host, and clients see 503 but never 500', async () => {
    const { primary, replicas } = await startCluster(1)
    const replica = replicas[0] as typeof primary
    const node = await startDatabaseNode(await readConnectionSettings(listHosts([primary, replica])))
    const listLeases = (server: typeof primary) => server.query<{ id: string }>('select id from nodes', 'belfry')
    const leases = await listLeases(primary)
    const failOver = async () => {
      await primary.stop()
      await pause(300)
      await replica.promote()
      // Otherwise other nodes would repeat the messages that this node is sending.
      expect(await listLeases(replica)).toEqual(expect.arrayContaining(leases))
    }
    expect(leases).toHaveLength(2)
    expectNoOtherFailures(await node.hammer(failOver()))
    await expectRecovery(node, replica)
  })

  it('closes its connections to a demoted server, including idle ones, and uses the new primary', async () => {
    const { primary, replicas } = await startCluster(1)
    const replica = replicas[0] as typeof primary
    const proxy = await startTcpProxy(primary.port)
    onTestFinished(() => proxy.close())
    const node = await startDatabaseNode({ ...primary.connection, port: proxy.port })
    await node.hammer(pause(200))
    const failOver = async () => {
      await primary.setReadOnly(true)
      await replica.waitUntilCaughtUpWith(primary)
      await replica.promote()
      proxy.forwardTo(replica.port)
    }
    expectNoOtherFailures(await node.hammer(failOver()))
    await expectRecovery(node, replica)
    await waitUntil('no connection to the demoted server is left', async () => {
      return (await primary.query(`select from pg_stat_activity where usename = 'belfry'`)).length === 0
    })
  })
})
