/** A node is frozen after it has claimed checks, and wakes up before it has started them. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { releaseExpiredClaims } from '../../src/checker/claim-store.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { createMonitor, type MonitorFixture, startMonitorFixture } from '../support/monitors.ts'

const MONITOR_COUNT = 5

let monitoring: MonitorFixture
let target: HttpReceiver
let frozenNode: TestChecker
let otherNode: TestChecker
let now = 0

beforeAll(async () => {
  monitoring = await startMonitorFixture()
  target = await startHttpReceiver()
  frozenNode = await startChecker(monitoring.server, { monotonicNow: () => now })
  otherNode = await startChecker(monitoring.server)
})

afterAll(async () => {
  await Promise.all([frozenNode?.stop(), otherNode?.stop()])
  await Promise.all([monitoring?.server.close(), target?.close()])
})

const db = () => monitoring.server.services.db
const countChecks = async () => (await db().query('select from checks')).length

/** Freezes the node for this time, directly after it has claimed all monitors. */
async function freezeAfterClaim(seconds: number): Promise<void> {
  await frozenNode.loop.claimDue()
  now += seconds * 1000
  await db().query('update nodes set seen_at = now() - make_interval(secs => $2) where id = $1', [
    frozenNode.claimant.id,
    seconds,
  ])
}

beforeEach(async () => {
  await frozenNode.lease.renew()
  await db().query('delete from monitors')
  await db().query('delete from checks')
  for (let n = 0; n < MONITOR_COUNT; n++)
    await createMonitor(monitoring.owner.session, { url: `${target.address}/${n}` })
  target.received.length = 0
})

it('a node that wakes up starts none of its claimed checks if other nodes have taken over', async () => {
  await freezeAfterClaim(15)
  await releaseExpiredClaims(db(), monitoring.server.clock.now())
  await otherNode.run()
  await frozenNode.lease.renew()
  await frozenNode.loop.runAllClaimed()
  expect([target.received.length, await countChecks()]).toEqual([MONITOR_COUNT, MONITOR_COUNT])

  monitoring.server.clock.advance({ minutes: 2 })
  await frozenNode.run()
  expect([target.received.length, await countChecks()]).toEqual([2 * MONITOR_COUNT, 2 * MONITOR_COUNT])
})

it('a node that wakes up starts its claimed checks after a heartbeat that shows that they are still its own', async () => {
  await freezeAfterClaim(4.5)
  const wakingRun = frozenNode.loop.runAllClaimed()
  // If checks had started, their requests would arrive before these.
  for (let n = 0; n < 3; n++) await fetch(`${target.address}/marker`)
  expect(target.received.map(({ path }) => path)).toEqual(['/marker', '/marker', '/marker'])
  target.received.length = 0
  await frozenNode.lease.renew()
  await wakingRun
  expect([target.received.length, await countChecks()]).toEqual([MONITOR_COUNT, MONITOR_COUNT])
})
