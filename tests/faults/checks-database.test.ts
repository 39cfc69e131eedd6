/** PostgreSQL goes away for half a minute, and comes back. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLog } from '../../src/lib/log.ts'
import { type EmbeddedDatabase, startEmbedded } from '../../src/storage/embedded/embedded.ts'
import { call, type TempFolder, createTempFolder, type ServerProcess } from '../cli/support.ts'
import { type Belfry, installBelfry, waitUntil } from './support.ts'
import { startCheckTarget, type CheckTarget } from './check-target.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

const AWAY_MS = 30_000
/** From the moment when PostgreSQL answers again until everything is as before. */
const BACK_MS = 10_000

const names = [...Array.from({ length: 12 }, (_, n) => `healthy${n}`), 'broken', 'breaks', 'flickers']

let folder: TempFolder
let database: EmbeddedDatabase
let belfry: Belfry
let target: CheckTarget
let brisk: WebhookReceiver
let slow: WebhookReceiver
let refusing: WebhookReceiver
let inboxes: WebhookReceiver[]

const startPostgres = () =>
  startEmbedded({
    dataDir: folder.data('postgres'),
    log: createLog('warn', process.stderr),
    settings: { fsync: 'off', synchronous_commit: 'off' },
  })

beforeEach(async () => {
  folder = createTempFolder()
  database = await startPostgres()
  target = await startCheckTarget()
  ;[brisk, slow, refusing] = [await startWebhookReceiver(), await startWebhookReceiver(), await startWebhookReceiver()]
  inboxes = [brisk, slow, refusing]
  belfry = installBelfry(database.address)
})

afterEach(async () => {
  await belfry?.close()
  await Promise.all([target, brisk, slow, refusing].map((one) => one?.close()))
  await database?.stop()
  await folder.remove()
})

const outages = async () =>
  (
    await belfry.rows<{ name: string; state: string }>(
      `select m.friendly_name as name, coalesce(i.resolution, 'open') as state
         from incidents i join monitors m on m.user_id = i.user_id and m.id = i.monitor_id order by 1, i.id`,
    )
  ).map(({ name, state }) => `${name} ${state}`)

async function areAllCheckedSince(moment: Date): Promise<boolean> {
  const checked = await belfry.rows('select from monitor_states where last_checked_at > $1', [moment])
  return checked.length === names.length
}

const areAllSent = async () => (await belfry.rows(`select from alerts where state <> 'sent'`)).length === 0

/** Every answer has to say that PostgreSQL is away. */
async function watchReadiness(nodes: ServerProcess[], end: number): Promise<void> {
  while (Date.now() < end) {
    for (const { url } of nodes) {
      const { status, body } = await call(url, '/readyz')
      expect([status, body.code, body.detail]).toEqual([503, 'unavailable', 'The database is unavailable.'])
    }
    await pause(500)
  }
}

it('while PostgreSQL is away nothing is judged; when it is back nothing is missing', async () => {
  const nodes = [await belfry.start(), await belfry.start()]
  for (const inbox of inboxes) inbox.provider = await belfry.createResource('/api/providers', inbox.fields)
  for (const name of names) {
    const settings = { interval: 5, timeout: 5, retries: 0 }
    await belfry.createResource('/api/monitors', { friendly_name: name, url: target.url(name), ...settings })
  }
  await waitUntil('every monitor is checked', () => areAllCheckedSince(new Date(0)))

  // Just before, one goes down: of its messages one arrived, one is on its way, and one was not taken.
  const answered = Promise.withResolvers<undefined>()
  slow.respondAfter(() => answered.promise)
  refusing.respondAfter(async () => 503)
  target.fail('broken')
  await waitUntil('its messages are tried', () => inboxes.every(({ received }) => received.length > 0))
  await waitUntil('two of them are written down', async () => {
    return (await belfry.rows('select from alerts where attempts > 0')).length === 2
  })

  await database.stop()
  const stopped = Date.now()
  const meanwhile = async () => {
    target.fail('breaks')
    target.fail('flickers')
    await pause(3_000)
    answered.resolve(undefined)
    await pause(AWAY_MS / 2)
    target.recover('flickers')
    refusing.respondAfter(async () => undefined)
  }
  await Promise.all([watchReadiness(nodes, stopped + AWAY_MS), meanwhile()])

  database = await startPostgres()
  const back = new Date()
  await waitUntil('every monitor is checked again', () => areAllCheckedSince(back), BACK_MS)
  for (const { url } of nodes) expect((await call(url, '/readyz')).status).toBe(200)
  expect(await outages()).toEqual(['breaks open', 'broken open'])
  for (const { output } of nodes) {
    expect(output()).toContain('the database is unavailable, checks are paused until it is back')
    expect(output()).toContain('a database connection was lost')
  }

  target.recover('broken')
  target.recover('breaks')
  const ended = ['breaks recovered', 'broken recovered']
  await waitUntil('both are up again', async () => (await outages()).join() === ended.join())
  await waitUntil('everything is said', areAllSent)
  await expectEachSaidOnce()
  for (const node of nodes) {
    await node.stop()
    expect(await node.ended, node.output()).toBe(0)
  }
}, 150_000)

/** Also the message whose answer came while it could not be written down. */
async function expectEachSaidOnce(): Promise<void> {
  const alerts = await belfry.rows<{ provider: number; name: string; event: string; id: string; attempts: number }>(
    `select provider_id::float8 as provider, m.friendly_name as name, event, message_id as id, attempts
       from alerts a join monitors m on m.user_id = a.user_id and m.id = a.monitor_id order by a.id`,
  )
  for (const inbox of inboxes) {
    const own = alerts.filter(({ provider }) => provider === inbox.provider)
    const said = own.map(({ name, event }) => `${name} ${event}`)
    expect(said.sort()).toEqual(['breaks down', 'breaks recovered', 'broken down', 'broken recovered'])
    expect([...inbox.ids()].sort()).toEqual(own.map(({ id }) => id).sort())
  }
  expect(brisk.repeats()).toEqual([])
  expect(slow.repeats()).toEqual([])
  // What was refused before comes again, and only that.
  const [first] = refusing.received
  expect(new Set(refusing.repeats().map(({ id }) => id))).toEqual(new Set([first?.id]))
}
