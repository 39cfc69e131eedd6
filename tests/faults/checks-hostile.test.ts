/** Belfry checks many targets that misbehave in different ways, and healthy targets at the same time. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { authorityCertificate } from '../checker/certificates.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { type CheckTarget, startCheckTarget } from './check-target.ts'
import { type HostileTargets, startHostileTargets } from './hostile-targets.ts'
import { type Belfry, createBelfry, waitUntil } from './support.ts'

const INTERVAL_S = 5
/**
 * How many monitors check each hostile target, and how many check the healthy target. The test waits until each monitor
 * was checked `minChecks` times.
 */
const { monitorsPerTarget, healthyMonitorCount, minChecks } = isFaultsRun
  ? { monitorsPerTarget: 6, healthyMonitorCount: 30, minChecks: 4 }
  : { monitorsPerTarget: 2, healthyMonitorCount: 10, minChecks: 3 }
/** Maximum delay of a check of a healthy target. It is generous, because other tests run at the same time. */
const MAX_DELAY_S = 1.5
const MAX_MEMORY_MB = 250
/** Belfry reads 1 MiB of an endless response. The target sends more, because the socket buffers of both sides also accept data. */
const MAX_BYTES_SENT = 20 * 1024 ** 2
const MAX_STOP_MS = 10_000

let database: TestDatabase
let belfry: Belfry
let healthyTarget: CheckTarget
let hostileTargets: HostileTargets

beforeEach(async () => {
  database = await createTestDatabase()
  ;[healthyTarget, hostileTargets] = await Promise.all([startCheckTarget(), startHostileTargets()])
  belfry = createBelfry(database.connection)
})

afterEach(async () => {
  await belfry?.close()
  await Promise.all([healthyTarget?.close(), hostileTargets?.close()])
  await database?.drop()
})

/** Returns the peak memory of a process in MB. */
const readPeakMemoryMb = (pid: number) =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

it('Belfry reports each problem, checks healthy targets in time, limits its memory and stops on request', async () => {
  const trustedPath = join(belfry.folder.path, 'authority.pem')
  writeFileSync(trustedPath, authorityCertificate)
  const node = await belfry.start({ NODE_EXTRA_CA_CERTS: trustedPath })
  const createMonitor = (friendly_name: string, fields: object) =>
    belfry.createResource('/api/monitors', { friendly_name, interval: INTERVAL_S, timeout: 3, retries: 0, ...fields })
  for (let n = 0; n < healthyMonitorCount; n++) await createMonitor('healthy', { url: healthyTarget.url('healthy') })
  for (const [name, { fields }] of Object.entries(hostileTargets.targets)) {
    for (let n = 0; n < monitorsPerTarget; n++) await createMonitor(name, fields)
  }
  await waitUntil('every monitor has been checked a few times', async () => {
    const unfinishedMonitors = await belfry.query(
      `select from monitors m where (select count(*) from checks c where c.user_id = m.user_id and c.monitor_id = m.id) < $1`,
      [minChecks],
    )
    return unfinishedMonitors.length === 0
  })

  const monitors = await belfry.query<{ name: string; status: string; cause: string; detail: string }>(
    `select m.friendly_name as name, m.status, i.cause, i.detail
       from monitors m left join incidents i on i.user_id = m.user_id and i.monitor_id = m.id order by m.id`,
  )
  for (const { name, status, cause, detail } of monitors) {
    const expectedResult = hostileTargets.targets[name] ?? { cause: null, detail: /^$/ }
    expect([name, status, cause]).toEqual([name, expectedResult.cause === null ? 'up' : 'down', expectedResult.cause])
    expect(detail ?? '', name).toMatch(expectedResult.detail)
  }
  expect(monitors.length).toBe(healthyMonitorCount + monitorsPerTarget * Object.keys(hostileTargets.targets).length)

  const [gap] = await belfry.query<{ longest: number }>(
    `select max(extract(epoch from gap))::float8 as longest
       from (select c.checked_at - lag(c.checked_at) over (partition by c.monitor_id order by c.checked_at) as gap
               from checks c join monitors m on m.user_id = c.user_id and m.id = c.monitor_id
              where m.friendly_name = 'healthy') g`,
  )
  expect(gap?.longest).toBeLessThan(INTERVAL_S + MAX_DELAY_S)
  expect(readPeakMemoryMb(node.pid)).toBeLessThan(MAX_MEMORY_MB)
  expect(hostileTargets.getAverageBytesSent()).toBeLessThan(MAX_BYTES_SENT)

  const stopRequestedAt = performance.now()
  await node.stop()
  expect(await node.ended).toBe(0)
  expect(performance.now() - stopRequestedAt).toBeLessThan(MAX_STOP_MS)
}, 90_000)
