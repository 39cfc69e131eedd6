/** Claims: only one node runs each check, and results of outdated claims are dropped. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { releaseExpiredClaims } from '../../src/checker/claim-store.ts'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import {
  createMonitor,
  getMonitor,
  type MonitorFixture,
  monitorsPath,
  readRows,
  startMonitorFixture,
} from '../support/monitors.ts'

let monitoring: MonitorFixture
let target: HttpReceiver
let checkers: TestChecker[]

beforeAll(async () => {
  monitoring = await startMonitorFixture()
  checkers = [await startChecker(monitoring.server), await startChecker(monitoring.server)]
})
afterAll(async () => {
  await Promise.all(checkers.map((checker) => checker.stop()))
  await monitoring.server.close()
})

const [firstChecker, secondChecker] = [() => checkers[0] as TestChecker, () => checkers[1] as TestChecker]
const db = () => monitoring.server.services.db
const session = () => monitoring.owner.session
const readMonitor = ({ id }: MonitorRecord) => getMonitor(session(), id)
const changeMonitor = ({ id }: MonitorRecord, fields: object) => session().put(`${monitorsPath}/${id}`, fields)
const readChecks = async ({ id }: MonitorRecord) => readRows(monitoring.server, 'checks', id)

async function withTarget(work: (target: HttpReceiver) => Promise<void>): Promise<void> {
  target = await startHttpReceiver()
  try {
    await work(target)
  } finally {
    await target.close()
  }
}

/** Makes the target delay its responses until `respond` is called. `requestReceived` resolves at the first request. */
function delayResponses(receiver: HttpReceiver): {
  requestReceived: Promise<void>
  respond: (status?: number) => void
} {
  const requestReceived = Promise.withResolvers<void>()
  const pendingResponses: ((status: number) => void)[] = []
  receiver.handleWith((response) => {
    pendingResponses.push((status) => response.writeHead(status).end('at last'))
    requestReceived.resolve()
  })
  return {
    requestReceived: requestReceived.promise,
    respond: (status = 200) => {
      receiver.respondWith(status, 'at last')
      for (const send of pendingResponses) send(status)
    },
  }
}

/** Starts a check of a new monitor and returns while its target delays the response. */
async function startCheck({ loop }: TestChecker, receiver: HttpReceiver, fields: object = {}) {
  const { requestReceived, respond } = delayResponses(receiver)
  const monitor = await createMonitor(session(), { url: receiver.address, ...fields })
  await loop.claimDue()
  const checkDone = loop.runAllClaimed()
  await requestReceived
  return { monitor, respond, checkDone }
}

afterEach(async () => {
  await db().query('delete from monitors')
})

describe('several nodes', () => {
  it('share the due checks, and run each check once', async () => {
    await withTarget(async ({ address, received }) => {
      for (let n = 0; n < 30; n++) await createMonitor(session(), { url: `${address}/${n}` })
      await Promise.all(checkers.map((checker) => checker.run()))
      const paths = received.map(({ path }) => path)
      expect(new Set(paths).size).toBe(30)
      expect(paths).toHaveLength(30)
      expect(await db().query('select count(*) as up from monitors where status = $1', ['up'])).toEqual([{ up: 30 }])
    })
  })

  it('take over the claims of an expired node, whose late result does not count', async () => {
    await withTarget(async (receiver) => {
      const expiringChecker = await startChecker(monitoring.server)
      const { monitor, respond, checkDone: lateCheck } = await startCheck(expiringChecker, receiver, { retries: 0 })
      // Make the node's last heartbeat look a minute older, so that its lease is expired.
      await db().query(`update nodes set seen_at = seen_at - interval '1 minute' where id = $1`, [
        expiringChecker.claimant.id,
      ])
      expect(await releaseExpiredClaims(db(), monitoring.server.clock.now())).toBe(1)
      receiver.respondWith(200, 'ok')
      await secondChecker().run()
      expect(await readMonitor(monitor)).toMatchObject({ status: 'up' })
      respond(503)
      await lateCheck
      await expiringChecker.stop()
      expect(await readMonitor(monitor)).toMatchObject({ status: 'up', last_error: null })
      expect(await readChecks(monitor)).toHaveLength(1)
    })
  })

  it('respect the claims of a running node', async () => {
    await withTarget(async (receiver) => {
      const { monitor, respond, checkDone } = await startCheck(firstChecker(), receiver)
      expect(await releaseExpiredClaims(db(), monitoring.server.clock.now())).toBe(0)
      await secondChecker().run()
      expect(receiver.received).toHaveLength(1)
      respond()
      await checkDone
      expect(await readChecks(monitor)).toHaveLength(1)
    })
  })
})

