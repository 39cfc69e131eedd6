/** Changes while a check is claimed or recorded, and long gaps between checks. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { releaseExpiredClaims, releaseNodeClaims } from '../../src/checker/claim-store.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { createMonitor, type MonitorFixture, monitorsPath, readRows, startMonitorFixture } from '../support/monitors.ts'

let monitoring: MonitorFixture
let checker: TestChecker
let target: HttpReceiver

beforeAll(async () => {
  monitoring = await startMonitorFixture({ env: { BELFRY_PRIVATE_TARGETS: 'allow' } })
  target = await startHttpReceiver()
})
afterAll(async () => {
  await monitoring.server.close()
  await target.close()
})
beforeEach(async () => {
  target.received.length = 0
  target.respondWith(200, 'ok')
  checker = await startChecker(monitoring.server)
})
afterEach(async () => {
  await checker.stop()
  await db().query('delete from monitors')
})

const db = () => monitoring.server.services.db
const session = () => monitoring.owner.session
const HOUR_SECONDS = 3_600

/** Resolves when a query waits for a lock that another transaction holds. */
async function untilLockWait(): Promise<void> {
  const lockWaitQuery = `select count(*) as count from pg_stat_activity
                    where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await db().query(lockWaitQuery))[0]?.['count'], { timeout: 10_000 }).toBeGreaterThan(0)
}

describe('a manual check', () => {
  it('uses the new settings if its monitor is being changed', async () => {
    const { id } = await createMonitor(session(), { url: `${target.address}/old` })
    const urlChanged = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    // The API runs the same statements, without the delay before the commit.
    const urlChange = db().transaction(async (q) => {
      await q.query('update monitors set url = $2 where id = $1', [id, `${target.address}/new`])
      await q.query('update monitor_states set claim = claim + 1 where monitor_id = $1', [id])
      urlChanged.resolve()
      await commit.promise
    })
    await urlChanged.promise
    const checkRequest = session().post(`${monitorsPath}/${id}/check`)
    await untilLockWait()
    commit.resolve()
    await urlChange
    expect((await checkRequest).status).toBe(200)
    expect(target.received.map((request) => request.path)).toEqual(['/new'])
  })

  it('releases a monitor whose headers it cannot decrypt', async () => {
    const http = { headers: { 'X-Secret': 'a long secret' } }
    const { id } = await createMonitor(session(), { url: target.address, http })
    await db().query(`update monitors set http_headers = '\\x00' where id = $1`, [id])
    expect((await session().post(`${monitorsPath}/${id}/check`)).status).toBe(500)
    expect(await releaseExpiredClaims(db(), monitoring.server.clock.now())).toBe(1)
    await checker.run()
    const last_error = "The monitor's headers can't be decrypted. Was BELFRY_SECRET changed?"
    expect(await readRows(monitoring.server, 'monitor_states', id)).toMatchObject([{ last_error, claimed_by: null }])
  })
})

describe('a channel that is deleted while a monitor goes down', () => {
  it('does not keep the monitor from going down', async () => {
    target.respondWith(500, 'no')
    const hook = { provider_type: 'slack', webhook_url: 'https://hooks.example.com/x1', assign_by_default: true }
    const channelId = (await session().post('/api/providers', hook)).body.data.id
    const { id } = await createMonitor(session(), { url: target.address, retries: 0, interval: 3_600 })
    const channelDeleted = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const deletion = db().transaction(async (q) => {
      await q.query('delete from providers where id = $1', [channelId])
      channelDeleted.resolve()
      await commit.promise
    })
    await channelDeleted.promise
    const checkRun = checker.run()
    await untilLockWait()
    commit.resolve()
    await deletion
    await checkRun
    expect(await readRows(monitoring.server, 'incidents', id)).toMatchObject([
      { cause: 'http_status', resolved_at: null },
    ])
    expect(await readRows(monitoring.server, 'alerts', id)).toEqual([])
  })
})

describe('hours without checks', () => {
  it.each([
    ['nothing else happens', async () => {}],
    ['a user runs a manual check', async (id: number) => void (await session().post(`${monitorsPath}/${id}/check`))],
    [
      'a user changes the monitor',
      async (id: number) => void (await session().put(`${monitorsPath}/${id}`, { interval: 61 })),
    ],
    [
      'an expired node had claimed the monitor',
      async (id: number) => {
        await db().query(
          `update monitor_states set due_at = 'infinity', waiting_since = due_at, claimed_by = 1 where monitor_id = $1`,
          [id],
        )
        await releaseNodeClaims(db(), 1, monitoring.server.clock.now())
      },
    ],
  ])('are not part of a monitored period if %s', async (_, makeItHappen) => {
    const { id } = await createMonitor(session(), { url: target.address })
    await checker.run()
    monitoring.server.clock.advance({ seconds: 8 * HOUR_SECONDS })
    await makeItHappen(id)
    await checker.run()
    const periods = await readRows(monitoring.server, 'watches', id)
    expect(periods.map(({ ended_at }) => ended_at !== null)).toEqual([true, false])
  })
})
