/**
 * 10,000 subscribers get an email about a post while the sending processes are killed. Each gets it, and repeats have
 * the same Message-ID.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ServerProcess } from '../cli/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../support/smtp-receiver.ts'
import { type Belfry, createBelfry, kill, waitUntil } from './support.ts'

const SUBSCRIBER_COUNT = 10_000
/** Each time this many more emails have arrived, one process or both are killed and restarted. */
const EMAILS_BETWEEN_KILLS = 1_500
/** Each process sends this many emails at a time. */
const MAX_IN_FLIGHT = 3
const PROCESS_COUNT = 2
/** On a busy machine, the processes together send 30 emails a second. */
const MAX_WAIT_MS = 300_000

let database: TestDatabase
let belfry: Belfry
let mail: SmtpReceiver
let nodes: ServerProcess[] = []
const receivedEmails: { to: string; messageId: string }[] = []
const inFlightAtKills = new Set<string>()
let killedProcessCount = 0
let insertMs = 0
let sendMs = 0

const readMessages = () =>
  belfry.query<{ state: string; count: number }>('select state, count(*)::int from status_messages group by 1')

beforeAll(async () => {
  if (!isFaultsRun) return
  database = await createTestDatabase()
  mail = await startReceiver()
  belfry = createBelfry(database.connection)
  await belfry.start({ BELFRY_ROLES: 'web' })
  const pageId = await belfry.createResource('/api/status-pages', { slug: 'example', title: 'Example status' })
  await belfry.query(
    `insert into status_subscribers (user_id, page_id, email, email_key, state, all_monitors, confirmed_at, created_at)
     select p.user_id, p.id, e, e, 'confirmed', true, now(), now()
       from status_pages p, generate_series(1, $1) n, format('person-%s@example.org', n) e`,
    [SUBSCRIBER_COUNT],
  )
  const storedAt = performance.now()
  await belfry.createResource(`/api/status-pages/${pageId}/posts`, {
    title: 'Slow orders',
    body: 'We are **looking**.',
  })
  insertMs = performance.now() - storedAt
  nodes = await Promise.all(Array.from({ length: PROCESS_COUNT }, startNode))
  const startedAt = performance.now()
  for (let n = 1; n * EMAILS_BETWEEN_KILLS < SUBSCRIBER_COUNT; n++) {
    await waitUntil(
      `${n * EMAILS_BETWEEN_KILLS} emails came`,
      () => receivedEmails.length >= n * EMAILS_BETWEEN_KILLS,
      MAX_WAIT_MS,
    )
    await killAndRestart(n % 2 === 0 ? nodes : nodes.slice(0, 1))
  }
  await waitUntil(
    'no message waits',
    async () => !(await readMessages()).some(({ state }) => state === 'waiting'),
    MAX_WAIT_MS,
  )
  sendMs = performance.now() - startedAt
}, 1_800_000)

afterAll(async () => {
  await belfry?.close()
  await mail?.close()
  await database?.drop()
})

const startNode = () =>
  belfry.start({
    BELFRY_ROLES: 'worker',
    BELFRY_URL: 'https://stats.example.org',
    BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    BELFRY_MAIL_FROM: 'Belfry <belfry@example.org>',
  })

async function startReceiver(): Promise<SmtpReceiver> {
  const receiver = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
  receiver.setHandlers({
    onData(stream, { envelope }, done) {
      let raw = ''
      stream.setEncoding('utf8').on('data', (text) => (raw += text))
      stream.on('end', () => {
        const messageId = /^Message-ID: <([^@]*)@/im.exec(raw)?.[1] ?? ''
        receivedEmails.push({ to: envelope.rcptTo[0]?.address ?? '', messageId })
        done()
      })
    },
  })
  return receiver
}

/** A killed process may have sent the messages that it had claimed, without storing that they were sent. */
async function killAndRestart(victims: readonly ServerProcess[]): Promise<void> {
  await Promise.all(victims.map(kill))
  killedProcessCount += victims.length
  const claimedMessages = await belfry.query<{ message_id: string }>(
    'select message_id from status_messages where claimed_by is not null',
  )
  for (const { message_id: messageId } of claimedMessages) inFlightAtKills.add(messageId)
  const restartedNodes = await Promise.all(victims.map(startNode))
  nodes = [...nodes.filter((node) => !victims.includes(node)), ...restartedNodes]
}

// This takes minutes. tests/status-pages/subscriber-messages.test.ts tests the same rules in `npm test`.
describe.skipIf(!isFaultsRun)('after all messages are sent', () => {
  it('every subscriber got the email, with one Message-ID', async () => {
    const idsByRecipient = new Map<string, Set<string>>()
    for (const { to, messageId } of receivedEmails) {
      idsByRecipient.set(to, (idsByRecipient.get(to) ?? new Set()).add(messageId))
    }
    expect(idsByRecipient.size).toBe(SUBSCRIBER_COUNT)
    expect([...idsByRecipient.values()].filter((ids) => ids.size !== 1)).toEqual([])
    expect(new Set(receivedEmails.map(({ messageId }) => messageId)).size).toBe(SUBSCRIBER_COUNT)
    expect(await readMessages()).toEqual([{ state: 'sent', count: SUBSCRIBER_COUNT }])
  })

  it('only emails that were in flight at a kill came twice', () => {
    const counts = new Map<string, number>()
    for (const { messageId } of receivedEmails) counts.set(messageId, (counts.get(messageId) ?? 0) + 1)
    const repeatedIds = [...counts].filter(([, count]) => count > 1).map(([messageId]) => messageId)
    expect(repeatedIds.filter((messageId) => !inFlightAtKills.has(messageId))).toEqual([])
    expect(receivedEmails.length - SUBSCRIBER_COUNT).toBeLessThanOrEqual(killedProcessCount * MAX_IN_FLIGHT)
    const seconds = (ms: number) => (ms / 1000).toFixed(1)
    process.stdout.write(
      `${SUBSCRIBER_COUNT} subscribers: the post was stored in ${seconds(insertMs)} s and sent in ${seconds(sendMs)} s, ${killedProcessCount} processes were killed, repeated emails: ${receivedEmails.length - SUBSCRIBER_COUNT}\n`,
    )
  })
})
