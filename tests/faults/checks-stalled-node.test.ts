/** A node stands still in the middle of checks and goes on later, not knowing that others have taken over. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { call, type ServerProcess } from '../cli/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Belfry, installBelfry, waitUntil } from './support.ts'
import { startCheckTarget, type CheckTarget } from './check-target.ts'

const MONITORS = 30
const STILL_MS = 15_000
/** Until others have checked what a node held that is gone. */
const TAKEN_OVER_MS = 10_000
/** Under way at the node that is stopped. */
const HELD = 3

let database: TestDatabase
let belfry: Belfry
let target: CheckTarget

beforeEach(async () => {
  database = await createTestDatabase()
  target = await startCheckTarget()
  belfry = installBelfry(database.connection)
})

afterEach(async () => {
  await belfry?.close()
  await target?.close()
  await database?.drop()
})

/** Monitors whose check began then, by when. */
const checkedBetween = (from: Date, to: Date) =>
  belfry.query<{ name: string; at: Date }>(
    `select m.friendly_name as name, c.checked_at as at
       from checks c join monitors m on m.user_id = c.user_id and m.id = c.monitor_id
      where c.checked_at > $1 and c.checked_at <= $2 order by c.checked_at`,
    [from, to],
  )

const areAllCheckedSince = async (moment: Date) =>
  (await belfry.query('select from monitor_states where last_checked_at > $1', [moment])).length === MONITORS

/** Under which ids nodes hold what they hold. */
const findIds = async () => (await belfry.query<{ id: number }>('select id::float8 from nodes')).map(({ id }) => id)

it('what a node finds that stood still does not count, and what it held is checked by others', async () => {
  const first = await belfry.start()
  const firstIds = new Set(await findIds())
  const second = await belfry.start()
  const ids = await findIds()
  for (let n = 0; n < MONITORS; n++) {
    const settings = { interval: 5, timeout: 5, retries: 0 }
    await belfry.createResource('/api/monitors', { friendly_name: `m${n}`, url: target.url(`m${n}`), ...settings })
  }
  await waitUntil('every monitor is checked', () => areAllCheckedSince(new Date(0)))

  // Nobody gets an answer until one of the nodes waits for a few.
  const waiting = target.holdResponses()
  let victim: ServerProcess | undefined
  let held: string[] = []
  await waitUntil('a node has some checks under way', async () => {
    const claims = await belfry.query<{ name: string; node: number }>(
      `select m.friendly_name as name, s.claimed_by::float8 as node
         from monitor_states s join monitors m on m.user_id = s.user_id and m.id = s.monitor_id
        where s.claimed_by is not null`,
    )
    const underway = claims.filter(({ name }) => waiting.has(name))
    for (const [node, isOwn] of [
      [first, (id: number) => firstIds.has(id)],
      [second, (id: number) => !firstIds.has(id)],
    ] as const) {
      held = underway.filter((one) => isOwn(one.node)).map(({ name }) => name)
      if (held.length >= HELD) victim = node
      if (victim !== undefined) return true
    }
    return false
  })
  const { pid, url, output } = victim as ServerProcess
  process.kill(pid, 'SIGSTOP')
  const stopped = new Date()
  // Good news and bad news wait for it to go on.
  for (const [n, name] of held.entries())
    waiting
      .get(name)
      ?.writeHead(n % 2 === 0 ? 500 : 200)
      .end('late')
  target.releaseResponses()

  await pause(STILL_MS)
  const meanwhile = await checkedBetween(stopped, new Date())
  const before = await checkedBetween(new Date(0), stopped)
  process.kill(pid, 'SIGCONT')
  const going = new Date()
  const { status, body } = await call(url, '/readyz')
  expect([status, body.status]).toEqual([200, 'degraded'])
  expect(body.reasons.join()).toMatch(/stood still for 1\d\.\d s/)

  for (const name of held) {
    const next = meanwhile.find((check) => check.name === name)
    expect(next?.at.getTime(), name).toBeLessThan(stopped.getTime() + TAKEN_OVER_MS)
  }
  await waitUntil('every monitor is checked again', () => areAllCheckedSince(going))
  await waitUntil('it holds something again', async () => {
    const { length } = await belfry.query('select from monitor_states where claimed_by <> all ($1)', [ids])
    return length > 0
  })
  expect(await checkedBetween(new Date(0), stopped)).toEqual(before)
  expect(await belfry.query('select from incidents')).toEqual([])
  expect(await belfry.query(`select from monitors where status <> 'up'`)).toEqual([])
  expect(output()).toContain('this process stood still')
  expect(output()).toContain('the lease of this process expired, continuing under a new id')
}, 90_000)
