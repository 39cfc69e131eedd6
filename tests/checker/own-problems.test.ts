/** Problems of the Belfry server never count against a target. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findPingCommand } from '../../src/checker/probes/ping/commands.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { startHttpReceiver } from '../support/http-receiver.ts'
import { createMonitor, getMonitor, type MonitorFixture, readRows, startMonitorFixture } from '../support/monitors.ts'

let monitoring: MonitorFixture
let checker: TestChecker

beforeAll(async () => {
  monitoring = await startMonitorFixture()
})
afterAll(() => monitoring.server.close())
beforeEach(async () => {
  checker = await startChecker(monitoring.server)
})
afterEach(async () => {
  await checker.stop()
  await monitoring.server.services.db.query('delete from monitors')
})

const session = () => monitoring.owner.session
const advance = (seconds: number) => monitoring.server.clock.advance({ seconds })
const fetchStatuses = async () =>
  (await session().get('/api/monitors?pageSize=100')).body.data.map(({ status }: { status: string }) => status)
const readIncidents = async () => monitoring.server.services.db.query('select * from incidents')

/** Starts a server in a /24 network of its own, so that the server forms its own network group. */
async function startServerInSubnet(subnet: number, port = 0): Promise<Server> {
  const server = createServer((_request, response) => response.end('ok')).listen(port, `127.1.${subnet}.1`)
  await once(server, 'listening')
  return server
}

const getPort = (server: Server) => (server.address() as AddressInfo).port

async function closeAll(servers: Server[]): Promise<void> {
  await Promise.all(
    servers.map((server) => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    }),
  )
}

describe('our own network', () => {
  it('counts as down if nothing is reachable: no monitor goes down, and checks resume when it is back', async () => {
    const subnets = [1, 2, 3, 4, 5, 6, 7]
    const servers = await Promise.all(subnets.map((subnet) => startServerInSubnet(subnet)))
    for (const [n, server] of servers.entries()) {
      await createMonitor(session(), { url: `http://127.1.${n + 1}.1:${getPort(server)}/`, retries: 0 })
    }
    await checker.run()
    expect(new Set(await fetchStatuses())).toEqual(new Set(['up']))
    const ports = servers.map(getPort)
    await closeAll(servers)
    advance(60)
    await checker.run()
    expect(new Set(await fetchStatuses())).toEqual(new Set(['up']))
    expect(await readIncidents()).toEqual([])
    expect(checker.runner.degradedReasons).toEqual([
      expect.stringMatching(/network of the Belfry server seems to be down/),
    ])
    expect(monitoring.server.logLines.join()).toContain('our own network seems to be down')

    const reopenedServers = await Promise.all(subnets.map((subnet, n) => startServerInSubnet(subnet, ports[n])))
    await expect.poll(() => checker.runner.isOffline(), { timeout: 10_000 }).toBe(false)
    advance(5)
    await checker.run()
    expect(new Set(await fetchStatuses())).toEqual(new Set(['up']))
    const [{ count }] = (await monitoring.server.services.db.query(
      'select count(*) from checks where checked_at = $1 and cause is null',
      [monitoring.server.clock.now()],
    )) as [{ count: number }]
    expect(count).toBe(7)

    // If only one of the seven hosts is unreachable, our own network is not the cause, and the monitor goes down.
    await closeAll(reopenedServers.splice(0, 1))
    advance(60)
    await checker.run()
    expect(await readIncidents()).toMatchObject([
      { cause: 'connect', detail: expect.stringContaining('refused by 127.1.1.1') },
    ])
    await closeAll(reopenedServers)
  })

  it('does not count as down if only monitors of one of several users fail', async () => {
    const bystander = await monitoring.server.createUser('bystander')
    const servers = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((subnet) => startServerInSubnet(subnet)))
    const [theirServer, ...ownServers] = servers as [Server, ...Server[]]
    // Belfry does not repeat a POST request to find out whether its own network is up.
    const url = `http://127.1.1.1:${getPort(theirServer)}/`
    await createMonitor(bystander.session, { url, interval: 3_600, http: { method: 'POST' } })
    for (const [n, server] of ownServers.entries())
      await createMonitor(session(), { url: `http://127.1.${n + 2}.1:${getPort(server)}/`, retries: 0 })
    await checker.run()
    await closeAll(ownServers)
    advance(60)
    await checker.run()
    expect(checker.runner.isOffline()).toBe(false)
    expect(new Set(await fetchStatuses())).toEqual(new Set(['down']))
    expect(await readIncidents()).toHaveLength(7)
    await closeAll([theirServer])
  })

  it('does not count as down if only monitors of one server fail', async () => {
    const server = await startServerInSubnet(20)
    for (let n = 0; n < 6; n++) {
      await createMonitor(session(), { url: `http://127.1.20.1:${getPort(server)}/${n}`, retries: 0 })
    }
    await checker.run()
    await closeAll([server])
    advance(60)
    await checker.run()
    expect(new Set(await fetchStatuses())).toEqual(new Set(['down']))
    expect(await readIncidents()).toHaveLength(6)
  })
})

describe('a stalled process', () => {
  it('does not count timeouts during the stall', async () => {
    const target = await startHttpReceiver()
    const requestReceived = Promise.withResolvers<void>()
    target.handleWith(() => requestReceived.resolve())
    const { id } = await createMonitor(session(), { url: target.address, retries: 0, timeout: 1 })
    await checker.loop.claimDue()
    const checkDone = checker.loop.runAllClaimed()
    await requestReceived.promise
    const stallEndsAt = performance.now() + 1_600
    while (performance.now() < stallEndsAt);
    await checkDone
    expect(await getMonitor(session(), id)).toMatchObject({ status: 'pending', last_error: null })
    expect(monitoring.server.logLines.join()).toContain('this process was stalled')
    target.respondWith(200, 'ok')
    advance(5)
    await checker.run()
    expect(await getMonitor(session(), id)).toMatchObject({ status: 'up' })
    expect(await readRows(monitoring.server, 'checks', id)).toHaveLength(1)
    await target.close()
  })
})

describe('a server that cannot ping', () => {
  it('reports the problem on the monitor, marks no monitor as down, and ends the monitored period', async ({
    skip,
  }) => {
    if ('unavailable' in (await findPingCommand())) skip('this machine cannot ping')
    const { db } = monitoring.server.services
    const { id } = await createMonitor(session(), { type: 'ping', url: '127.0.0.1', retries: 0 })
    await checker.run()
    expect(await getMonitor(session(), id)).toMatchObject({ status: 'up', last_response_ms: expect.any(Number) })
    const checkerWithoutPing = await startChecker(monitoring.server, { pingPath: '/nonexistent' })
    advance(60)
    await checkerWithoutPing.run()
    expect(await getMonitor(session(), id)).toMatchObject({
      status: 'up',
      last_error: "The Belfry server can't ping: neither fping nor ping is installed. Install fping.",
    })
    expect(await readIncidents()).toEqual([])
    await checkerWithoutPing.stop()
    advance(3_600)
    await checker.run()
    expect(await getMonitor(session(), id)).toMatchObject({ status: 'up', last_error: null })
    const periods = await db.query(
      'select extract(epoch from ended_at - started_at)::int as seconds from watches order by started_at',
    )
    expect(periods).toEqual([{ seconds: expect.any(Number) }, { seconds: null }])
    expect(periods[0]?.['seconds']).toBeLessThanOrEqual(60)
  })
})
