/** Who checks what: one node at a time, what is asked for now, and nothing that came too late. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { takeFromDead } from '../../src/checker/claim-store.ts'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { type Monitoring, makeMonitor, path, rowsOf, showMonitor, startMonitoring } from '../support/monitors.ts'

let monitoring: Monitoring
let target: HttpReceiver
let checkers: TestChecker[]

beforeAll(async () => {
  monitoring = await startMonitoring()
  checkers = [await startChecker(monitoring.server), await startChecker(monitoring.server)]
})
afterAll(async () => {
  await Promise.all(checkers.map((checker) => checker.stop()))
  await monitoring.server.close()
})

const [first, second] = [() => checkers[0] as TestChecker, () => checkers[1] as TestChecker]
const db = () => monitoring.server.services.db
const session = () => monitoring.owner.session
const show = ({ id }: MonitorRecord) => showMonitor(session(), id)
const change = ({ id }: MonitorRecord, fields: object) => session().put(`${path}/${id}`, fields)
const checksOf = async ({ id }: MonitorRecord) => rowsOf(monitoring.server, 'checks', id)

async function withTarget(work: (target: HttpReceiver) => Promise<void>): Promise<void> {
  target = await startHttpReceiver()
  try {
    await work(target)
  } finally {
    await target.close()
  }
}

/** Answers nothing until it is told to; resolves when somebody has asked. */
function holdBack(receiver: HttpReceiver): { asked: Promise<void>; letGo: (status?: number) => void } {
  const asked = Promise.withResolvers<void>()
  const held: ((status: number) => void)[] = []
  receiver.answer((response) => {
    held.push((status) => response.writeHead(status).end('at last'))
    asked.resolve()
  })
  return {
    asked: asked.promise,
    letGo: (status = 200) => {
      receiver.answerWith(status, 'at last')
      for (const answer of held) answer(status)
    },
  }
}

/** Of a new monitor, whose target has been asked and holds its answer back. */
async function beginCheck({ checker }: TestChecker, receiver: HttpReceiver, fields: object = {}) {
  const { asked, letGo } = holdBack(receiver)
  const monitor = await makeMonitor(session(), { url: receiver.address, ...fields })
  await checker.look()
  const done = checker.idle()
  await asked
  return { monitor, letGo, done }
}

afterEach(async () => {
  await db().query('delete from monitors')
})

describe('several nodes', () => {
  it('share what is due, and do each check once', async () => {
    await withTarget(async ({ address, received }) => {
      for (let n = 0; n < 30; n++) await makeMonitor(session(), { url: `${address}/${n}` })
      await Promise.all(checkers.map((checker) => checker.run()))
      const paths = received.map(({ path }) => path)
      expect(new Set(paths).size).toBe(30)
      expect(paths).toHaveLength(30)
      expect(await db().query('select count(*) as up from monitors where status = $1', ['up'])).toEqual([{ up: 30 }])
    })
  })

  it('take over from one that is gone, whose late result counts no more', async () => {
    await withTarget(async (receiver) => {
      const dying = await startChecker(monitoring.server)
      const { monitor, letGo, done: late } = await beginCheck(dying, receiver, { retries: 0 })
      // Nobody has seen it for a minute.
      await db().query(`update nodes set seen_at = seen_at - interval '1 minute' where id = $1`, [dying.lease.id])
      expect(await takeFromDead(db(), monitoring.server.clock.now())).toBe(1)
      receiver.answerWith(200, 'ok')
      await second().run()
      expect(await show(monitor)).toMatchObject({ status: 'up' })
      letGo(503)
      await late
      await dying.stop()
      expect(await show(monitor)).toMatchObject({ status: 'up', last_error: null })
      expect(await checksOf(monitor)).toHaveLength(1)
    })
  })

  it('leave alone what a living one is at', async () => {
    await withTarget(async (receiver) => {
      const { monitor, letGo, done } = await beginCheck(first(), receiver)
      expect(await takeFromDead(db(), monitoring.server.clock.now())).toBe(0)
      await second().run()
      expect(receiver.received).toHaveLength(1)
      letGo()
      await done
      expect(await checksOf(monitor)).toHaveLength(1)
    })
  })
})

describe('a change while a check is under way', () => {
  it.each([
    ['of the address', () => ({ url: `${target.address}/other` }), 200],
    ['of what is expected', () => ({ http: { expected_status: '503' } }), 503],
    ['of the interval', () => ({ interval: 30 }), 200],
  ])('%s makes its result worthless, and what is now is checked at once', async (_, fields, status) => {
    await withTarget(async (receiver) => {
      const { monitor, letGo, done } = await beginCheck(first(), receiver, { retries: 0 })
      await change(monitor, fields())
      letGo(500)
      await done
      expect(await show(monitor)).toMatchObject({ status: 'pending', last_checked_at: null })
      receiver.answerWith(status, 'ok')
      await second().run()
      expect(await show(monitor)).toMatchObject({ status: 'up' })
    })
  })

  it('of the name alone does not matter', async () => {
    await withTarget(async (receiver) => {
      const { monitor, letGo, done } = await beginCheck(first(), receiver)
      await change(monitor, { friendly_name: 'Other', remind_every: 5 })
      letGo()
      await done
      expect(await show(monitor)).toMatchObject({ status: 'up', friendly_name: 'Other' })
      expect(receiver.received).toHaveLength(1)
    })
  })

  it.each([
    ['pausing', (monitor: MonitorRecord) => change(monitor, { is_active: false }), 'paused'],
    [
      'bulk pausing',
      ({ id }: MonitorRecord) => session().post(`${path}/bulk`, { ids: [id], action: 'pause' }),
      'paused',
    ],
  ])('%s it ends that', async (_, act, status) => {
    await withTarget(async (receiver) => {
      const { monitor, letGo, done } = await beginCheck(first(), receiver, { retries: 0 })
      await act(monitor)
      letGo(500)
      await done
      await second().run()
      expect(await show(monitor)).toMatchObject({ status, last_checked_at: null })
      expect(await rowsOf(monitoring.server, 'incidents', monitor.id)).toEqual([])
    })
  })

  it('deleting it leaves nothing', async () => {
    await withTarget(async (receiver) => {
      const { monitor, letGo, done } = await beginCheck(first(), receiver, { retries: 0 })
      await session().delete(`${path}/${monitor.id}`)
      letGo(500)
      await done
      expect(await checksOf(monitor)).toEqual([])
    })
  })
})

describe('a stop', () => {
  it('gives back what was under way, unrecorded', async () => {
    await withTarget(async (receiver) => {
      const leaving = await startChecker(monitoring.server)
      const { monitor, letGo, done } = await beginCheck(leaving, receiver)
      await leaving.stop()
      receiver.answerWith(200, 'ok')
      await first().run()
      expect(await show(monitor)).toMatchObject({ status: 'up' })
      letGo(500)
      await done
      expect(await checksOf(monitor)).toHaveLength(1)
    })
  })
})
