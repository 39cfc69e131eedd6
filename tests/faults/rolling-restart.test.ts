/**
 * Restarts nodes one after the other, behind nginx and haproxy, while clients use them: no request may fail. `npm run faults`
 * restarts each of three nodes four times with the default settings of the load balancers. `npm run test:system` restarts one of two
 * nodes, and lets haproxy check them more often.
 */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ServerProcess } from '../cli/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { findFreePort } from '../support/free-port.ts'
import { type LoadBalancer, type LoadBalancerName, startLoadBalancer } from '../support/load-balancers.ts'
import { isInstalled } from '../support/proxy-programs.ts'
import { type Belfry, createBelfry, waitUntil } from './support.ts'

/**
 * Every client sends its next request `thinkTimeMs` after a response, and the clients of each load balancer send more than `minRequests`
 * requests. By default, haproxy stops using a node after three failed checks, and uses it again after two successful ones.
 */
const { nodeCount, restarts, checkInterval, drainSeconds, pauseMs, thinkTimeMs, minRequests } = isFaultsRun
  ? {
      nodeCount: 3,
      restarts: [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2],
      checkInterval: '2s',
      drainSeconds: '8',
      pauseMs: 5_000,
      thinkTimeMs: 40,
      minRequests: 100,
    }
  : {
      nodeCount: 2,
      restarts: [0],
      checkInterval: '150ms',
      drainSeconds: '2',
      pauseMs: 500,
      thinkTimeMs: 250,
      minRequests: 60,
    }
const loadBalancerNames: readonly LoadBalancerName[] = ['nginx', 'haproxy']
const missingPrograms = loadBalancerNames.filter((name) => !isInstalled(name))

/** How many clients each load balancer has. */
const CLIENT_COUNT = 5

let database: TestDatabase
let belfry: Belfry
let ports: number[]
let nodes: ServerProcess[]
let statisticsPath: string
const loadBalancers: LoadBalancer[] = []

const startNode = (port: number) =>
  belfry.start({ PORT: String(port), BELFRY_DRAIN_SECONDS: drainSeconds, BELFRY_LOG: 'warn' })

beforeAll(async () => {
  if (missingPrograms.length > 0) return
  database = await createTestDatabase()
  belfry = createBelfry(database.connection)
  ports = []
  while (ports.length < nodeCount) ports.push(await findFreePort())
  nodes = await Promise.all(ports.map(startNode))
  const id = await belfry.createResource('/api/v1/websites', { domain: 'shop.example.com', privacy: 0 })
  statisticsPath = `/api/v1/stats/${id}?name=page`
  for (const name of loadBalancerNames) loadBalancers.push(await startLoadBalancer(name, { ports, checkInterval }))
})
afterAll(async () => {
  await Promise.all(loadBalancers.map((loadBalancer) => loadBalancer.close()))
  await belfry?.close()
  await database?.drop()
})

interface Clients {
  requestCount: number
  acknowledgedEvents: number
  failures: string[]
  stop(): Promise<void>
}

/** Starts clients that each keep one connection to the load balancer, and send an event after every read. */
function startClients(address: string): Clients {
  let isStopping = false
  const clients: Clients = { requestCount: 0, acknowledgedEvents: 0, failures: [], stop: async () => {} }
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENT_COUNT })

  async function runClient(id: number): Promise<void> {
    for (let n = 0; !isStopping; n++) {
      const path = n % 2 === 0 ? statisticsPath : '/api/event'
      const event = { n: 'pageview', u: `https://shop.example.com/${id}/${n}`, d: 'shop.example.com' }
      const { status, error } = await send(agent, address + path, n % 2 === 0 ? undefined : JSON.stringify(event))
      clients.requestCount++
      if (status === 202) clients.acknowledgedEvents++
      if (error !== '') clients.failures.push(`${path}: ${error}`)
      await delay(thinkTimeMs)
    }
  }

  const pendingClients = Promise.all(Array.from({ length: CLIENT_COUNT }, (_, id) => runClient(id)))
  clients.stop = async () => {
    isStopping = true
    await pendingClients
    agent.destroy()
  }
  return clients
}

/** Resolves with the status, and with the text of the failure, which is empty if there was none. */
async function send(agent: Agent, url: string, body: string | undefined): Promise<{ status: number; error: string }> {
  const headers = { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' }
  const clientRequest = request(url, { agent, headers, method: body === undefined ? 'GET' : 'POST' }).end(body)
  try {
    const [response] = (await once(clientRequest, 'response')) as [IncomingMessage]
    const { statusCode: status = 0 } = response
    const responseText = await text(response)
    return { status, error: status === 200 || status === 202 ? '' : `${status} ${responseText}` }
  } catch (error) {
    return { status: 0, error: String(error) }
  }
}

it('a rolling restart fails no request and loses no event', { timeout: 60_000 * restarts.length }, async ({ skip }) => {
  skip(missingPrograms.length > 0, `not installed: ${missingPrograms.join(', ')}`)
  const groups = loadBalancers.map(({ address }) => startClients(address))
  for (const index of restarts) {
    await nodes[index]?.stop()
    expect(await nodes[index]?.ended).toBe(0)
    nodes[index] = await startNode(ports[index] as number)
    await delay(pauseMs)
  }
  const haveAllSent = () => groups.every(({ requestCount }) => requestCount > minRequests)
  await waitUntil('the clients of each load balancer have sent enough requests', haveAllSent)
  await Promise.all(groups.map((clients) => clients.stop()))
  for (const { failures, requestCount } of groups) {
    expect(failures).toEqual([])
    expect(requestCount).toBeGreaterThan(minRequests)
  }
  const acknowledgedEvents = groups.reduce((sum, clients) => sum + clients.acknowledgedEvents, 0)
  await waitUntil('all events are rolled up', async () => (await countRows('event_inbox')) === 0)
  expect(await countRows('events')).toBe(acknowledgedEvents)
})

async function countRows(table: 'event_inbox' | 'events'): Promise<number> {
  const [row] = await belfry.query<{ count: number }>(`select count(*)::int as count from ${table}`)
  return row?.count ?? 0
}
