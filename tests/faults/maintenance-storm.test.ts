/** Nodes are killed around the starts and ends of maintenances: nothing is sent during one, and each outage is announced once. */
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, type ServerProcess } from '../cli/support.ts'
import { createSeededRandom } from '../support/check-results.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type CheckTarget, startCheckTarget } from './check-target.ts'
import { BACKGROUND_ROLES, type Belfry, createBelfry, kill, waitUntil } from './support.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

const rounds = Number(process.env['BELFRY_FAULT_ROUNDS'] ?? 1)
const seed = Number(process.env['BELFRY_FAULT_SEED'] ?? randomInt(2 ** 31))
const MONITOR_COUNT = 8
const SECONDS_UNTIL_START = 2
const WINDOW_SECONDS = 7
/**
 * Maximum time until an outage is announced. Belfry may notice the outage only at the end of the maintenance. In
 * addition, killed nodes have to start again, and a lease has to expire.
 */
const MAX_ANNOUNCEMENT_MS = 40_000

let database: TestDatabase
let belfry: Belfry
let target: CheckTarget
let receiver: WebhookReceiver
let nodes: ServerProcess[]
const names = Array.from({ length: MONITOR_COUNT }, (_, n) => `m${n}`)
/** Monitors whose targets fail during a maintenance and still fail at its end, and those that recover during it. */
const lastingNames = names.slice(0, 4)
const briefNames = names.slice(4, 6)
const random = createSeededRandom(seed)

beforeAll(async () => {
  database = await createTestDatabase()
  target = await startCheckTarget()
  receiver = await startWebhookReceiver(() => random() * 50)
  belfry = createBelfry(database.connection)
  nodes = [await startNode(0), await startNode(1)]
  // If alerts were grouped, one message would announce several outages.
  const cookie = await belfry.getCookie()
  await call(nodes[0]?.url ?? '', '/api/account', { method: 'PATCH', cookie, json: { group_alerts: false } })
  receiver.channelId = await belfry.createResource('/api/providers', receiver.channelFields)
  for (const name of names) {
    const settings = { interval: 5, timeout: 5, retries: 0, tags: ['maintained'] }
    await belfry.createResource('/api/monitors', { friendly_name: name, url: target.url(name), ...settings })
  }
  await waitUntil('every monitor is up', async () => {
    return (await belfry.query(`select from monitors where status = 'up'`)).length === MONITOR_COUNT
  })
}, 60_000)

afterAll(async () => {
  await belfry?.close()
  await Promise.all([target?.close(), receiver?.close()])
  await database?.drop()
})

/** Only the first node serves the API. */
const startNode = (index: number) => belfry.start(index === 0 ? {} : { BELFRY_ROLES: BACKGROUND_ROLES })

async function killNodes(): Promise<void> {
  await delay(random() * (SECONDS_UNTIL_START + WINDOW_SECONDS + 1) * 1_000)
  const killedIndexes = random() < 0.5 ? [0, 1] : [Math.floor(random() * 2)]
  await Promise.all(
    killedIndexes.map(async (n) => {
      await kill(nodes[n] as ServerProcess)
      nodes[n] = await startNode(n)
    }),
  )
}

async function failTargets(): Promise<void> {
  await delay((SECONDS_UNTIL_START + 0.5 + random()) * 1_000)
  for (const name of [...lastingNames, ...briefNames]) target.fail(name)
  await delay(3_000)
  for (const name of briefNames) target.recover(name)
}

const countAnnounced = async () => {
  const rows = await belfry.query(
    `select from incidents i
       join monitors m on m.user_id = i.user_id and m.id = i.monitor_id
       join alerts a on a.user_id = i.user_id and a.monitor_id = i.monitor_id and a.incident_id = i.id and a.event = 'down'
      where i.resolved_at is null and a.state = 'sent' and m.friendly_name = any ($1)`,
    [lastingNames],
  )
  return rows.length
}

/** A maintenance begins and ends, while targets fail and nodes are killed. */
async function runRound(): Promise<void> {
  await belfry.createResource('/api/maintenances', {
    title: 'Upgrade',
    starts_at: new Date(Date.now() + SECONDS_UNTIL_START * 1_000).toISOString(),
    duration_seconds: WINDOW_SECONDS,
    tags: ['maintained'],
  })
  await Promise.all([failTargets(), killNodes()])
  const areAnnounced = async () => (await countAnnounced()) === lastingNames.length
  await waitUntil('every outage is announced', areAnnounced, MAX_ANNOUNCEMENT_MS)
  for (const name of lastingNames) target.recover(name)
  await waitUntil('every monitor is up, and every message sent', async () => {
    const unfinishedAlerts = await belfry.query(
      `select from monitors where status <> 'up' union all select from alerts where state = 'waiting'`,
    )
    return unfinishedAlerts.length === 0
  })
}

it(
  `after ${rounds} maintenances and kill -9, no message was sent during a maintenance, and each longer outage was announced once`,
  async () => {
    for (let round = 1; round <= rounds; round++) {
      await runRound().catch((error) => {
        throw new Error(`seed ${seed}, round ${round}: ${error.message}`, { cause: error })
      })
    }
    const message = `seed ${seed}`
    const windows = await belfry.query<{ starts_at: Date; ends_at: Date; state: string }>(
      'select starts_at, ends_at, state from maintenance_windows',
    )
    const incidents = await belfry.query<{
      name: string
      started_at: Date
      during_maintenance: boolean
      alerts: string[]
    }>(
      `select m.friendly_name as name, i.started_at, i.during_maintenance,
              array(select a.event || ' ' || a.state from alerts a
                     where a.user_id = i.user_id and a.monitor_id = i.monitor_id and a.incident_id = i.id
                     order by a.id) as alerts
         from incidents i join monitors m on m.user_id = i.user_id and m.id = i.monitor_id`,
    )
    const isInWindow = (at: number) =>
      windows.some(({ starts_at, ends_at }) => at >= starts_at.getTime() && at < ends_at.getTime())
    const bothAlerts = ['down sent', 'recovered sent']
    for (const { name, started_at, during_maintenance, alerts } of incidents) {
      // After all nodes were killed, the first failed check can be after the end of the maintenance.
      expect(during_maintenance, `${name}, ${message}`).toBe(isInWindow(started_at.getTime()))
      // If Belfry notices the recovery of a brief outage only after the maintenance, it may have announced the outage
      // when the maintenance ended.
      const allowedAlerts = briefNames.includes(name) ? [[], bothAlerts] : [bothAlerts]
      expect(allowedAlerts, `${name}, ${message}`).toContainEqual(alerts)
    }
    expect(incidents.filter(({ name }) => lastingNames.includes(name)).length, message).toBe(
      rounds * lastingNames.length,
    )

    expect(windows.map(({ state }) => state)).toEqual(Array(rounds).fill('past'))
    expect(
      receiver.received.filter(({ at }) => isInWindow(at)),
      message,
    ).toEqual([])
    expect(receiver.listIds().size, message).toBe((await belfry.query('select from alerts')).length)

    const overlaps = await belfry.query(
      `select s.monitor_id, s.started_at, s.ended_at, w.starts_at, w.ends_at
         from watches s
         join maintenance_windows w on w.user_id = s.user_id
        where s.started_at < w.ends_at and coalesce(s.ended_at, 'infinity') > w.starts_at`,
    )
    expect(overlaps, message).toEqual([])
    expect(await belfry.query('select from watches where ended_at is null'), message).toHaveLength(MONITOR_COUNT)
    expect(await belfry.query('select from monitors where maintenance_until is not null'), message).toEqual([])
  },
  30_000 + rounds * 100_000,
)
