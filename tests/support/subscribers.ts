/** A fixture for subscribers of status pages: a server with a mail server, and nodes whose jobs the test runs. */
import { afterAll, beforeAll } from 'vitest'
import { stopOutboxes } from '../../src/app/create-outboxes.ts'
import { createJob } from '../../src/app/jobs.ts'
import { MessageSender } from '../../src/channels/message-sender.ts'
import type { Environment } from '../../src/config/config.ts'
import { type Claimant, Lease } from '../../src/nodes/lease.ts'
import { createStatusMessageOutbox } from '../../src/status-pages/subscribers/message-outbox.ts'
import { createUpdateMessages } from '../../src/status-pages/subscribers/message-store.ts'
import type { Database } from '../../src/storage/database.ts'
import type { CallOptions, ClientResponse } from './client.ts'
import { startTestServer, type TestServer, type TestUser } from './server.ts'
import { type ReceivedMail, type SmtpReceiver, startSmtpReceiver } from './smtp-receiver.ts'
import { insertStatusMonitor, insertStatusPage, insertStatusPost, type StatusPageOptions } from './status-pages.ts'

export const BASE_URL = 'https://stats.example.org'

export interface SubscriberNode {
  claimant: Claimant
  /** Sends what is due. One call sends at most 50 messages per slot. */
  send(): Promise<void>
  /** Deletes the node's lease, so that other nodes treat it as killed. Its claims stay. */
  expire(): Promise<void>
  stop(): Promise<void>
}

export interface SubscriberFixture {
  server: TestServer
  owner: TestUser
  mail: SmtpReceiver
  node: SubscriberNode
  startNode(): Promise<SubscriberNode>
  /** Inserts a page with the monitors Shop and Orders. */
  createPage(options?: StatusPageOptions): Promise<{ pageId: number; shopId: number; ordersId: number }>
  /** Subscribes from a network that no other call uses. */
  subscribe(email: string, options?: CallOptions & { slug?: string; monitorIds?: number[] }): Promise<ClientResponse>
  /** Returns the address of the email's link for this purpose. */
  findLink(received: ReceivedMail | undefined, purpose: 'confirm' | 'manage' | 'unsubscribe'): string
  readSubscribers(): Promise<SubscriberRow[]>
  readMessages(): Promise<
    { kind: string; state: string; attempts: number; answer: string | null; message_id: string }[]
  >
}

export interface SubscriberRow {
  id: number
  email: string
  state: string
  rejections: number
  all_monitors: boolean
}

/**
 * `createAddress` returns settings with the server's own address. Browser tests need a server whose address is
 * BELFRY_URL.
 */
