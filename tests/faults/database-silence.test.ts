/** PostgreSQL or the network to it doesn't respond, or a table is locked. */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PostgresCluster, type PostgresServer, startPostgresCluster } from '../support/postgres-cluster.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import {
  type Attempt,
  type DatabaseNode,
  expectNoOtherFailures,
  expectRecovery,
  listRefused,
  startDatabaseNode,
} from './database-node.ts'

/** A short timeout makes the tests short. The test of the frozen server uses the default. */
const SHORT_TIMEOUT = { BELFRY_DATABASE_TIMEOUT: '1' }

/**
 * The median response time may grow by this much while the table is locked. A request that waits for the lock takes 4
 * s.
 */
const MAX_DELAY_MS = 1_000

let cluster: PostgresCluster
let primary: PostgresServer

beforeAll(async () => {
  cluster = await startPostgresCluster()
  primary = cluster.primary
})
afterAll(() => cluster?.close())

describe('a node', () => {
  // The test uses one node for both faults, because starting a node takes longer than the faults.
  it('stores events while a table is locked, and responds to every request within 5 s while PostgreSQL is frozen', async () => {
    const node = await startDatabaseNode(primary.connection)
    await expectPromptResponsesWhileLocked(node)

    await primary.freeze()
    onTestFinished(() => primary.thaw())
    // The second event waits behind the first, which is being stored.
    const lateEvent = delay(1_000).then(() => node.attempt('event'))
    const attempts = [...(await node.hammer(delay(500))), await lateEvent]
    expectNoOtherFailures(attempts)
    expect(new Set(listRefused(attempts).map(({ name }) => name))).toEqual(new Set(attempts.map(({ name }) => name)))
    await primary.thaw()
    await expectRecovery(node, primary)
  })

  it('replaces connections that were silently cut, including those of checks and rollups, and recovers when the network is back', async () => {
    const proxy = await startTcpProxy(primary.port)
    onTestFinished(() => proxy.close())
    const node = await startDatabaseNode({ ...primary.connection, port: proxy.port }, SHORT_TIMEOUT)
    await node.hammer(delay(200))
    proxy.stallOpenConnections()
    await expectRecovery(node, primary)

    proxy.stall()
    expectNoOtherFailures(await node.hammer(delay(1_000)))
    proxy.resume()
    await expectRecovery(node, primary)
  })
})

async function expectPromptResponsesWhileLocked(node: DatabaseNode): Promise<void> {
  const otherNames = ['event', 'read', 'write', 'unknown key', 'statistics', 'readiness'] as const
  // The first request of each kind takes up to 2 s on a busy machine: it loads code, and PostgreSQL plans its statements.
  await Promise.all(otherNames.map(node.attempt))
  // Measure the times without a lock for comparison, because a busy machine needs longer for every request.
  const calmTimes = findMedianTimes(await node.hammer(delay(500), otherNames))
  const lock = await primary.lockTable('monitor_states')
  onTestFinished(() => lock.release())
  const lockEnd = delay(2_500)
  const [otherAttempts, blockedAttempts] = await Promise.all([
    node.hammer(lockEnd, otherNames),
    node.hammer(lockEnd, ['monitors', 'monitors', 'monitors', 'monitors', 'monitors', 'monitors']),
  ])
  expect(listRefused(otherAttempts)).toEqual([])
  for (const [name, ms] of findMedianTimes(otherAttempts))
    expect(ms, name).toBeLessThan((calmTimes.get(name) ?? 0) + MAX_DELAY_MS)
  expectNoOtherFailures(blockedAttempts)
  expect(listRefused(blockedAttempts)).not.toEqual([])
  await lock.release()
  await expectRecovery(node, primary)
}

/** Returns the median of the response times by the name of the request. */
function findMedianTimes(attempts: readonly Attempt[]): Map<string, number> {
  const groups = [...Map.groupBy(attempts, ({ name }) => name)]
  return new Map(
    groups.map(([name, group]) => {
      const times = group.map(({ ms }) => ms).sort((a, b) => a - b)
      return [name, times[Math.floor(times.length / 2)] as number]
    }),
  )
}
