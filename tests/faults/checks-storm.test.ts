/** Nodes are killed at random moments while monitors fall and rise: nothing is lost, and nothing is decided twice. */
import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ServerProcess } from '../cli/support.ts'
import { seededRandom } from '../support/check-results.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { runOutageRound, type OutageStorm } from './outage-storm.ts'
import { type Belfry, installBelfry, waitUntil } from './support.ts'
import { startCheckTarget, type CheckTarget } from './check-target.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

const rounds = Number(process.env['BELFRY_FAULT_ROUNDS'] ?? 3)
const seed = Number(process.env['BELFRY_FAULT_SEED'] ?? randomInt(2 ** 31))
const isTold = process.env['BELFRY_FAULT_ROUNDS'] !== undefined

const MONITORS = 40
const INTERVAL_S = 5
/** From a node's death until others have checked what was its: the lease runs out, and somebody looks for such. */
const TAKEN_OVER_S = 12
/** What a message that was on its way when its node was killed can have been on its way for. */
const UNDERWAY_MS = 3_000

interface Incident {
  id: number
  monitor: number
  started_at: Date
  resolved_at: Date | null
  resolution: string | null
}

interface Alert {
  id: number
  monitor: number
  provider: number
  incident: number
  event: string
  message_id: string
  state: string
}

let database: TestDatabase
let belfry: Belfry
let target: CheckTarget
let inboxes: WebhookReceiver[]
let storm: OutageStorm
let incidents: Incident[]
let alerts: Alert[]

beforeAll(
  async () => {
    await prepare()
    for (let round = 1; round <= rounds; round++) {
      await runOutageRound(storm).catch((error) => {
        throw new Error(`${about()}, round ${round}: ${error.message}`, { cause: error })
      })
      if (isTold) await tell(round)
    }
    await waitUntil('every alert is settled', async () => (await findWaiting()).length === 0, 60_000)
    incidents = await belfry.query(
      `select id::float8, monitor_id::float8 as monitor, started_at, resolved_at, resolution from incidents order by id`,
    )
    alerts = await belfry.query(
      `select id::float8, monitor_id::float8 as monitor, provider_id::float8 as provider, incident_id::float8 as incident,
              event, message_id, state from alerts order by id`,
    )
  },
  60_000 + rounds * 70_000,
)

afterAll(async () => {
  await belfry?.close()
  await Promise.all([target?.close(), ...(inboxes ?? []).map((inbox) => inbox.close())])
  await database?.drop()
})

async function prepare(): Promise<void> {
  const delay = seededRandom(seed + 1)
  database = await createTestDatabase()
  target = await startCheckTarget(() => delay() * 150)
  // One of them so slow that there is a message on its way nearly always.
  inboxes = [await startWebhookReceiver(() => delay() * 30), await startWebhookReceiver(() => delay() * 200)]
  belfry = installBelfry(database.connection)
  const nodes = [await belfry.start(), await belfry.start()]
  storm = { belfry, target, nodes, monitors: [], random: seededRandom(seed), killTimes: [] }
  for (const inbox of inboxes) inbox.provider = await belfry.createResource('/api/providers', inbox.fields)
  for (let n = 0; n < MONITORS; n++) {
    const name = `m${n}`
    const settings = { interval: INTERVAL_S, timeout: INTERVAL_S, retries: n % 4 === 0 ? 1 : 0, retry_interval: 1 }
    const id = await belfry.createResource('/api/monitors', { friendly_name: name, url: target.url(name), ...settings })
    storm.monitors.push({ id, name, outageCount: 0 })
  }
  await waitUntil('every monitor is up', async () => {
    return (await belfry.query(`select from monitors where status = 'up'`)).length === MONITORS
  })
}

const findWaiting = () => belfry.query(`select from alerts where state = 'waiting'`)

/** What was seen so far, for whoever watches. */
async function tell(round: number): Promise<void> {
  const [seen] = await belfry.query<{ incidents: string; alerts: string; checks: string }>(
    `select (select count(*) from incidents) as incidents, (select count(*) from alerts) as alerts,
            (select count(*) from checks) as checks`,
  )
  const received = inboxes.flatMap((inbox) => inbox.received).length
  const repeats = inboxes.flatMap((inbox) => inbox.repeats()).length
  process.stdout.write(
    `round ${round} of ${rounds}: ${storm.killTimes.length} kills, ${seen?.checks} checks of ${target.requestCount} requests, ` +
      `${seen?.incidents} incidents, ${seen?.alerts} alerts, ${received} messages received, ${repeats} of them repeats\n`,
  )
}

