/** A node is suspended during checks and resumes after other nodes have taken over its monitors. */
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { call, type ServerProcess } from '../cli/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { type CheckTarget, startCheckTarget } from './check-target.ts'
import { BACKGROUND_ROLES, type Belfry, createBelfry, waitUntil } from './support.ts'

const MONITOR_COUNT = isFaultsRun ? 30 : 16
const SUSPEND_MS = 15_000
/** Maximum time until other nodes have checked the monitors that the suspended node had claimed. */
const MAX_TAKEOVER_MS = 10_000
/** Number of checks that must be running on the node when it is suspended. */
const MIN_RUNNING_CHECKS = 3

let database: TestDatabase
let belfry: Belfry
let target: CheckTarget

beforeEach(async () => {
  database = await createTestDatabase()
  target = await startCheckTarget()
  belfry = createBelfry(database.connection)
})

afterEach(async () => {
  await belfry?.close()
  await target?.close()
  await database?.drop()
})

/** Returns the checks that started in this period, oldest first. */
const findChecksBetween = (from: Date, to: Date) =>
  belfry.query<{ name: string; at: Date }>(
    `select m.friendly_name as name, c.checked_at as at
       from checks c join monitors m on m.user_id = c.user_id and m.id = c.monitor_id
      where c.checked_at > $1 and c.checked_at <= $2 order by c.checked_at`,
    [from, to],
  )

const areAllCheckedSince = async (time: Date) =>
  (await belfry.query('select from monitor_states where last_checked_at > $1', [time])).length === MONITOR_COUNT

/** Returns the ids under which running nodes claim checks. */
const findNodeIds = async () => (await belfry.query<{ id: number }>('select id::float8 from nodes')).map(({ id }) => id)

it('Belfry ignores the results of a node that was suspended, and other nodes check its monitors', async () => {
  const firstNode = await belfry.start()
  const firstNodeIds = new Set(await findNodeIds())
  const secondNode = await belfry.start({ BELFRY_ROLES: BACKGROUND_ROLES })
  const idsBeforeSuspension = await findNodeIds()
  for (let n = 0; n < MONITOR_COUNT; n++) {
    const settings = { interval: 5, timeout: 5, retries: 0 }
    await belfry.createResource('/api/monitors', { friendly_name: `m${n}`, url: target.url(`m${n}`), ...settings })
  }
  await waitUntil('every monitor is checked', () => areAllCheckedSince(new Date(0)))

  // The target holds all responses until one of the nodes waits for several of them.
  const pendingResponses = target.holdResponses()
  let suspendedNode: ServerProcess | undefined
  let interruptedMonitors: string[] = []
  await waitUntil('a node runs several checks', async () => {
    const claims = await belfry.query<{ name: string; nodeId: number }>(
      `select m.friendly_name as name, s.claimed_by::float8 as "nodeId"
         from monitor_states s join monitors m on m.user_id = s.user_id and m.id = s.monitor_id
        where s.claimed_by is not null`,
    )
    const runningChecks = claims.filter(({ name }) => pendingResponses.has(name))
    for (const [node, isOwn] of [
      [firstNode, (id: number) => firstNodeIds.has(id)],
      [secondNode, (id: number) => !firstNodeIds.has(id)],
    ] as const) {
      interruptedMonitors = runningChecks.filter((claim) => isOwn(claim.nodeId)).map(({ name }) => name)
      if (interruptedMonitors.length >= MIN_RUNNING_CHECKS) suspendedNode = node
      if (suspendedNode !== undefined) return true
    }
    return false
  })
  const { pid, url, output } = suspendedNode as ServerProcess
  process.kill(pid, 'SIGSTOP')
  const suspendedAt = new Date()
  // The suspended node finds both failures and successes when it resumes.
  for (const [n, name] of interruptedMonitors.entries())
    pendingResponses
      .get(name)
      ?.writeHead(n % 2 === 0 ? 500 : 200)
      .end('late')
  target.releaseResponses()

  await delay(SUSPEND_MS)
  const checksDuringSuspension = await findChecksBetween(suspendedAt, new Date())
  const checksBefore = await findChecksBetween(new Date(0), suspendedAt)
  process.kill(pid, 'SIGCONT')
  const resumedAt = new Date()
  const { status, body } = await call(url, '/readyz')
  expect([status, body.status]).toEqual([200, 'degraded'])
  expect(body.reasons.join()).toMatch(/was stalled for 1\d\.\d s/)

  for (const name of interruptedMonitors) {
    const nextCheck = checksDuringSuspension.find((check) => check.name === name)
    expect(nextCheck?.at.getTime(), name).toBeLessThan(suspendedAt.getTime() + MAX_TAKEOVER_MS)
  }
  await waitUntil('every monitor is checked again', () => areAllCheckedSince(resumedAt))
  await waitUntil('the resumed node claims checks again', async () => {
    const { length } = await belfry.query('select from monitor_states where claimed_by <> all ($1)', [
      idsBeforeSuspension,
    ])
    return length > 0
  })
  expect(await findChecksBetween(new Date(0), suspendedAt)).toEqual(checksBefore)
  expect(await belfry.query('select from incidents')).toEqual([])
  expect(await belfry.query(`select from monitors where status <> 'up'`)).toEqual([])
  expect(output()).toContain('this process was stalled')
  expect(output()).toContain('the lease of this process expired, continuing under a new id')
}, 90_000)
