/** One user's monitors that hang until their timeout don't delay the checks of others. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { FairClaimer } from '../../src/checker/fair-claimer.ts'
import { CheckSlots } from '../../src/checker/probes/check-slots.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { TestClock } from '../support/clock.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { createMonitor } from '../support/monitors.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

const HANGING_MONITOR_COUNT = 8_000
const QUICK_MONITOR_COUNT = 20
const MAX_LATENESS_MS = 250

class RunningClock extends TestClock {
  override now(): Date {
    return new Date()
  }
}

let quickTarget: HttpReceiver

beforeAll(async () => {
  quickTarget = await startHttpReceiver()
})
afterAll(() => quickTarget.close())

/**
 * Starts a server that accepts connections and never responds. Each test has its own: on a busy machine, connections of an earlier test
 * are accepted late, and would be counted.
 */
async function startHangingTarget(): Promise<{ url: string; sockets: ReadonlySet<Socket> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1_024, resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets }
}

/** Adds monitors whose first checks are due evenly between two times, in milliseconds after now. Returns the due times by id. */
async function addMonitors(
  { services: { db }, clock }: TestServer,
  user: TestUser,
  { count, url, dueFrom, dueTo }: { count: number; url: string; dueFrom: number; dueTo: number },
): Promise<Map<number, number>> {
  const rows = await db.query<{ monitor_id: number; due_at: Date }>(
    `with inserted as (
       insert into monitors (user_id, friendly_name, url, type, interval_seconds, timeout_seconds, retries,
         retry_interval_seconds, remind_every_minutes, http, status, status_changed_at, search_text, created_at, updated_at)
       select $1::bigint, 'Shop ' || n, $2::text || n, 'http', 60, 60, 0, 5, 0,
              '{"method": "GET", "body": null, "expected_status": "200-399", "keyword": null, "keyword_absent": null,
                "follow_redirects": true, "verify_tls": true}'::jsonb,
              'pending', $4::timestamptz, 'shop ' || n, $4, $4
         from generate_series(1, $3::int) n
       returning user_id, id
     )
     insert into monitor_states (user_id, monitor_id, due_at)
     select user_id, id, $4::timestamptz + interval '1 ms' * ($5::float8 + ($6::float8 - $5::float8) * row_number() over (order by id) / $3::int)
       from inserted
     returning monitor_id, due_at`,
    [user.id, url, count, clock.now(), dueFrom, dueTo],
  )
  return new Map(rows.map(({ monitor_id, due_at }) => [monitor_id, due_at.getTime()]))
}

/** Measures how long a timer and a short query of this process are delayed, because a busy machine delays all checks. */
function measureMachineDelay({ services: { db } }: TestServer): { stop(): Promise<number> } {
  let [isStopped, maxDelayMs] = [false, 0]
  const measure = async () => {
    while (!isStopped) {
      const startedAt = performance.now()
      await new Promise((resolve) => setTimeout(resolve, 10))
      await db.query('select 1')
      maxDelayMs = Math.max(maxDelayMs, performance.now() - startedAt - 10)
    }
  }
  const measurements = measure()
  return {
    async stop() {
      isStopped = true
      await measurements
      return maxDelayMs
    },
  }
}

describe('a user with 8,000 hanging monitors', () => {
  it('delays no check of another user by more than 250 ms, neither scheduled nor manual ones', async () => {
    const server = await startTestServer({
      clock: new RunningClock(),
      env: { BELFRY_ROLES: 'web,checker', BELFRY_PRIVATE_TARGETS: 'allow' },
    })
    const [busyUser, quietUser] = [await server.createUser('busy'), await server.createUser('quiet')]
    const hangingTarget = await startHangingTarget()
    const hangingMonitors = { count: HANGING_MONITOR_COUNT, url: hangingTarget.url, dueFrom: -1_000, dueTo: 2_500 }
    const dueTimes = await addMonitors(server, busyUser, hangingMonitors).then(() =>
      addMonitors(server, quietUser, {
        count: QUICK_MONITOR_COUNT,
        url: `${quickTarget.address}/`,
        dueFrom: 600,
        dueTo: 2_500,
      }),
    )
    const machine = measureMachineDelay(server)
    const startedAt = performance.now()
    const { body } = await quietUser.session.post('/api/monitors/try', { url: quickTarget.address })
    expect(body.data.ok).toBe(true)
    const [anyMonitorId] = dueTimes.keys()
    const { status } = await quietUser.session.post(`/api/monitors/${anyMonitorId}/check`)
    const manualMs = performance.now() - startedAt
    const readChecks = () =>
      server.services.db.query<{ monitor_id: number; checked_at: Date }>(
        'select monitor_id, checked_at from checks where user_id = $1',
        [quietUser.id],
      )
    await expect.poll(async () => (await readChecks()).length, { timeout: 15_000 }).toBe(QUICK_MONITOR_COUNT)
    // A claim runs several queries one after the other, so a check can be late by the delay of several queries.
    const toleranceMs = 2 * (await machine.stop())
    const latenesses = (await readChecks()).map(
      ({ monitor_id, checked_at }) => checked_at.getTime() - (dueTimes.get(monitor_id) ?? 0),
    )
    await server.close()
    expect(status).toBe(200)
    expect(hangingTarget.sockets.size).toBeGreaterThan(200)
    expect(Math.max(...latenesses)).toBeLessThanOrEqual(MAX_LATENESS_MS + toleranceMs)
    expect(manualMs).toBeLessThan(2 * (MAX_LATENESS_MS + toleranceMs))
  })
})

