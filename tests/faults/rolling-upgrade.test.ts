/**
 * Runs nodes of the previous release and of this one side by side: the new node migrates the database while clients use the old
 * ones. Only `npm run faults` does this, because it needs the history of git. BELFRY_FAULT_PREVIOUS names another revision.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, createTempFolder, type ServerProcess, startServerProcess, toConnectionUrl } from '../cli/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { checkOutRelease, findPreviousRevision, type PreviousRelease } from '../support/previous-release.ts'
import { type CheckTarget, startCheckTarget } from './check-target.ts'
import { waitUntil } from './support.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

const previousRevision = isFaultsRun ? findPreviousRevision() : undefined

/** How long old and new nodes work together. */
const SIDE_BY_SIDE_MS = 15_000
const THINK_TIME_MS = 20

const admin = { email: 'ada@example.com', password: 'correct horse battery' }
const folder = createTempFolder()
let release: PreviousRelease
let database: TestDatabase
let target: CheckTarget
let receiver: WebhookReceiver
const nodes: ServerProcess[] = []

beforeAll(async () => {
  if (previousRevision === undefined) return
  release = checkOutRelease(previousRevision)
  database = await createTestDatabase({ empty: true })
  target = await startCheckTarget()
  receiver = await startWebhookReceiver()
})
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()))
  await target?.close()
  await receiver?.close()
  await database?.drop()
  await folder.remove()
  release?.remove()
})

async function startNode(options: { program?: string } = {}): Promise<ServerProcess> {
  const env = {
    BELFRY_ADMIN_EMAIL: admin.email,
    BELFRY_ADMIN_PASSWORD: admin.password,
    BELFRY_DATA: folder.data('data'),
    BELFRY_SECRET: 'a secret that is only good for tests',
    BELFRY_PRIVATE_TARGETS: 'allow',
    BELFRY_LOG: 'warn',
    DATABASE_URL: toConnectionUrl(database.connection),
  }
  const node = await startServerProcess(env, options)
  nodes.push(node)
  return node
}

const readPaths = ['/api/keys', '/api/monitors', '/api/v1/websites', '/api/v1/stats/1?name=page']

interface NodeClient {
  requestCount: number
  failures: string[]
  stop(): Promise<void>
}

/** Uses one node: reads, creates and deletes monitors, and sends events. */
function startClient({ url }: ServerProcess, cookie: string, name: string): NodeClient {
  let isStopping = false
  const client: NodeClient = { requestCount: 0, failures: [], stop: async () => {} }

  /** Returns the response body as text. */
  async function request(method: string, path: string, json?: object): Promise<string> {
    const response = await fetch(url + path, {
      method,
      headers: { cookie: `belfry_session=${cookie}`, ...(json && { 'content-type': 'application/json' }) },
      ...(json && { body: JSON.stringify(json) }),
    })
    const body = await response.text()
    client.requestCount++
    if (!response.ok) client.failures.push(`${name} ${method} ${path}: ${response.status} ${body}`)
    return body
  }

  async function run(): Promise<void> {
    for (let n = 0; !isStopping; n++) {
      const monitor = { friendly_name: `${name} ${n}`, url: target.url('up'), interval: 60 }
      const { data } = JSON.parse(await request('POST', '/api/monitors', monitor))
      await request('POST', '/api/event', { n: 'pageview', u: `https://shop.example.com/${n}`, d: 'shop.example.com' })
      for (const path of readPaths) await request('GET', path)
      if (data !== undefined) await request('DELETE', `/api/monitors/${data.id}`)
      await delay(THINK_TIME_MS)
    }
  }

  const pendingRun = run()
  client.stop = async () => {
    isStopping = true
    await pendingRun
  }
  return client
}

it('a new node works beside nodes of the previous release, while and after it migrates the database', {
  timeout: 180_000,
}, async ({ skip }) => {
  skip(previousRevision === undefined, isFaultsRun ? 'git has no previous release' : 'only `npm run faults` runs this')
  const oldNodes = [await startNode(release), await startNode(release)]
  const [{ url }] = oldNodes as [ServerProcess]
  const { headers } = await call(url, '/api/session', { json: admin })
  const cookie = /belfry_session=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1] ?? ''
  await call(url, '/api/providers', { cookie, json: receiver.channelFields })
  const website = { domain: 'shop.example.com' }
  expect((await call(url, '/api/v1/websites', { cookie, json: website })).body.data.id).toBe(1)
  const monitor = { friendly_name: 'Shop', url: target.url('shop'), interval: 5, retries: 0 }
  expect((await call(url, '/api/monitors', { cookie, json: monitor })).status).toBe(201)

  const clients = oldNodes.map((node, index) => startClient(node, cookie, `old node ${index + 1}`))
  clients.push(startClient(await startNode(), cookie, 'new node'))
  target.fail('shop')
  await waitUntil('the alert arrives', () => receiver.received.length === 1)
  target.recover('shop')
  await waitUntil('the recovery arrives', () => receiver.received.length === 2)
  await delay(SIDE_BY_SIDE_MS)
  await Promise.all(clients.map((client) => client.stop()))
  for (const { failures, requestCount } of clients) {
    expect(failures).toEqual([])
    expect(requestCount).toBeGreaterThan(100)
  }
  expect(receiver.received).toHaveLength(2)
  for (const node of nodes) expect(node.output()).not.toMatch(/"level":"error"/)
})
