/** A fixture for sending alerts: a monitor, a receiver for webhooks, and nodes whose outbox the test runs. */
import { onTestFinished } from 'vitest'
import { type AlertOutbox, createAlertOutbox } from '../../src/alerts/outbox.ts'
import type { AlertEvent } from '../../src/alerts/schema.ts'
import { stopOutboxes } from '../../src/app/create-outboxes.ts'
import { markers } from '../../src/channels/common/markers.ts'
import { MessageSender } from '../../src/channels/message-sender.ts'
import type { Config, Environment } from '../../src/config/config.ts'
import { PeriodicJob } from '../../src/lib/periodic-job.ts'
import { type Claimant, Lease } from '../../src/nodes/lease.ts'
import type { SpikeDetails } from '../../src/shared/spike.ts'
import type { TestClock } from './clock.ts'
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts'
import { createMonitor } from './monitors.ts'
import { startTestServer, type TestServer, type TestUser } from './server.ts'

export interface NewAlert {
  monitorId?: number
  event?: AlertEvent
  title?: string
  occurrence?: string
  /** null for alerts about a certificate or a traffic spike. */
  incidentId?: number | null
  /** Set only for traffic spikes. */
  details?: SpikeDetails
}

export interface AlertNode {
  outbox: AlertOutbox
  lease: Lease
  claimant: Claimant
  /** Polls the outbox every second from now on. */
  start(): void
  /** Polls the outbox now. */
  trigger(): void
  stop(): Promise<void>
  /** Deletes the node's lease, so that other nodes treat it as killed. Its claims stay. */
  expire(): Promise<void>
}

/** Settings of the server that the node replaces. */
interface AlertNodeOptions extends Partial<Config> {
  /** The clock of the lease. If it is set, the lease is renewed at the start, and then only when the test calls `lease.renew()`. */
  monotonicNow?: () => number
}

export interface AlertFixture {
  server: TestServer
  clock: TestClock
  owner: TestUser
  receiver: HttpReceiver
  monitorId: number
  createMonitor(fields?: object): Promise<number>
  /** Creates a channel: by default, a Slack webhook to the receiver. */
  createChannel(fields?: object, owner?: TestUser): Promise<number>
  /** Returns the message id of the alert. */
  addAlert(channelId: number, alert?: NewAlert): Promise<string>
  getAlert(messageId: string): Promise<AlertRow>
  startNode(options?: AlertNodeOptions): Promise<AlertNode>
  /** The titles of the alerts that the receiver got, without the symbol at the start of each. */
  listTitles(): string[]
  /** Stops the nodes, deletes all users, and returns a fixture with a new owner, monitor and receiver on the same server. */
  renew(): Promise<AlertFixture>
  close(): Promise<void>
}

export interface AlertRow {
  state: string
  attempts: number
  answer: string | null
  created_at: Date
  next_attempt_at: Date | null
  last_attempt_at: Date | null
}

export async function startAlertFixture(
  createEnv: (receiver: HttpReceiver) => Environment = () => ({}),
): Promise<AlertFixture> {
  const receiver = await startHttpReceiver()
  const server = await startTestServer({
    env: { BELFRY_ROLES: 'web', BELFRY_PRIVATE_TARGETS: 'allow', ...createEnv(receiver) },
  })
  return createAlertFixture(server, receiver)
}

export interface AlertFixtures {
  /** Without `createEnv`, returns an empty fixture on the shared server. With it, starts a server for this test only. */
  start(createEnv?: (receiver: HttpReceiver) => Environment): Promise<AlertFixture>
  close(): Promise<void>
}

/** Gives each test a fixture. Most tests share a server, because starting a server takes longer than most tests. */
export function createAlertFixtures(): AlertFixtures {
  let sharedFixture: AlertFixture | undefined
  return {
    async start(createEnv) {
      if (createEnv !== undefined) {
        const fixture = await startAlertFixture(createEnv)
        onTestFinished(() => fixture.close())
        return fixture
      }
      sharedFixture = await (sharedFixture === undefined ? startAlertFixture() : sharedFixture.renew())
      return sharedFixture
    },
    close: async () => sharedFixture?.close(),
  }
}

