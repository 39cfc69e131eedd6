/** PostgreSQL is stopped while Belfry runs checks and sends alerts: for half a minute in `npm run faults`, and shorter in `npm test`. */
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLog } from '../../src/lib/log.ts'
import { type EmbeddedDatabase, startEmbedded } from '../../src/storage/embedded/embedded.ts'
import { call, createTempFolder, type ServerProcess, type TempFolder } from '../cli/support.ts'
import { createMigratedDataFolder } from '../support/data-folder.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { type CheckTarget, startCheckTarget } from './check-target.ts'
import { BACKGROUND_ROLES, type Belfry, createBelfry, waitUntil } from './support.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

const OUTAGE_MS = isFaultsRun ? 30_000 : 12_000
/** Maximum time from the start of PostgreSQL until every monitor has been checked again. */
const MAX_RECOVERY_MS = 10_000

const monitorNames = [...Array.from({ length: 12 }, (_, n) => `healthy${n}`), 'broken', 'breaks', 'flickers']

let folder: TempFolder
let database: EmbeddedDatabase
let belfry: Belfry
let target: CheckTarget
let fastReceiver: WebhookReceiver
let slowReceiver: WebhookReceiver
let refusingReceiver: WebhookReceiver
let receivers: WebhookReceiver[]

const startPostgres = () =>
  startEmbedded({
    dataDir: folder.data('postgres'),
    log: createLog('warn', process.stderr),
    settings: { fsync: 'off', synchronous_commit: 'off' },
  })

beforeEach(async () => {
  folder = createTempFolder()
  await createMigratedDataFolder(folder.data('postgres'))
  database = await startPostgres()
  target = await startCheckTarget()
  ;[fastReceiver, slowReceiver, refusingReceiver] = [
    await startWebhookReceiver(),
    await startWebhookReceiver(),
    await startWebhookReceiver(),
  ]
  receivers = [fastReceiver, slowReceiver, refusingReceiver]
  belfry = createBelfry(database.address)
})

afterEach(async () => {
  await belfry?.close()
  await Promise.all([target, fastReceiver, slowReceiver, refusingReceiver].map((server) => server?.close()))
  await database?.stop()
  await folder.remove()
})

const listIncidents = async () =>
  (
    await belfry.query<{ name: string; state: string }>(
      `select m.friendly_name as name, coalesce(i.resolution, 'open') as state
         from incidents i join monitors m on m.user_id = i.user_id and m.id = i.monitor_id order by 1, i.id`,
    )
  ).map(({ name, state }) => `${name} ${state}`)

async function areAllCheckedSince(time: Date): Promise<boolean> {
  const checkedMonitors = await belfry.query('select from monitor_states where last_checked_at > $1', [time])
  return checkedMonitors.length === monitorNames.length
}

const areAllAlertsSent = async () => (await belfry.query(`select from alerts where state <> 'sent'`)).length === 0

/** Expects every readiness probe to report the outage. */
async function expectNotReady(nodes: ServerProcess[], endsAt: number): Promise<void> {
  while (Date.now() < endsAt) {
    for (const { url } of nodes) {
      const { status, body } = await call(url, '/readyz')
      expect([status, body.code, body.detail]).toEqual([503, 'unavailable', 'The database is unavailable.'])
    }
    await delay(500)
  }
}

it('Belfry opens and resolves no incident during a database outage, and loses nothing afterwards', async () => {
  const nodes = await Promise.all([belfry.start(), belfry.start({ BELFRY_ROLES: BACKGROUND_ROLES })])
  // Each alert is a message of its own, so that the test can find it.
  await belfry.query('update users set group_alerts = false')
  for (const receiver of receivers)
    receiver.channelId = await belfry.createResource('/api/providers', receiver.channelFields)
  for (const name of monitorNames) {
    const settings = { interval: 5, timeout: 5, retries: 0 }
    await belfry.createResource('/api/monitors', { friendly_name: name, url: target.url(name), ...settings })
  }
  await waitUntil('every monitor is checked', () => areAllCheckedSince(new Date(0)))

  // Just before the outage a monitor goes down. One of its messages has arrived, one is being sent, and one was refused.
  const slowResponse = Promise.withResolvers<undefined>()
  slowReceiver.respondAfter(() => slowResponse.promise)
  refusingReceiver.respondAfter(async () => 503)
  target.fail('broken')
  await waitUntil('each message has been attempted', () => receivers.every(({ received }) => received.length > 0))
  await waitUntil('two attempts are stored', async () => {
    return (await belfry.query('select from alerts where attempts > 0')).length === 2
  })

  await database.stop()
  const stoppedAt = Date.now()
  const changeDuringOutage = async () => {
    target.fail('breaks')
    target.fail('flickers')
    await delay(3_000)
    slowResponse.resolve(undefined)
    await delay(OUTAGE_MS / 2)
    target.recover('flickers')
    refusingReceiver.respondAfter(async () => undefined)
  }
  await Promise.all([expectNotReady(nodes, stoppedAt + OUTAGE_MS), changeDuringOutage()])

  database = await startPostgres()
  const restartedAt = new Date()
  await waitUntil('every monitor is checked again', () => areAllCheckedSince(restartedAt), MAX_RECOVERY_MS)
  for (const { url } of nodes) expect((await call(url, '/readyz')).status).toBe(200)
  expect(await listIncidents()).toEqual(['breaks open', 'broken open'])
  for (const { output } of nodes) {
    expect(output()).toContain('the database is unavailable, checks are paused until it is back')
    expect(output()).toContain('database connection lost')
  }

  target.recover('broken')
  target.recover('breaks')
  const expectedIncidents = ['breaks recovered', 'broken recovered']
  await waitUntil('both are up again', async () => (await listIncidents()).join() === expectedIncidents.join())
  await waitUntil('all alerts are sent', areAllAlertsSent)
  await expectEachAcceptedOnce()
  for (const node of nodes) {
    await node.stop()
    expect(await node.ended, node.output()).toBe(0)
  }
}, 150_000)

/**
 * Expects every message to be accepted once. This includes the message that the slow receiver accepted during the outage,
 * when Belfry could not store that it was sent.
 */
async function expectEachAcceptedOnce(): Promise<void> {
  const alerts = await belfry.query<{ channelId: number; name: string; event: string; id: string; attempts: number }>(
    `select provider_id::float8 as "channelId", m.friendly_name as name, event, message_id as id, attempts
       from alerts a join monitors m on m.user_id = a.user_id and m.id = a.monitor_id order by a.id`,
  )
  for (const receiver of receivers) {
    const receiverAlerts = alerts.filter(({ channelId }) => channelId === receiver.channelId)
    const events = receiverAlerts.map(({ name, event }) => `${name} ${event}`)
    expect(events.sort()).toEqual(['breaks down', 'breaks recovered', 'broken down', 'broken recovered'])
    expect([...receiver.listIds()].sort()).toEqual(receiverAlerts.map(({ id }) => id).sort())
  }
  expect(fastReceiver.listRepeats()).toEqual([])
  expect(slowReceiver.listRepeats()).toEqual([])
  // The refusing receiver rejected its first message with 503, so only this message is sent again.
  const [refusedMessage] = refusingReceiver.received
  expect(new Set(refusingReceiver.listRepeats().map(({ id }) => id))).toEqual(new Set([refusedMessage?.id]))
}
