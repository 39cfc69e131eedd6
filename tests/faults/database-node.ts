/** A Belfry node with all roles, in this process, and requests of every kind that need its database. */
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import type { Environment } from '../../src/config/config.ts'
import type { ConnectionSettings } from '../../src/storage/connection-settings.ts'
import type { ClientResponse } from '../support/client.ts'
import { TestClock } from '../support/clock.ts'
import type { PostgresServer } from '../support/postgres-cluster.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, sendEvent } from '../support/traffic.ts'
import { type CheckTarget, startCheckTarget } from './check-target.ts'

export interface Attempt {
  name: string
  status: number
  detail: string
  retryAfter: string | null
  ms: number
}

export interface DatabaseNode {
  server: TestServer
  user: TestUser
  /** Sends one request of this kind. */
  attempt(name: RequestName): Promise<Attempt>
  /**
   * Sends requests of these kinds until `until` resolves. Soon after each response, it sends the same request again.
   * Returns all attempts.
   */
  hammer(until: Promise<unknown>, names?: readonly RequestName[]): Promise<Attempt[]>
}

const requestNames = ['read', 'write', 'unknown key', 'event', 'statistics', 'monitors', 'readiness'] as const
export type RequestName = (typeof requestNames)[number]

/** A request must be answered within this time, whatever happens to the database. */
export const MAX_RESPONSE_MS = 5_000
/** Everything must work again within this time after a database accepts writes. */
export const MAX_RECOVERY_MS = 5_000
const MONITOR_COUNT = 10
/** The pause after each response. Shorter pauses would only use more of the processor, which other tests share. */
const REQUEST_INTERVAL_MS = 250

class RealClock extends TestClock {
  override now(): Date {
    return new Date()
  }
}

let createdUserCount = 0

export async function startDatabaseNode(connection: ConnectionSettings, env: Environment = {}): Promise<DatabaseNode> {
  const database = {
    connection: connection as pg.ClientConfig,
    source: { connection, kind: 'remote' as const, release: async () => {} },
    drop: async () => {},
  }
  const server = await startTestServer({
    database,
    clock: new RealClock(),
    env: { BELFRY_ROLES: 'web,checker,worker', BELFRY_PRIVATE_TARGETS: 'allow', ...env },
  })
  onTestFinished(() => server.close())
  const target = await startCheckTarget()
  onTestFinished(() => target.close())
  const user = await server.createUser(`user${createdUserCount++}`)
  const domain = `site${createdUserCount}.example`
  const siteId = await createSite(user, domain)
  await createMonitors(user, target)

  const requests: Record<RequestName, () => Promise<ClientResponse>> = {
    read: () => user.session.get('/api/v1/websites'),
    write: () => user.session.call('PATCH', `/api/v1/websites/${siteId}`, { json: { favorite: true } }),
    // The server has cached the session of `user`, but has to look up an unknown key.
    'unknown key': () => server.anyone.get('/api/keys', { headers: { authorization: `Bearer bf_${'x'.repeat(43)}` } }),
    event: () => sendEvent(server, { n: 'pageview', u: `https://${domain}/`, d: domain, r: null }),
    statistics: () => user.session.get(`/api/v1/stats/${siteId}/overview`),
    monitors: () => user.session.get('/api/monitors'),
    readiness: () => server.anyone.get('/readyz'),
  }

  async function attempt(name: RequestName): Promise<Attempt> {
    const startedAt = performance.now()
    const { status, headers, body } = await requests[name]()
    const ms = performance.now() - startedAt
    return { name, status, detail: body?.detail ?? '', retryAfter: headers.get('retry-after'), ms }
  }

  async function hammer(until: Promise<unknown>, names: readonly RequestName[] = requestNames): Promise<Attempt[]> {
    let isOver = false
    const over = until.finally(() => {
      isOver = true
    })
    const attempts: Attempt[] = []
    const repeat = async (name: RequestName) => {
      while (!isOver) {
        attempts.push(await attempt(name))
        await delay(REQUEST_INTERVAL_MS)
      }
    }
    await Promise.all([over, ...names.map(repeat)])
    return attempts
  }

  return { server, user, attempt, hammer }
}

async function createMonitors(user: TestUser, target: CheckTarget): Promise<void> {
  for (let n = 0; n < MONITOR_COUNT; n++) {
    const fields = { friendly_name: `monitor${n}`, url: target.url(`${n}`), interval: 5, timeout: 5 }
    const { status } = await user.session.post('/api/monitors', fields)
    expect(status).toBe(201)
  }
}

const isRefusal = ({ name, status }: Attempt) =>
  status !== (name === 'unknown key' ? 401 : name === 'event' ? 202 : 200)

export function listRefused(attempts: readonly Attempt[]): Attempt[] {
  return attempts.filter(isRefusal)
}

/** Expects that every request was either served, or refused with 503 in time. */
export function expectNoOtherFailures(attempts: readonly Attempt[]): void {
  for (const attempt of listRefused(attempts)) {
    expect(attempt).toMatchObject({ status: 503, retryAfter: '5' })
  }
  const slowAttempts = attempts.filter(({ ms }) => ms >= MAX_RESPONSE_MS)
  expect(slowAttempts).toEqual([])
}

/** Expects requests, checks and rollups to work again in time. Returns how long that took. */
export async function expectRecovery(node: DatabaseNode, database: PostgresServer): Promise<number> {
  const startedAt = performance.now()
  const [progressBefore] = await readProgress(database)
  for (;;) {
    const attempts = await Promise.all(requestNames.map(node.attempt))
    expectNoOtherFailures(attempts)
    const [progress] = await readProgress(database)
    const isWorking = listRefused(attempts).length === 0
    const ms = performance.now() - startedAt
    if (isWorking && progress?.checked !== progressBefore?.checked && progress?.views !== progressBefore?.views)
      return ms
    const details = JSON.stringify({ attempts: listRefused(attempts), progress, before: progressBefore })
    expect(ms, `not recovered: ${details}`).toBeLessThan(MAX_RECOVERY_MS)
    await delay(REQUEST_INTERVAL_MS)
  }
}

/** Reads when a monitor was checked last, and how many page views were rolled up. */
function readProgress(database: PostgresServer): Promise<{ checked: string; views: string }[]> {
  return database.query(
    `select (select max(last_checked_at)::text from monitor_states) as checked,
            (select coalesce(sum(views), 0)::text from traffic_days) as views`,
    'belfry',
  )
}
