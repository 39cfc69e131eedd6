/** Changes and standstills in the moment of a claim. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { releaseAll, takeFromDead } from '../../src/checker/claim-store.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { type Monitoring, makeMonitor, path, rowsOf, startMonitoring } from '../support/monitors.ts'

let monitoring: Monitoring
let checker: TestChecker
let target: HttpReceiver

beforeAll(async () => {
  monitoring = await startMonitoring({ env: { BELFRY_PRIVATE_TARGETS: 'allow' } })
  target = await startHttpReceiver()
})
afterAll(async () => {
  await monitoring.server.close()
  await target.close()
})
beforeEach(async () => {
  checker = await startChecker(monitoring.server)
})
afterEach(async () => {
  await checker.stop()
  await db().query('delete from monitors')
})

const db = () => monitoring.server.services.db
const session = () => monitoring.owner.session
const hours = 3_600

/** For a lock that another transaction holds. */
async function untilSomebodyWaits(): Promise<void> {
  const waiting = `select count(*) as count from pg_stat_activity
                    where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await db().query(waiting))[0]?.['count'], { timeout: 10_000 }).toBeGreaterThan(0)
}

describe('a check by hand while its monitor is being changed', () => {
  it('is one of what it has become', async () => {
    const { id } = await makeMonitor(session(), { url: `${target.address}/old` })
    const changed = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    // As the API does it, but it takes its time.
    const changing = db().transaction(async (q) => {
      await q.query('update monitors set url = $2 where id = $1', [id, `${target.address}/new`])
      await q.query('update monitor_states set claim = claim + 1 where monitor_id = $1', [id])
      changed.resolve()
      await commit.promise
    })
    await changed.promise
    const checking = session().post(`${path}/${id}/check`)
    await untilSomebodyWaits()
    commit.resolve()
    await changing
    expect((await checking).status).toBe(200)
    expect(target.received.map((request) => request.path)).toEqual(['/new'])
  })

  it('that cannot read it leaves it to others', async () => {
    const http = { headers: { 'X-Secret': 'a long secret' } }
    const { id } = await makeMonitor(session(), { url: target.address, http })
    await db().query(`update monitors set http_headers = '\\x00' where id = $1`, [id])
    expect((await session().post(`${path}/${id}/check`)).status).toBe(500)
    expect(await takeFromDead(db(), monitoring.server.clock.now())).toBe(1)
    await checker.checker.look()
    const last_error = 'Its headers cannot be decrypted: was BELFRY_SECRET changed?'
    expect(await rowsOf(monitoring.server, 'monitor_states', id)).toMatchObject([{ last_error, claimed_by: null }])
  })
})

describe('a provider that is deleted in the moment of the verdict', () => {
  it('does not take the verdict along', async () => {
    target.answerWith(500, 'no')
    const hook = { provider_type: 'slack', webhook_url: 'https://hooks.example.com/x1', assign_by_default: true }
    const provider = (await session().post('/api/providers', hook)).body.data.id
    const { id } = await makeMonitor(session(), { url: target.address, retries: 0, interval: 3_600 })
    const deleted = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const deleting = db().transaction(async (q) => {
      await q.query('delete from providers where id = $1', [provider])
      deleted.resolve()
      await commit.promise
    })
    await deleted.promise
    const checking = checker.run()
    await untilSomebodyWaits()
    commit.resolve()
    await deleting
    await checking
    target.answerWith(200, 'ok')
    expect(await rowsOf(monitoring.server, 'incidents', id)).toMatchObject([
      { cause: 'http_status', resolved_at: null },
    ])
    expect(await rowsOf(monitoring.server, 'alerts', id)).toEqual([])
  })
})

describe('hours in which nobody looked', () => {
  it.each([
    ['nothing else happened', async () => {}],
    ['somebody checked by hand', async (id: number) => void (await session().post(`${path}/${id}/check`))],
    ['somebody changed it', async (id: number) => void (await session().put(`${path}/${id}`, { interval: 61 }))],
    [
      'a node had claimed it and was gone',
      async (id: number) => {
        await db().query(
          `update monitor_states set due_at = 'infinity', waiting_since = due_at, claimed_by = 1 where monitor_id = $1`,
          [id],
        )
        await releaseAll(db(), 1, monitoring.server.clock.now())
      },
    ],
  ])('are not watched, also where %s', async (_, happens) => {
    const { id } = await makeMonitor(session(), { url: target.address })
    await checker.run()
    monitoring.server.clock.advance({ seconds: 8 * hours })
    await happens(id)
    await checker.run()
    const watches = await rowsOf(monitoring.server, 'watches', id)
    expect(watches.map(({ ended_at }) => ended_at !== null)).toEqual([true, false])
  })
})
