/**
 * Sends random requests, generated from the OpenAPI document, and checks every response. Every run generates the same requests,
 * so that only a change of the code makes the test fail. BELFRY_FUZZ_SEED generates others, and BELFRY_FUZZ_REQUESTS sets how
 * many are sent.
 */
import { isIP } from 'node:net'
import { type Dispatcher, Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSession } from '../src/accounts/sign-in.ts'
import { removeBrackets } from '../src/lib/network-address.ts'
import { parseMonitorHost, parseTarget } from '../src/monitors/target.ts'
import type { Random } from '../src/traffic/demo/random.ts'
import { getSample, sampleKinds } from './support/channels.ts'
import { type FuzzResponse, findFault } from './support/fuzz/find-fault.ts'
import {
  type FuzzOperation,
  type FuzzRequest,
  type KnownIds,
  listOperations,
  RequestGenerator,
  toCurl,
} from './support/fuzz/requests.ts'
import { type FieldValues, pick } from './support/fuzz/values.ts'
import { type HttpReceiver, startHttpReceiver } from './support/http-receiver.ts'
import { allowLoopbackOnly } from './support/loopback-only.ts'
import { createMonitor } from './support/monitors.ts'
import { ResponseValidator } from './support/response-validator.ts'
import { startTestServer, type TestServer, type TestUser } from './support/server.ts'

const seed = Number(process.env['BELFRY_FUZZ_SEED'] ?? 1)
const requestCount = Number(process.env['BELFRY_FUZZ_REQUESTS'] ?? 1_800)
/** A busy machine sends fewer requests in this time. */
const maxSeconds = process.env['BELFRY_FUZZ_REQUESTS'] === undefined ? 8 : requestCount
const CONCURRENT_REQUESTS = 8
const MAX_FAULTS = 5

let server: TestServer
let receiver: HttpReceiver
let httpConnections: Pool
let validator: ResponseValidator
/** Requests to these paths need the token of a link, a code of an app, a signature of a passkey or an identity provider, or a second team. */
const needsProof =
  /^\/api\/(session\/|account\/(totp|passkeys|recovery-codes|identity|email|confirm-email)|password-reset\/confirm|confirm-email|invitations\/)|single-sign-on|\/move$/

let operations: FuzzOperation[]
let owner: TestUser
let network: ReturnType<typeof allowLoopbackOnly>

beforeAll(async () => {
  network = allowLoopbackOnly()
  receiver = await startHttpReceiver()
  receiver.respondWith(200, { ok: true })
  server = await startTestServer({
    env: {
      BELFRY_PRIVATE_TARGETS: '127.0.0.1',
      BELFRY_TELEGRAM_API: receiver.address,
      BELFRY_PUSHOVER_API: receiver.address,
      BELFRY_PAGERDUTY_API: receiver.address,
    },
  })
  httpConnections = new Pool(server.address, { connections: CONCURRENT_REQUESTS })
  const { body } = await server.anyone.get('/api/openapi.json')
  validator = new ResponseValidator(body)
  operations = listOperations(body.paths)
  owner = await server.createUser('owner')
})
afterAll(async () => {
  network.end()
  await httpConnections.close()
  await server.close()
  await receiver.close()
})

/** The URLs and hosts of monitors and webhooks. They are all on loopback, or the server refuses them. */
const listUrlsAndHosts = () => [
  receiver.address,
  `${receiver.address}/ä?q=%00`,
  'http://127.0.0.1:1/',
  'https://127.0.0.1:1/',
  'http://[::1]:1/',
  'http://0x7f.1:1/',
  '127.0.0.1',
  '127.0.0.1:1',
  receiver.address.replace('http:', 'tcp:'),
  '::1',
  '',
  'http://',
  'http://127.0.0.1:99999/',
  'http://user:password@127.0.0.1/',
  'http://127.0.0.1\\@127.0.0.1/',
  'http://127.0.0.1/\0',
  'http://127.0.0.1/\ud800',
  ' http://127.0.0.1:1/ ',
  'javascript:alert(1)',
  'ftp://127.0.0.1/',
  `http://127.0.0.1:1/${'a'.repeat(2_100)}`,
]

/** The fields of channels that contain the address of the receiver. */
const addressFields = ['url', 'webhook_url', 'server', 'homeserver']

