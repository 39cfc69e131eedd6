/** Nodes are killed while jobs send beats: no job that beats is announced, and each job that stops or fails is announced once. */
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, type ServerProcess } from '../cli/support.ts'
import { createSeededRandom } from '../support/check-results.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { Jobs } from './jobs.ts'
import { BACKGROUND_ROLES, type Belfry, createBelfry, kill, waitUntil } from './support.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

const rounds = Number(process.env['BELFRY_FAULT_ROUNDS'] ?? 1)
const seed = Number(process.env['BELFRY_FAULT_SEED'] ?? randomInt(2 ** 31))
const random = createSeededRandom(seed)
const STEADY_JOBS = 5
const MAX_KILL_DELAY_MS = 4_000

let database: TestDatabase
let belfry: Belfry
let receiver: WebhookReceiver
let jobs: Jobs
const nodes: ServerProcess[] = []

interface Heartbeat {
  id: number
  token: string
}

async function createHeartbeat(name: string, grace: number): Promise<Heartbeat> {
  const fields = { friendly_name: name, type: 'heartbeat', heartbeat: { period: 10, grace } }
  const id = await belfry.createResource('/api/monitors', fields)
  const { body } = await call(nodes[0]?.url ?? '', `/api/monitors/${id}`, { cookie: await belfry.getCookie() })
  return { id, token: body.data.url.split('/').at(-1) }
}

const readStatuses = async () => {
  const rows = await belfry.query<{ name: string; status: string }>(
    'select friendly_name as name, status from monitors',
  )
  return new Map(rows.map(({ name, status }) => [name, status]))
}

/** Both nodes serve the API in `npm run faults`, and only the first one in `npm run test:system`. */
async function startNodes(indexes: readonly number[]): Promise<void> {
  await Promise.all(
    indexes.map(async (n) => {
      nodes[n] = await belfry.start(n === 0 ? {} : { BELFRY_ROLES: BACKGROUND_ROLES })
    }),
  )
}

/** Kills these nodes if they are running, and starts them. */
async function restartNodes(indexes: readonly number[]): Promise<void> {
  await Promise.all(nodes.filter((_, n) => indexes.includes(n)).map(kill))
  await startNodes(indexes)
}

const listBeatUrls = () => nodes.filter((node, n) => !node.hasEnded() && (isFaultsRun || n === 0)).map(({ url }) => url)

beforeAll(
  async () => {
    database = await createTestDatabase()
    belfry = createBelfry(database.connection)
    receiver = await startWebhookReceiver()
    // In `npm run test:system`, the second node starts after the first kill.
    await startNodes(isFaultsRun ? [0, 1] : [0])
    // Combined alerts would wait up to a minute. tests/alerts/storms.test.ts tests them.
    await belfry.query('update users set group_alerts = false')
    await belfry.createResource('/api/providers', receiver.channelFields)
    jobs = new Jobs(listBeatUrls)
    // A grace time of 120 s is long enough for the start of both nodes on a busy machine.
    for (let n = 0; n < STEADY_JOBS; n++) jobs.start((await createHeartbeat(`steady${n}`, 120)).token)
    const stoppingHeartbeat = await createHeartbeat('stopping', 0)
    const failingHeartbeat = await createHeartbeat('failing', 120)
    await Promise.all([stoppingHeartbeat, failingHeartbeat].map(({ token }) => jobs.send(token)))
    await waitUntil('the first beat of every heartbeat is processed', async () => {
      // On a busy machine, the heartbeat `stopping` may already be down.
      const { stopping: stoppingStatus, ...others } = Object.fromEntries(await readStatuses())
      return stoppingStatus !== 'pending' && Object.values(others).every((status) => status === 'up')
    })
    await jobs.send(`${failingHeartbeat.token}/start`)
    // All nodes die as soon as the failure is acknowledged.
    await jobs.send(`${failingHeartbeat.token}/7`, 'disk full')
    await restartNodes([0, 1])
    for (let round = 1; round < rounds; round++) {
      await delay(random() * MAX_KILL_DELAY_MS)
      await restartNodes(random() < 0.25 ? [0, 1] : [Math.floor(random() * 2)])
    }
    await waitUntil(
      'the jobs that stopped and failed are down',
      async () => {
        const statuses = await readStatuses()
        return statuses.get('stopping') === 'down' && statuses.get('failing') === 'down'
      },
      60_000,
    )
    await jobs.send(failingHeartbeat.token)
    await waitUntil('the failed job has recovered', async () => (await readStatuses()).get('failing') === 'up')
    await waitUntil(
      'every alert is sent',
      async () => (await belfry.query(`select from alerts where state = 'waiting'`)).length === 0,
      120_000,
    )
    await jobs.stop()
  },
  150_000 + rounds * 30_000,
)

afterAll(async () => {
  await jobs?.stop()
  await belfry?.close()
  await receiver?.close()
  await database?.drop()
})

describe(`after ${rounds} kill -9`, () => {
  it('only the jobs that stopped and failed have incidents, one each', async () => {
    const incidents = await belfry.query(
      `select m.friendly_name as name, i.cause, i.detail, i.resolution
         from incidents i join monitors m on m.id = i.monitor_id order by 1`,
    )
    expect(incidents, `seed ${seed}`).toEqual([
      { name: 'failing', cause: 'heartbeat_failed', detail: 'Job failed with exit code 7', resolution: 'recovered' },
      {
        name: 'stopping',
        cause: 'heartbeat_missed',
        detail: expect.stringContaining('No beat since'),
        resolution: null,
      },
    ])
    expect(jobs.acknowledgedCount).toBeGreaterThan(STEADY_JOBS)
    expect(jobs.unexpectedResponses).toEqual([])
  })

  it('each change of a status was announced once', async () => {
    const alerts = await belfry.query<{ change: string; message_id: string }>(
      `select m.friendly_name || ' ' || a.event as change, a.message_id
         from alerts a join monitors m on m.id = a.monitor_id order by 1`,
    )
    expect(
      alerts.map(({ change }) => change),
      `seed ${seed}`,
    ).toEqual(['failing down', 'failing recovered', 'stopping down'])
    expect([...receiver.listIds()].sort()).toEqual(alerts.map(({ message_id }) => message_id).sort())
  })

  it('the beat that was acknowledged right before the kill was processed, with its run and its output', async () => {
    const [beat] = await belfry.query(
      `select b.kind, b.exit_code, b.duration_ms is not null as has_duration, h.last_output
         from beats b
         join heartbeats h on h.monitor_id = b.monitor_id
        where b.exit_code = 7`,
    )
    expect(beat).toEqual({ kind: 'finish', exit_code: 7, has_duration: true, last_output: 'disk full' })
  })
})