describe('a change during a check', () => {
  it.each([
    ['of the URL', () => ({ url: `${target.address}/other` }), 200],
    ['of the expected status', () => ({ http: { expected_status: '503' } }), 503],
    ['of the interval', () => ({ interval: 30 }), 200],
  ])('%s discards the result and checks the new settings immediately', async (_, fields, status) => {
    await withTarget(async (receiver) => {
      const { monitor, respond, checkDone } = await startCheck(firstChecker(), receiver, { retries: 0 })
      await changeMonitor(monitor, fields())
      respond(500)
      await checkDone
      expect(await readMonitor(monitor)).toMatchObject({ status: 'pending', last_checked_at: null })
      receiver.respondWith(status, 'ok')
      await secondChecker().run()
      expect(await readMonitor(monitor)).toMatchObject({ status: 'up' })
    })
  })

  it('that affects only the name and the reminders keeps the result', async () => {
    await withTarget(async (receiver) => {
      const { monitor, respond, checkDone } = await startCheck(firstChecker(), receiver)
      await changeMonitor(monitor, { friendly_name: 'Other', remind_every: 5 })
      respond()
      await checkDone
      expect(await readMonitor(monitor)).toMatchObject({ status: 'up', friendly_name: 'Other' })
      expect(receiver.received).toHaveLength(1)
    })
  })

  it.each([
    ['pauses the monitor', (monitor: MonitorRecord) => changeMonitor(monitor, { is_active: false }), 'paused'],
    [
      'pauses the monitor in bulk',
      ({ id }: MonitorRecord) => session().post(`${monitorsPath}/bulk`, { ids: [id], action: 'pause' }),
      'paused',
    ],
  ])('that %s discards the result', async (_, pause, status) => {
    await withTarget(async (receiver) => {
      const { monitor, respond, checkDone } = await startCheck(firstChecker(), receiver, { retries: 0 })
      await pause(monitor)
      respond(500)
      await checkDone
      await secondChecker().run()
      expect(await readMonitor(monitor)).toMatchObject({ status, last_checked_at: null })
      expect(await readRows(monitoring.server, 'incidents', monitor.id)).toEqual([])
    })
  })

  it('that deletes the monitor leaves no result behind', async () => {
    await withTarget(async (receiver) => {
      const { monitor, respond, checkDone } = await startCheck(firstChecker(), receiver, { retries: 0 })
      await session().delete(`${monitorsPath}/${monitor.id}`)
      respond(500)
      await checkDone
      expect(await readChecks(monitor)).toEqual([])
    })
  })
})

describe('stopping a checker', () => {
  it('releases running checks without recording them', async () => {
    await withTarget(async (receiver) => {
      const stoppingChecker = await startChecker(monitoring.server)
      const { monitor, respond, checkDone } = await startCheck(stoppingChecker, receiver)
      await stoppingChecker.stop()
      receiver.respondWith(200, 'ok')
      await firstChecker().run()
      expect(await readMonitor(monitor)).toMatchObject({ status: 'up' })
      respond(500)
      await checkDone
      expect(await readChecks(monitor)).toHaveLength(1)
    })
  })
})

describe('a node whose lease ends while it looks for due checks', () => {
  it('claims nothing, reports no error, and continues with its next lease', async () => {
    await withTarget(async (receiver) => {
      const monitor = await createMonitor(session(), { url: receiver.address })
      const { claimant, loop, run } = firstChecker()
      const errorCount = () =>
        monitoring.server.logLines.filter((line) => line.includes('the check loop failed')).length
      const errorsBefore = errorCount()
      let renewal: Promise<void> | undefined
      await db().transaction(async (q) => {
        // While the table is locked, the node can't get a new lease.
        await q.query('lock table nodes')
        const claim = loop.claimDue()
        renewal = claimant.abandonClaims()
        await claim
      })
      expect((await readRows(monitoring.server, 'monitor_states', monitor.id))[0]).toMatchObject({ claimed_by: null })
      expect(errorCount()).toBe(errorsBefore)
      await renewal
      await run()
      expect(await readChecks(monitor)).toHaveLength(1)
    })
  })
})