/** Creates a few resources of every kind. Requests delete them, and create others. */
async function createKnownIds(): Promise<KnownIds> {
  const ids = {
    monitors: [] as number[],
    channels: [] as number[],
    websites: [] as number[],
    keys: [] as number[],
    users: [] as number[],
    statusPages: [] as number[],
    posts: [] as number[],
    updates: [] as number[],
    templates: [] as number[],
  }
  const { session } = owner
  for (const kind of sampleKinds) {
    const channel = Object.fromEntries(
      Object.entries(getSample(kind)).map(([name, value]) => [
        name,
        addressFields.includes(name) ? receiver.address : value,
      ]),
    )
    ids.channels.push((await session.post('/api/providers', channel)).body.data.id)
  }
  for (let n = 0; n < 4; n++) {
    ids.monitors.push((await createMonitor(session, { url: receiver.address })).id)
    const website = { domain: `first-${n}.example.org`, privacy: n % 3, password: owner.password }
    ids.websites.push((await session.post('/api/v1/websites', website)).body.data.id)
    ids.keys.push((await owner.withKey('monitors:read')).keyId)
    ids.users.push((await server.createUser(`disposable-${n}`)).id)
  }
  // A request picks a page and a post independently, so there is only one page.
  const statusPage = await session.post('/api/status-pages', { slug: 'first', title: 'First' })
  const postsPath = `/api/status-pages/${statusPage.body.data.id}/posts`
  ids.statusPages.push(statusPage.body.data.id)
  for (let n = 0; n < 4; n++) {
    const post = { title: 'Outage', state: 'investigating', body: 'We are looking into it.' }
    const { data } = (await session.post(postsPath, post)).body
    ids.posts.push(data.id)
    const template = await session.post('/api/status-post-templates', { name: `Outage ${n}`, ...post })
    ids.templates.push(template.body.data.id)
    const update = { state: 'monitoring', body: 'It works again.' }
    ids.updates.push((await session.post(`${postsPath}/${data.id}/updates`, update)).body.data.id)
  }
  const heartbeat = await createMonitor(session, { url: undefined, type: 'heartbeat', heartbeat: { period: 60 } })
  return {
    '/beat': heartbeat.url.split('/').slice(-1),
    '/api/monitors': ids.monitors,
    '/api/providers': ids.channels,
    '/api/v1/websites': ids.websites,
    '/api/keys': ids.keys,
    '/api/users': ids.users,
    '/api/status-pages': ids.statusPages,
    '/api/status-post-templates': ids.templates,
    post_id: ids.posts,
    update_id: ids.updates,
  }
}

function createFieldValues(ids: KnownIds): FieldValues {
  const oneOf = (kind: string) => (random: Random) => pick(random, [...(ids[kind] ?? []), 999_999])
  const someOf = (kind: string) => (random: Random) => [oneOf(kind)(random), oneOf(kind)(random)]
  const target = (random: Random) => pick(random, [receiver.address, receiver.address, ...listUrlsAndHosts()])
  const password = () => owner.password
  const drawUniqueNumber = (random: Random) => Math.floor(random() * 1e9)
  return {
    ...Object.fromEntries(addressFields.map((name) => [name, target])),
    resolver: () => '127.0.0.1:1',
    host: (random) => pick(random, ['127.0.0.1', '::1', 'localhost', '127.0.0.1:25', '-']),
    // The targets are IP addresses, which only a PTR query accepts. Without PTR, no check asks the DNS servers of this
    // machine.
    record: (random) => pick(random, ['A', 'MX', 'TXT', 'CAA']),
    monitor_id: oneOf('/api/monitors'),
    provider_id: oneOf('/api/providers'),
    monitor: oneOf('/api/monitors'),
    website: oneOf('/api/v1/websites'),
    monitor_ids: someOf('/api/monitors'),
    ids: someOf('/api/monitors'),
    // The server connects to a custom domain to check it, and no valid custom domain can be on loopback.
    custom_domain: (random) => pick(random, [null, '', '127.0.0.1', 'localhost', 'https://127.0.0.1/', '[::1]']),
    slug: (random) => `page-${drawUniqueNumber(random)}`,
    domain: (random) => `site-${drawUniqueNumber(random)}.example.org`,
    email: (random) => (random() < 0.5 ? owner.email : `user-${drawUniqueNumber(random)}@example.org`),
    password,
    current_password: password,
    new_password: password,
  }
}

