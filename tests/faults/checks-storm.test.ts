/** Nodes are killed at random times while monitors go down and recover: every outage gets one incident, and every alert arrives. */
import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSeededRandom } from '../support/check-results.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { type CheckTarget, startCheckTarget } from './check-target.ts'
import { type OutageStorm, runOutageRound } from './outage-storm.ts'
import { BACKGROUND_ROLES, type Belfry, createBelfry, waitUntil } from './support.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

const rounds = Number(process.env['BELFRY_FAULT_ROUNDS'] ?? 2)
const seed = Number(process.env['BELFRY_FAULT_SEED'] ?? randomInt(2 ** 31))

const MONITOR_COUNT = isFaultsRun ? 40 : 12
const INTERVAL_S = 5
/** Maximum time until other nodes check the monitors of a killed node. They first have to notice its expired lease. */
const MAX_TAKEOVER_S = 12
/** How long a message can take to send. A message can arrive twice if its node is killed within this time. */
const MAX_SEND_MS = 3_000

interface Incident {
  id: number
  monitor_id: number
  started_at: Date
  resolved_at: Date | null
  resolution: string | null
}

interface Alert {
  id: number
  monitor_id: number
  provider_id: number
  incident_id: number
  event: string
  message_id: string
  state: string
}

let database: TestDatabase
let belfry: Belfry
let target: CheckTarget
let receivers: WebhookReceiver[]
let storm: OutageStorm
let incidents: Incident[]
let alerts: Alert[]
let exitCodes: (number | null)[]

beforeAll(
  async () => {
    await startStorm()
    for (let round = 1; round <= rounds; round++) {
      await runOutageRound(storm, round).catch((error) => {
        throw new Error(`${formatSeed()}, round ${round}: ${error.message}`, { cause: error })
      })
      if (isFaultsRun) await printProgress(round)
    }
    await waitUntil('every alert is settled', async () => (await findWaitingAlerts()).length === 0, 60_000)
    incidents = await belfry.query(
      `select id::float8, monitor_id::float8, started_at, resolved_at, resolution from incidents order by id`,
    )
    alerts = await belfry.query(
      `select id::float8, monitor_id::float8, provider_id::float8, incident_id::float8,
              event, message_id, state from alerts order by id`,
    )
    await Promise.all(storm.nodes.map((node) => node.stop()))
    exitCodes = await Promise.all(storm.nodes.map(({ ended }) => ended))
  },
  60_000 + rounds * 70_000,
)

afterAll(async () => {
  await belfry?.close()
  await Promise.all([target?.close(), ...(receivers ?? []).map((receiver) => receiver.close())])
  await database?.drop()
})

async function startStorm(): Promise<void> {
  const randomFraction = createSeededRandom(seed + 1)
  database = await createTestDatabase()
  target = await startCheckTarget(() => randomFraction() * 150)
  // The second receiver is so slow that a message is being sent at nearly every kill.
  receivers = [
    await startWebhookReceiver(() => randomFraction() * 30),
    await startWebhookReceiver(() => randomFraction() * 200),
  ]
  belfry = createBelfry(database.connection)
  const nodes = [await belfry.start({ BELFRY_ROLES: BACKGROUND_ROLES }), await belfry.start()]
  storm = {
    belfry,
    target,
    receivers,
    nodes,
    monitors: [],
    random: createSeededRandom(seed),
    kills: [],
    idlePeriods: [],
  }
  // Each alert is a message of its own, so that the test can find it.
  await belfry.query('update users set group_alerts = false')
  for (const receiver of receivers)
    receiver.channelId = await belfry.createResource('/api/providers', receiver.channelFields)
  for (let n = 0; n < MONITOR_COUNT; n++) {
    const name = `m${n}`
    const settings = { interval: INTERVAL_S, timeout: INTERVAL_S, retries: n % 4 === 0 ? 1 : 0, retry_interval: 1 }
    const id = await belfry.createResource('/api/monitors', { friendly_name: name, url: target.url(name), ...settings })
    storm.monitors.push({ id, name, outageCount: 0 })
  }
  await waitUntil('every monitor is up', async () => {
    return (await belfry.query(`select from monitors where status = 'up'`)).length === MONITOR_COUNT
  })
}

const findWaitingAlerts = () => belfry.query(`select from alerts where state = 'waiting'`)

/** Prints the progress of a long run. */
async function printProgress(round: number): Promise<void> {
  const [counts] = await belfry.query<{ incidents: string; alerts: string; checks: string }>(
    `select (select count(*) from incidents) as incidents, (select count(*) from alerts) as alerts,
            (select count(*) from checks) as checks`,
  )
  const receivedCount = receivers.flatMap((receiver) => receiver.received).length
  const repeatCount = receivers.flatMap((receiver) => receiver.listRepeats()).length
  process.stdout.write(
    `round ${round} of ${rounds}: ${storm.kills.length} kills, ${counts?.checks} checks of ${target.requestCount} requests, ` +
      `${counts?.incidents} incidents, ${counts?.alerts} alerts, ${receivedCount} messages received, ${repeatCount} of them repeats\n`,
  )
}

