/** The database becomes read-only, or another server takes over. */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readConnectionSettings } from '../../src/storage/connection-settings.ts'
import {
  buildDatabaseUrl,
  type PostgresCluster,
  type PostgresServer,
  startPostgresCluster,
} from '../support/postgres-cluster.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { expectNoOtherFailures, expectRecovery, listRefused, startDatabaseNode } from './database-node.ts'
import { waitUntil } from './support.ts'

const READ_ONLY_MS = 1_500

/** The tests share a cluster, because creating one is expensive. Each test that promotes a replica uses a different one. */
let cluster: PostgresCluster

beforeAll(async () => {
  cluster = await startPostgresCluster({ replicaCount: 2 })
})
afterAll(() => cluster?.close())

/** After the test, makes the primary writable again and deletes its users and nodes. */
function usePrimary(): PostgresServer {
  const { primary } = cluster
  onTestFinished(async () => {
    await primary.setReadOnly(false)
    await primary.query('delete from users; delete from nodes', 'belfry')
  })
  return primary
}

describe('a node', () => {
  // The test uses one node for both faults, because starting a node takes longer than the faults.
  it('refuses writes while the database is read-only, recovers when it is writable again, and leaves a demoted server for the new primary, with idle connections, too', async () => {
    const primary = usePrimary()
    const replica = cluster.replicas[1] as PostgresServer
    const proxy = await startTcpProxy(primary.port)
    onTestFinished(() => proxy.close())
    const node = await startDatabaseNode({ ...primary.connection, port: proxy.port })
    await primary.setReadOnly(true)
    await waitUntil('the node is not ready', async () => (await node.attempt('readiness')).status === 503)
    expect(await node.attempt('readiness')).toMatchObject({ detail: 'The database is read-only.' })
    const attempts = await node.hammer(delay(READ_ONLY_MS))
    expectNoOtherFailures(attempts)
    expect(new Set(listRefused(attempts).map(({ name }) => name))).toContain('write')
    await primary.setReadOnly(false)
    await expectRecovery(node, primary)

    await node.hammer(delay(200))
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

  it('follows a promotion to another host, and clients see 503 but never 500', async () => {
    const primary = usePrimary()
    const replica = cluster.replicas[0] as PostgresServer
    onTestFinished(() => primary.start())
    const node = await startDatabaseNode(await readConnectionSettings(buildDatabaseUrl([primary, replica])))
    // Without the leases, other nodes would repeat the messages that this node is sending.
    await waitUntil('the replica has the leases of checks and of messages', async () => {
      return (await replica.query('select from nodes', 'belfry')).length === 2
    })
    const failOver = async () => {
      await primary.stop()
      await delay(300)
      await replica.promote()
    }
    expectNoOtherFailures(await node.hammer(failOver()))
    await expectRecovery(node, replica)
  })
})
