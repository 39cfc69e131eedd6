/** A server that has to check everything that is bad, all at once, beside what is healthy. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { authority } from '../checker/certificates.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type HostileTargets, startHostileTargets } from './hostile-targets.ts'
import { type Belfry, installBelfry, waitUntil } from './support.ts'
import { startCheckTarget, type CheckTarget } from './check-target.ts'

const INTERVAL_S = 5
/** Of each kind. */
const BAD = 6
const HEALTHY = 30
/** Of each monitor, before it is judged. */
const CHECKS = 4
/** How much later than its interval a check of something healthy may begin. Other tests run beside. */
const LATE_S = 1.5
const MOST_MEMORY_MB = 250
/** A MiB is read; the rest is what the system holds on both sides of a connection. */
const MOST_POURED_BYTES = 20 * 1024 ** 2
const STOP_MS = 10_000

let database: TestDatabase
let belfry: Belfry
let healthy: CheckTarget
let hostile: HostileTargets

beforeEach(async () => {
  database = await createTestDatabase()
  ;[healthy, hostile] = await Promise.all([startCheckTarget(), startHostileTargets()])
  belfry = installBelfry(database.connection)
})

afterEach(async () => {
  await belfry?.close()
  await Promise.all([healthy?.close(), hostile?.close()])
  await database?.drop()
})

/** The most that it ever had, in MB. */
const memoryOf = (pid: number) =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

it('tells what is wrong with each, keeps its time and its memory, and stops when it is asked to', async () => {
  const trusted = join(belfry.folder.path, 'authority.pem')
  writeFileSync(trusted, authority)
  const node = await belfry.start({ NODE_EXTRA_CA_CERTS: trusted })
  const make = (friendly_name: string, fields: object) =>
    belfry.createResource('/api/monitors', { friendly_name, interval: INTERVAL_S, timeout: 3, retries: 0, ...fields })
  for (let n = 0; n < HEALTHY; n++) await make('healthy', { url: healthy.url('healthy') })
  for (const [name, { fields }] of Object.entries(hostile.targets)) {
    for (let n = 0; n < BAD; n++) await make(name, fields)
  }
  await waitUntil('every monitor is checked a few times', async () => {
    const rare = await belfry.query(
      `select from monitors m where (select count(*) from checks c where c.user_id = m.user_id and c.monitor_id = m.id) < $1`,
      [CHECKS],
    )
    return rare.length === 0
  })

  const monitors = await belfry.query<{ name: string; status: string; cause: string; detail: string }>(
    `select m.friendly_name as name, m.status, i.cause, i.detail
       from monitors m left join incidents i on i.user_id = m.user_id and i.monitor_id = m.id order by m.id`,
  )
  for (const { name, status, cause, detail } of monitors) {
    const expected = hostile.targets[name] ?? { cause: null, detail: /^$/ }
    expect([name, status, cause]).toEqual([name, expected.cause === null ? 'up' : 'down', expected.cause])
    expect(detail ?? '', name).toMatch(expected.detail)
  }
  expect(monitors.length).toBe(HEALTHY + BAD * Object.keys(hostile.targets).length)

  const [gap] = await belfry.query<{ longest: number }>(
    `select max(extract(epoch from gap))::float8 as longest
       from (select c.checked_at - lag(c.checked_at) over (partition by c.monitor_id order by c.checked_at) as gap
               from checks c join monitors m on m.user_id = c.user_id and m.id = c.monitor_id
              where m.friendly_name = 'healthy') g`,
  )
  expect(gap?.longest).toBeLessThan(INTERVAL_S + LATE_S)
  expect(memoryOf(node.pid)).toBeLessThan(MOST_MEMORY_MB)
  expect(hostile.averageBytesSent()).toBeLessThan(MOST_POURED_BYTES)

  const asked = performance.now()
  await node.stop()
  expect(await node.ended).toBe(0)
  expect(performance.now() - asked).toBeLessThan(STOP_MS)
}, 90_000)