export function useSubscriberFixture(
  createAddress: () => Promise<Environment> = async () => ({ BELFRY_URL: BASE_URL }),
): () => Promise<SubscriberFixture> {
  let server: TestServer
  let mail: SmtpReceiver
  let nodes: SubscriberNode[] = []
  let networkCount = 0
  const stopNodes = async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    nodes = []
  }
  beforeAll(async () => {
    mail = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
    server = await startTestServer({
      env: {
        BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
        BELFRY_MAIL_FROM: 'Belfry <belfry@example.org>',
        BELFRY_TRUSTED_PROXIES: '127.0.0.1',
        ...(await createAddress()),
      },
    })
  })
  afterAll(async () => {
    await stopNodes()
    await server.close()
    await mail.close()
  })

  return async () => {
    const { clock, services } = server
    await stopNodes()
    await services.db.query('delete from users')
    clock.reset()
    mail.received.length = 0
    mail.setHandlers({})
    const owner = await server.createUser('owner')
    const startNode = async () => {
      const node = await startSubscriberNode(server)
      nodes.push(node)
      return node
    }
    return {
      server,
      owner,
      mail,
      node: await startNode(),
      startNode,
      async createPage(options = {}) {
        const shopId = await insertStatusMonitor(services.db, owner.id, { name: 'Internal shop name' })
        const ordersId = await insertStatusMonitor(services.db, owner.id, { name: 'Internal orders name' })
        const monitors = [
          { monitorId: shopId, label: 'Shop' },
          { monitorId: ordersId, label: 'Orders' },
        ]
        const groups = [{ name: 'Services', monitors }]
        return { pageId: await insertStatusPage(services.db, owner.id, { groups, ...options }), shopId, ordersId }
      },
      subscribe(email, { slug = 'example', monitorIds, headers, ...options } = {}) {
        const choice = monitorIds === undefined ? {} : { monitor_ids: monitorIds.map(String) }
        return server.anyone.call('POST', `/status/${slug}/subscribe`, {
          form: { email, ...choice },
          headers: { 'x-forwarded-for': createNetwork(networkCount++), ...headers },
          ...options,
        })
      },
      findLink(received, purpose) {
        const match = new RegExp(`${services.config.url}(/status/[^/]+/${purpose}\\?token=[\\w.-]+)`).exec(
          received?.mail.text ?? '',
        )
        if (match?.[1] === undefined) throw new Error(`The email has no ${purpose} link:\n${received?.mail.text}`)
        return match[1]
      },
      readSubscribers: () =>
        services.db.query<SubscriberRow & Record<string, unknown>>(
          'select id, email, state, rejections, all_monitors from status_subscribers order by id',
        ),
      readMessages: () =>
        services.db.query('select kind, state, attempts, answer, message_id from status_messages order by id'),
    }
  }
}

/** Addresses of a network for documentation. No packet is ever sent to them. */
const createNetwork = (n: number) => `2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`

async function startSubscriberNode({ services }: TestServer): Promise<SubscriberNode> {
  const { config, db, log } = services
  const lease = new Lease({ db, log })
  const claimant = lease.createClaimant()
  await lease.start()
  const messageSender = new MessageSender(config)
  const outbox = createStatusMessageOutbox({ ...services, messageSender, claimant, onReady: () => {} })
  return {
    claimant,
    send: () => outbox.runOnce(),
    expire: async () => {
      await db.query('delete from nodes where id = $1', [claimant.id])
    },
    stop: async () => {
      await stopOutboxes({ statusMessageOutbox: outbox, messageSender }, { deliveryGraceMs: 1_000 })
      await lease.stop()
    },
  }
}

export const announceMaintenancesOf = ({ services }: TestServer) =>
  createJob('announce maintenances to subscribers', services).run()

/** Inserts confirmed subscribers. Returns their ids. */
export async function insertSubscribers(
  db: Database,
  teamId: number,
  pageId: number,
  {
    count,
    prefix = 'person',
    at = new Date('2026-01-05T10:00:00.000Z'),
  }: { count: number; prefix?: string; at?: Date },
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(
    `insert into status_subscribers (user_id, page_id, email, email_key, state, all_monitors, confirmed_at, created_at)
     select $1, $2, e, e, 'confirmed', true, $5, $5
       from generate_series(1, $3) n, format('%s-%s@example.org', $4::text, n) e
     returning id`,
    [teamId, pageId, count, prefix, at],
  )
  return rows.map(({ id }) => id)
}

/** Inserts a post with one update, and the messages to subscribers about it, as the request of the owner does. */
export async function insertPostWithMessages(
  { services: { db } }: TestServer,
  teamId: number,
  pageId: number,
  { now = new Date('2026-01-05T10:00:00.000Z'), ...options }: Parameters<typeof insertStatusPost>[3] = {},
): Promise<{ postId: number; updateId: number }> {
  const postId = await insertStatusPost(db, teamId, pageId, { now, ...options })
  const [update] = await db.query<{ id: number }>('select max(id) as id from status_post_updates where post_id = $1', [
    postId,
  ])
  const updateId = update?.id as number
  await db.transaction((q) => createUpdateMessages(q, teamId, { pageId, postId, updateId }, now))
  return { postId, updateId }
}
