/**
 * 300 monitors go down within 10 s and recover, while every node is killed during a summary. Belfry sends few messages
 * and loses none.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ServerProcess } from '../cli/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { type CheckTarget, startCheckTarget } from './check-target.ts'
import { type Belfry, createBelfry, kill, waitUntil } from './support.ts'

const MONITOR_COUNT = 300
const CHANGE_MS = 10_000
const MAX_MESSAGES = 5
const MAX_DELAY_MS = 2_000
/** If a channel got no message for a minute, the next message is sent immediately. */
const QUIET_MS = 61_000

interface Message {
  id: string
  at: number
  text: string
}

interface Phase {
  event: 'down' | 'recovered'
  /** The received messages without repeats. */
  messages: Message[]
  repeatCount: number
}

let database: TestDatabase
let belfry: Belfry
let target: CheckTarget
let receiver: HttpReceiver
let nodes: ServerProcess[] = []
let receivedMessages: Message[] = []
let onSummary: (() => Promise<void>) | undefined
const phases: Phase[] = []

const names = Array.from({ length: MONITOR_COUNT }, (_, n) => `m${n + 1}.`)

beforeAll(async () => {
  if (!isFaultsRun) return
  database = await createTestDatabase()
  target = await startCheckTarget()
  receiver = await startReceiver()
  belfry = createBelfry(database.connection)
  nodes = [await belfry.start(), await belfry.start()]
  const webhook = { provider_type: 'slack', webhook_url: `${receiver.address}/hook`, assign_by_default: true }
  await belfry.createResource('/api/providers', webhook)
  const settings = { interval: 5, timeout: 5, retries: 0 }
  for (const name of names) {
    await belfry.createResource('/api/monitors', { friendly_name: name, url: target.url(name), ...settings })
  }
  await waitUntil(
    'every monitor is up',
    async () => (await belfry.query(`select from monitors where status = 'up'`)).length === MONITOR_COUNT,
    60_000,
  )
  phases.push(await runPhase('down', (name) => target.fail(name)))
  await delay(QUIET_MS)
  phases.push(await runPhase('recovered', (name) => target.recover(name)))
}, 420_000)

afterAll(async () => {
  await belfry?.close()
  await Promise.all([target?.close(), receiver?.close()])
  await database?.drop()
})

async function startReceiver(): Promise<HttpReceiver> {
  const server = await startHttpReceiver()
  server.handleWith(async (response, { headers, body }) => {
    const text = JSON.parse(body).text as string
    receivedMessages.push({ id: String(headers['x-belfry-message-id']), at: Date.now(), text })
    const handleSummary = text.includes(' monitors') ? onSummary : undefined
    if (handleSummary !== undefined) {
      onSummary = undefined
      await handleSummary()
    }
    if (!response.destroyed) response.end('ok')
  })
  return server
}

/** The first summary of the phase gets no response, because the nodes are killed. */
async function runPhase(event: Phase['event'], change: (name: string) => void): Promise<Phase> {
  receivedMessages = []
  let restart: Promise<void> | undefined
  onSummary = async () => {
    await Promise.all(nodes.map(kill))
    restart = Promise.all([belfry.start(), belfry.start()]).then((started) => {
      nodes = started
    })
  }
  for (const name of names) {
    change(name)
    await delay(CHANGE_MS / MONITOR_COUNT)
  }
  await waitUntil(
    `every alert of ${event} is sent`,
    async () => {
      const sentAlerts = await belfry.query(`select from alerts where event = $1 and state = 'sent'`, [event])
      return sentAlerts.length === MONITOR_COUNT
    },
    120_000,
  )
  await restart
  const messages = [
    ...new Map(receivedMessages.toReversed().map((message) => [message.id, message])).values(),
  ].toReversed()
  return { event, messages, repeatCount: receivedMessages.length - messages.length }
}

/** Lists when each message came, and its title. */
function formatMessages(messages: readonly Message[]): string {
  const [{ at: start } = { at: 0 }] = messages
  return messages.map(({ at, text }) => `${((at - start) / 1000).toFixed(1)} s ${text.split('\n')[0]}`).join('\n')
}

const readAlerts = (event: string) =>
  belfry.query<{ name: string; id: string; created_at: Date }>(
    `select m.friendly_name as name, coalesce(a.group_id, a.message_id) as id, a.created_at
       from alerts a join monitors m on m.id = a.monitor_id where event = $1 order by a.id`,
    [event],
  )

// This takes four minutes. tests/alerts/storms.test.ts tests the same rules in `npm test`.
describe.skipIf(!isFaultsRun).each(['down', 'recovered'] as const)('after all monitors are %s', (event) => {
  const getPhase = () => phases.find((phase) => phase.event === event) as Phase

  it('the first message came within 2 s of its verdict, and few messages followed', async () => {
    const { messages, repeatCount } = getPhase()
    const [firstMessage] = messages as [Message]
    const alert = (await readAlerts(event)).find(({ id }) => id === firstMessage.id)
    expect(firstMessage.at - (alert?.created_at.getTime() ?? 0)).toBeLessThan(MAX_DELAY_MS)
    expect(messages.length).toBeGreaterThan(1)
    expect(messages.length, formatMessages(messages)).toBeLessThanOrEqual(MAX_MESSAGES)
    // The summary whose response was lost is sent again, with the same id and text.
    expect(repeatCount).toBe(1)
  })

  it('each incident is named in exactly one message, which its alert refers to', async () => {
    const { messages } = getPhase()
    const alerts = await readAlerts(event)
    expect(alerts).toHaveLength(MONITOR_COUNT)
    for (const { name, id } of alerts) {
      const messagesWithName = messages.filter(({ text }) =>
        new RegExp(`(^|\\s)${name.replace('.', '\\.')}`, 'm').test(text),
      )
      expect(messagesWithName.map((message) => message.id)).toEqual([id])
    }
  })
})