const formatSeed = () => `seed ${seed}`
const findKillsDuring = (from: number, to: number) => storm.kills.filter((kill) => kill.to >= from && kill.from <= to)

describe(`after ${rounds} rounds of outages and kill -9`, () => {
  it('every outage has one incident, which is resolved', () => {
    for (const { id, name, outageCount } of storm.monitors) {
      const monitorIncidents = incidents.filter(({ monitor_id }) => monitor_id === id)
      expect(monitorIncidents.length, `incidents of ${name}, ${formatSeed()}`).toBe(outageCount)
      expect(new Set(monitorIncidents.map(({ resolution }) => resolution)), formatSeed()).toEqual(
        new Set(outageCount ? ['recovered'] : []),
      )
      // The incidents of a monitor never overlap.
      for (const [n, { started_at }] of monitorIncidents.slice(1).entries()) {
        expect(started_at.getTime(), formatSeed()).toBeGreaterThanOrEqual(
          monitorIncidents[n]?.resolved_at?.getTime() as number,
        )
      }
    }
    expect(storm.kills.length).toBeGreaterThanOrEqual(rounds)
  })

  it('every incident has one sent alert per event and channel', () => {
    const describeAlert = (incidentId: number, event: string, channelId: number) =>
      `${incidentId} ${event} to ${channelId}`
    const expectedAlerts = incidents.flatMap(({ id }) =>
      ['down', 'recovered'].flatMap((event) => receivers.map(({ channelId }) => describeAlert(id, event, channelId))),
    )
    const actualAlerts = alerts.map(({ incident_id, event, provider_id }) =>
      describeAlert(incident_id, event, provider_id),
    )
    expect(actualAlerts.sort(), formatSeed()).toEqual(expectedAlerts.sort())
    expect(
      alerts.filter(({ state }) => state !== 'sent'),
      formatSeed(),
    ).toEqual([])
  })

  it('the message of every alert was received, and no other message', () => {
    for (const receiver of receivers) {
      const messageIds = alerts
        .filter(({ provider_id }) => provider_id === receiver.channelId)
        .map(({ message_id }) => message_id)
      expect([...receiver.listIds()].sort(), formatSeed()).toEqual(messageIds.sort())
      // Each message also got a 200 response at least once: if the node was killed before the response, another node sent the
      // message again.
      expect(receiver.acknowledgedIds.size, formatSeed()).toBe(messageIds.length)
    }
  })

  it('the messages about a monitor arrived in the order of events', () => {
    for (const receiver of receivers) {
      for (const { id, name } of storm.monitors) {
        const monitorAlerts = alerts.filter(
          ({ monitor_id, provider_id }) => monitor_id === id && provider_id === receiver.channelId,
        )
        const messageIds = new Set(monitorAlerts.map(({ message_id }) => message_id))
        const receivedIds = [...receiver.listIds()].filter((messageId) => messageIds.has(messageId))
        expect(receivedIds, `${name}, ${formatSeed()}`).toEqual([...messageIds])
      }
    }
  })

  it('only messages that were being sent when a node was killed arrived twice', () => {
    const repeats = receivers.flatMap((receiver) => receiver.listRepeats())
    for (const { id, firstAt } of repeats) {
      const killDelays = storm.kills.map(({ from, to }) => `${from - firstAt} to ${to - firstAt} ms`)
      const message = `${id}, ${formatSeed()}, kills after the first delivery: ${killDelays.join(', ')}`
      expect(findKillsDuring(firstAt, firstAt + MAX_SEND_MS).length, message).toBeGreaterThan(0)
    }
    expect(repeats.length, formatSeed()).toBeLessThanOrEqual(storm.kills.length * receivers.length)
  })

  it('every monitor was checked throughout, and never twice at the same time', async () => {
    const gaps = await belfry.query<{ monitor_id: number; from: Date; seconds: number }>(
      `select monitor_id::float8, before as from, extract(epoch from checked_at - before)::float8 as seconds
         from (select monitor_id, checked_at, lag(checked_at) over (partition by monitor_id order by checked_at) as before
                 from checks) c where before is not null`,
    )
    // While no node is running, no monitor is checked.
    const getIdleSeconds = (from: number, to: number) =>
      storm.idlePeriods.reduce((sum, idle) => sum + Math.max(0, Math.min(to, idle.to) - Math.max(from, idle.from)), 0) /
      1_000
    const longestGapSeconds = Math.max(
      ...gaps.map(({ from, seconds }) => seconds - getIdleSeconds(from.getTime(), from.getTime() + seconds * 1_000)),
    )
    expect(longestGapSeconds, formatSeed()).toBeLessThan(INTERVAL_S + MAX_TAKEOVER_S)
    // Retries follow after one second, and no check follows sooner.
    expect(Math.min(...gaps.map(({ seconds }) => seconds)), formatSeed()).toBeGreaterThan(0.95)
    if (isFaultsRun) process.stdout.write(`longest gap between checks: ${longestGapSeconds.toFixed(1)} s\n`)
  })

  it('the remaining nodes stop cleanly', () => {
    expect(exitCodes).toEqual([0, 0])
  })
})