async function createAlertFixture(server: TestServer, receiver: HttpReceiver): Promise<AlertFixture> {
  const { clock, services } = server
  const { db } = services
  const owner = await server.createUser('owner')
  const monitorId = (await createMonitor(owner.session)).id
  const nodes: AlertNode[] = []
  let occurrenceCount = 0
  const stopNodes = async () => {
    for (const { lease, stop } of nodes) {
      await stop()
      await lease.stop()
    }
  }
  return {
    server,
    clock,
    owner,
    receiver,
    monitorId,
    createMonitor: async (fields) => (await createMonitor(owner.session, fields)).id,
    async createChannel(fields = {}, channelOwner = owner) {
      const input = { provider_type: 'slack', webhook_url: `${receiver.address}/hook`, ...fields }
      const { status, text, body } = await channelOwner.session.post('/api/providers', input)
      if (status !== 201) throw new Error(`The channel was not created: ${status} ${text}`)
      return body.data.id
    },
    async addAlert(channelId, alert = {}) {
      const { event = 'down', title = 'Shop is down', incidentId = 1, occurrence = String(++occurrenceCount) } = alert
      const details = alert.details === undefined ? null : JSON.stringify(alert.details)
      const [row] = await db.query<{ message_id: string }>(
        `insert into alerts (user_id, monitor_id, provider_id, event, incident_id, occurrence, title, body, created_at,
           next_attempt_at, details)
         select p.user_id, $1, p.id, $3, $7, $4, $5, 'https://example.com/', $6, $6, $8 from providers p where p.id = $2
         returning message_id`,
        [alert.monitorId ?? monitorId, channelId, event, occurrence, title, clock.now(), incidentId, details],
      )
      return row?.message_id as string
    },
    getAlert: async (messageId) =>
      (
        await db.query<AlertRow & Record<string, unknown>>('select * from alerts where message_id = $1', [messageId])
      )[0] as AlertRow,
    async startNode(options) {
      const node = await startAlertNode(server, options)
      nodes.push(node)
      return node
    },
    listTitles: () => receiver.received.map(({ body }) => removeSymbol(JSON.parse(body).text.split('\n')[0])),
    async renew() {
      await stopNodes()
      await receiver.close()
      await db.query('delete from users')
      clock.reset()
      server.logLines.length = 0
      return createAlertFixture(server, await startHttpReceiver())
    },
    async close() {
      await stopNodes()
      await server.close()
      await receiver.close()
    },
  }
}

function removeSymbol(headline: string): string {
  const marker = Object.values(markers).find(({ symbol }) => symbol !== '' && headline.startsWith(symbol))
  return marker === undefined ? headline : headline.slice(marker.symbol.length + 1)
}

async function startAlertNode(
  server: TestServer,
  { monotonicNow, ...changedConfig }: AlertNodeOptions = {},
): Promise<AlertNode> {
  const config = { ...server.services.config, ...changedConfig }
  const services = { ...server.services, config }
  const { db, log } = services
  const lease = new Lease({ db, log, ...(monotonicNow !== undefined && { now: monotonicNow }) })
  const claimant = lease.createClaimant()
  await (monotonicNow === undefined ? lease.start() : lease.renew())
  const messageSender = new MessageSender(config)
  let isStarted = false
  const onReady = () => {
    if (isStarted) job.trigger()
  }
  const outbox = createAlertOutbox({ ...services, messageSender, claimant, onReady })
  const job = new PeriodicJob({ name: 'send alerts', everyMs: 1_000, log, run: (signal) => outbox.poll(signal) })
  return {
    lease,
    claimant,
    outbox,
    start: () => {
      isStarted = true
      void job.start()
    },
    trigger: () => job.trigger(),
    stop: async () => {
      await Promise.all([job.stop(), stopOutboxes({ alertOutbox: outbox, messageSender }, { deliveryGraceMs: 1_000 })])
    },
    expire: async () => {
      await db.query('delete from nodes where id = $1', [claimant.id])
    },
  }
}
