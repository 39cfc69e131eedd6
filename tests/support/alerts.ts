/** An outbox with somebody's monitor, receivers to send to, and the loop that empties it, turned by hand. */

import type { Environment } from '../../src/config/config.ts'
import { type Claimant, Lease } from '../../src/nodes/lease.ts'
import { Delivery } from '../../src/outbox/outbox.ts'
import { MessageSender } from '../../src/providers/message-sender.ts'
import type { TestClock } from './clock.ts'
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts'
import { makeMonitor } from './monitors.ts'
import { type Person, startTestServer, type TestServer } from './server.ts'

export interface NewAlert {
  monitorId?: number
  event?: 'down' | 'recovered' | 'reminder' | 'certificate'
  title?: string
  occurrence?: string
  /** null for one about a certificate. */
  incidentId?: number | null
}

export interface TestNode {
  delivery: Delivery
  lease: Lease
  claimant: Claimant
  courier: MessageSender
  /** It is taken for dead, as if it had been killed: nothing is given back. */
  vanish(): Promise<void>
}

export interface Outbox {
  server: TestServer
  clock: TestClock
  owner: Person
  receiver: HttpReceiver
  monitorId: number
  makeMonitor(fields?: object): Promise<number>
  /** A webhook at the receiver, if nothing else is said. */
  makeProvider(fields?: object, of?: Person): Promise<number>
  /** Answers with its message id. */
  addAlert(providerId: number, alert?: NewAlert): Promise<string>
  alert(messageId: string): Promise<AlertRow>
  startNode(): Promise<TestNode>
  /** Titles, as the receiver got them. */
  titles(): string[]
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

export async function startOutbox(env: (receiver: HttpReceiver) => Environment = () => ({})): Promise<Outbox> {
  const receiver = await startHttpReceiver()
  const server = await startTestServer({
    env: { BELFRY_ROLES: 'web', BELFRY_PRIVATE_TARGETS: 'allow', ...env(receiver) },
  })
  const { clock, services } = server
  const { db } = services
  const owner = await server.person('owner')
  const monitorId = (await makeMonitor(owner.session)).id
  const nodes: TestNode[] = []
  let count = 0
  return {
    server,
    clock,
    owner,
    receiver,
    monitorId,
    makeMonitor: async (fields) => (await makeMonitor(owner.session, fields)).id,
    async makeProvider(fields = {}, of = owner) {
      const body = { provider_type: 'slack', webhook_url: `${receiver.address}/hook`, ...fields }
      const { status, text, body: made } = await of.session.post('/api/providers', body)
      if (status !== 201) throw new Error(`not made: ${status} ${text}`)
      return made.data.id
    },
    async addAlert(providerId, { monitorId: about = monitorId, event = 'down', title = 'Shop is down', ...rest } = {}) {
      const { occurrence = String(++count), incidentId = 1 } = rest
      const [row] = await db.query<{ message_id: string }>(
        `insert into alerts (user_id, monitor_id, provider_id, event, incident_id, occurrence, title, body, created_at,
           next_attempt_at)
         select p.user_id, $1, p.id, $3, $7, $4, $5, 'https://example.com/', $6, $6 from providers p where p.id = $2
         returning message_id`,
        [about, providerId, event, occurrence, title, clock.now(), incidentId],
      )
      return row?.message_id as string
    },
    alert: async (messageId) =>
      (
        await db.query<AlertRow & Record<string, unknown>>('select * from alerts where message_id = $1', [messageId])
      )[0] as AlertRow,
    async startNode() {
      const lease = new Lease({ db, log: services.log })
      const claimant = lease.createClaimant()
      await lease.start()
      const courier = new MessageSender(services.config)
      const node = {
        lease,
        claimant,
        courier,
        delivery: new Delivery({ ...services, courier, node: claimant }),
        vanish: async () => {
          await db.query('delete from nodes where id = $1', [claimant.id])
        },
      }
      nodes.push(node)
      return node
    },
    titles: () => receiver.received.map(({ body }) => JSON.parse(body).text.split('\n')[0]),
    async close() {
      for (const { delivery, lease } of nodes) {
        await delivery.stop()
        await lease.stop()
      }
      await server.close()
      await receiver.close()
    },
  }
}