const about = () => `seed ${seed}`
const killedBetween = (from: number, to: number) => storm.killTimes.filter((at) => at >= from && at <= to)

describe(`after ${rounds} rounds of falling, rising and kill -9`, () => {
  it('every outage is one incident, and every incident has ended as its outage did', () => {
    for (const { id, name, outageCount: failed } of storm.monitors) {
      const own = incidents.filter(({ monitor }) => monitor === id)
      expect(own.length, `incidents of ${name}, ${about()}`).toBe(outageCount)
      expect(new Set(own.map(({ resolution }) => resolution)), about()).toEqual(new Set(outageCount ? ['recovered'] : []))
      // Never two at once.
      for (const [n, { started_at }] of own.slice(1).entries()) {
        expect(started_at.getTime(), about()).toBeGreaterThanOrEqual(own[n]?.resolved_at?.getTime() as number)
      }
    }
    expect(storm.killTimes.length).toBeGreaterThanOrEqual(rounds)
  })

  it('each incident, event and provider was decided once, and sent', () => {
    const decided = (incident: number, event: string, provider: number) => `${incident} ${event} to ${provider}`
    const expected = incidents.flatMap(({ id }) =>
      ['down', 'recovered'].flatMap((event) => inboxes.map(({ provider }) => decided(id, event, provider))),
    )
    const found = alerts.map(({ incident, event, provider }) => decided(incident, event, provider))
    expect(found.sort(), about()).toEqual(expected.sort())
    expect(
      alerts.filter(({ state }) => state !== 'sent'),
      about(),
    ).toEqual([])
  })

  it('every message that was decided was received, and no other', () => {
    for (const inbox of inboxes) {
      const own = alerts.filter(({ provider }) => provider === inbox.provider).map(({ message_id }) => message_id)
      expect([...inbox.ids()].sort(), about()).toEqual(own.sort())
      // One that was on its way to nobody any more has come again.
      expect(inbox.acknowledged.size, about()).toBe(own.length)
    }
  })

  it('what was said about a monitor came in the order in which it happened', () => {
    for (const inbox of inboxes) {
      for (const { id, name } of storm.monitors) {
        const own = alerts.filter(({ monitor, provider }) => monitor === id && provider === inbox.provider)
        const ids = new Set(own.map(({ message_id }) => message_id))
        const order = [...inbox.ids()].filter((one) => ids.has(one))
        expect(order, `${name}, ${about()}`).toEqual([...ids])
      }
    }
  })

  it('only what was on its way when a node was killed came twice', () => {
    const repeats = inboxes.flatMap((inbox) => inbox.repeats())
    for (const { id, first } of repeats) {
      expect(killedBetween(first, first + UNDERWAY_MS).length, `${id}, ${about()}`).toBeGreaterThan(0)
    }
    expect(repeats.length, about()).toBeLessThanOrEqual(storm.killTimes.length * inboxes.length)
  })

  it('every monitor was checked all the time, each time once', async () => {
    const gaps = await belfry.query<{ monitor: number; from: Date; seconds: number }>(
      `select monitor_id::float8 as monitor, before as from, extract(epoch from checked_at - before)::float8 as seconds
         from (select monitor_id, checked_at, lag(checked_at) over (partition by monitor_id order by checked_at) as before
                 from checks) c where before is not null`,
    )
    const longest = Math.max(...gaps.map(({ seconds }) => seconds))
    expect(longest, about()).toBeLessThan(INTERVAL_S + TAKEN_OVER_S)
    // A retry comes after a second; nothing comes sooner.
    expect(Math.min(...gaps.map(({ seconds }) => seconds)), about()).toBeGreaterThan(0.95)
    if (isTold) process.stdout.write(`longest time without a check: ${longest.toFixed(1)} s\n`)
  })

  it('the nodes that are left stop when they are asked to', async () => {
    const stopped = storm.nodes.map(async (node: ServerProcess) => {
      await node.stop()
      return node.ended
    })
    expect(await Promise.all(stopped)).toEqual([0, 0])
  })
})