describe('the slots of every node', () => {
  it('are never all taken by one user, so that the check of another user starts immediately', async () => {
    const server = await startTestServer()
    const [busyUser, quietUser] = [await server.createUser('busy'), await server.createUser('quiet')]
    const maxConcurrentChecks = 50
    const checkers: TestChecker[] = await Promise.all([
      startChecker(server, { maxConcurrentChecks }),
      startChecker(server, { maxConcurrentChecks }),
    ])
    const claimOnAllNodes = () => Promise.all(checkers.map(({ loop }) => loop.claimDue()))
    const { url, sockets } = await startHangingTarget()
    await addMonitors(server, busyUser, { count: 300, url, dueFrom: -1_000, dueTo: 0 })
    // Each of the two nodes keeps a fifth of its slots free.
    const countHangingChecks = async () => {
      await claimOnAllNodes()
      return sockets.size
    }
    await expect.poll(countHangingChecks).toBe(80)
    await createMonitor(quietUser.session, { url: `${quickTarget.address}/quiet` })
    await claimOnAllNodes()
    await expect.poll(() => quickTarget.received.map(({ path }) => path)).toContain('/quiet')
    expect(await countHangingChecks()).toBe(80)
    await Promise.all(checkers.map((checker) => checker.stop()))
    await server.close()
  })
})

describe('while the server is offline', () => {
  it('the few checks that run belong to different users each time', async () => {
    const server = await startTestServer()
    const users: TestUser[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) users.push(await server.createUser(name))
    const [busyUser, ...otherUsers] = users as [TestUser, ...TestUser[]]
    const { url } = await startHangingTarget()
    await addMonitors(server, busyUser, { count: 100, url, dueFrom: -60_000, dueTo: -30_000 })
    for (const user of otherUsers) await addMonitors(server, user, { count: 2, url, dueFrom: -5_000, dueTo: 0 })
    const { claimant, stop } = await startChecker(server)
    const { clock, services } = server
    const claimer = new FairClaimer({ db: services.db, clock, claimant, slots: new CheckSlots(100) })
    const claimTeamIds = async () => (await claimer.claimWhileOffline()).overdue.map(({ user_id }) => user_id).sort()
    const [a, b, c, d, e, f] = users.map(({ id }) => id)
    expect(await claimTeamIds()).toEqual([a, b, c, d])
    expect(await claimTeamIds()).toEqual([a, b, e, f])
    expect(await claimTeamIds()).toEqual([c, d, e, f])
    expect(await claimTeamIds()).toEqual([a, a, a, a])
    await stop()
    await server.close()
  })
})

describe('while the server is too busy', () => {
  it('users take turns if there are more of them than places', async () => {
    const server = await startTestServer()
    const users: TestUser[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) users.push(await server.createUser(name))
    const { url } = await startHangingTarget()
    // The checks of the first user have waited longest.
    for (const [n, user] of users.entries())
      await addMonitors(server, user, { count: 50, url, dueFrom: -60_000 + 1_000 * n, dueTo: -30_000 })
    const { claimant, stop } = await startChecker(server)
    const { clock, services } = server
    const claimer = new FairClaimer({ db: services.db, clock, claimant, slots: new CheckSlots(1_000) })
    const claimedTeamIds: number[] = []
    for (let n = 0; n < 5; n++) {
      const { overdue } = await claimer.claim(2)
      claimedTeamIds.push(...overdue.map(({ user_id }) => user_id))
    }
    expect(claimedTeamIds).toHaveLength(10)
    for (const { id } of users) expect(claimedTeamIds.filter((teamId) => teamId === id)).toHaveLength(2)
    await stop()
    await server.close()
  })
})