const withSession = (token = '') => ({ cookie: `belfry_session=${token}` })
const withKey = ({ credentials }: TestUser['session']) => ({ authorization: `Bearer ${credentials.key}` })

interface FuzzCaller {
  headers: Record<string, string>
  /** Starts a new session after the caller has signed out. */
  renew?: () => Promise<Record<string, string>>
}

async function createCallers(): Promise<Record<string, FuzzCaller>> {
  const inSession = ({ id, session }: TestUser): FuzzCaller => ({
    headers: withSession(session.credentials.cookie),
    renew: async () => withSession(await startSession(server.services.db, id, server.clock)),
  })
  return {
    owner: inSession(owner),
    "owner's key": { headers: withKey(await owner.withKey()) },
    "owner's other key": { headers: withKey(await owner.withKey()) },
    'key with few scopes': { headers: withKey(await owner.withKey('monitors:read', 'websites:read')) },
    stranger: inSession(await server.createUser('stranger')),
    admin: inSession(await server.createUser('admin', { isAdmin: true })),
    nobody: { headers: {} },
    'malformed credentials': { headers: { authorization: 'Bearer bf_%00', cookie: 'belfry_session=%zz; =; a' } },
  }
}

async function send({ method, path, headers, body }: FuzzRequest): Promise<FuzzResponse> {
  const response = await httpConnections.request({
    method: method as Dispatcher.HttpMethod,
    path,
    headers,
    body: method === 'HEAD' ? null : (body ?? null),
  })
  const responseHeaders = response.headers as FuzzResponse['headers']
  const isStream = responseHeaders['content-type']?.startsWith('text/event-stream') === true
  if (isStream) response.body.on('error', () => {}).destroy()
  return { status: response.statusCode, headers: responseHeaders, text: isStream ? '' : await response.body.text() }
}

describe('random requests', () => {
  it('have no valid target outside this machine', () => {
    for (const target of listUrlsAndHosts()) {
      for (const type of ['http', 'ping', 'tcp', 'dns', 'tls', 'domain'] as const) {
        const result = parseTarget(target, type)
        if (!('value' in result)) continue
        const host = removeBrackets(parseMonitorHost({ type, url: result.value }) ?? result.value)
        expect([target, isIP(host) !== 0 && /^(127\.|::1$)/.test(host)]).toEqual([target, true])
      }
    }
  })

  it('get responses that the OpenAPI document allows', async () => {
    const ids = await createKnownIds()
    const callers = await createCallers()
    const reachableCount = operations.filter(({ path }) => !needsProof.test(path)).length
    const generator = new RequestGenerator({ operations, seed, fieldValues: createFieldValues(ids), ids })
    const faults: string[] = []
    const succeededOperations = new Set<string>()
    const deadline = performance.now() + maxSeconds * 1000
    let sentCount = 0

    async function sendOne(number: number): Promise<void> {
      const request = generator.generate(number, callers)
      const { operationId, method, path } = request
      const response = await send(request)
      const fault = findFault(request, response, validator)
      if (fault !== undefined)
        faults.push(`${fault}\n${toCurl(server.address, request)}\n→ ${response.status} ${response.text.slice(0, 500)}`)
      if (response.status >= 300) return
      succeededOperations.add(operationId)
      const caller = callers[request.caller]
      if (operationId === 'signOut' && caller?.renew) caller.headers = await caller.renew()
      if (response.status === 201 && method === 'POST')
        ids[path.split(/[?]/, 1)[0] ?? '']?.push(JSON.parse(response.text).data.id)
    }

    async function work(): Promise<void> {
      // A busy machine gets more time, until the requests have covered enough operations.
      const isOver = () => performance.now() >= deadline && succeededOperations.size > reachableCount / 2
      while (sentCount < requestCount && faults.length < MAX_FAULTS && !isOver()) {
        const number = sentCount++
        // If the time stood still, the server's limits per minute would refuse most requests.
        if (number % 10 === 0) server.clock.advance({ seconds: 1 })
        await sendOne(number)
      }
    }

    await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, work))
    expect(faults, `BELFRY_FUZZ_SEED=${seed}`).toEqual([])
    // If most requests were rejected, the test would not cover what operations do.
    expect(succeededOperations.size).toBeGreaterThan(reachableCount / 2)
  }, 3_600_000)

  it('have connected to nothing outside this machine', () => {
    expect(network.attempts).toEqual([])
  })
})
