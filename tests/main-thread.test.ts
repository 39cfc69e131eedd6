/**
 * Sends the most expensive values that we know to every operation, one at a time, and measures how long the server's thread is busy
 * without a break. While it is busy, nobody else gets a response. BELFRY_TURN_REPORT=1 prints the longest times.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type Dispatcher, Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFaultsRun } from './support/faults-run.ts'
import {
  createExpensiveValues,
  createGenericValue,
  expensiveBodies,
  expensiveForms,
  expensiveHeaders,
} from './support/fuzz/expensive-values.ts'
import { type FuzzOperation, listOperations } from './support/fuzz/requests.ts'
import { type JsonSchema, targetFields } from './support/fuzz/values.ts'
import { allowLoopbackOnly } from './support/loopback-only.ts'
import { createMonitor } from './support/monitors.ts'
import { startTestServer, type TestServer, type TestUser } from './support/server.ts'
import { TurnMeter } from './support/turn-meter.ts'

/** On the machines that we know, the longest turns take less than half of this. */
const MAX_TURN_MS = 50
/**
 * Only requests that take longer than this are repeated, to tell an expensive request from one during which Node
 * collected garbage or compiled code.
 */
const SUSPICIOUS_MS = 25
const MAX_REPEATS = 4
const MONITOR_COUNT = 500
/**
 * All operations parse forms and JSON in the same way, so each gets only some of the expensive bodies: every body is sent to one of
 * this many operations.
 */
const OPERATIONS_PER_BODY = isFaultsRun ? 8 : 24

let server: TestServer
let owner: TestUser
let target: Server
let httpConnections: Pool
let operations: FuzzOperation[]
let network: ReturnType<typeof allowLoopbackOnly>
let monitorIds: number[]
let ids: Record<string, number | string>
let expensiveValues: Record<string, readonly unknown[]>
const meter = new TurnMeter()

beforeAll(async () => {
  network = allowLoopbackOnly()
  target = createServer((request, response) => {
    const { headers = {}, body } = expensiveResponses[request.url ?? ''] ?? { body: 'ok' }
    response.writeHead(200, headers).end(body)
  }).listen(0, '127.0.0.1')
  await once(target, 'listening')
  const address = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
  server = await startTestServer({ env: { BELFRY_PRIVATE_TARGETS: '127.0.0.1' } })
  httpConnections = new Pool(server.address, { connections: 1 })
  const { paths } = (await server.anyone.get('/api/openapi.json')).body
  // PATCH takes the same fields as PUT.
  operations = listOperations(paths).filter(({ operationId }) => !operationId.startsWith('patch'))
  owner = await server.createUser('owner', { isAdmin: true })
  await createResources(address)
  expensiveValues = createExpensiveValues({
    targets: Object.keys(expensiveResponses).map((path) => address + path),
    monitorIds,
  })
})
afterAll(async () => {
  meter.stop()
  network.end()
  await httpConnections.close()
  await server.close()
  target.close()
})

/** What a monitored server can send. A check reads at most 1 MiB. */
const expensiveResponses: Record<string, { headers?: Record<string, string>; body: string | Buffer }> = {
  '/deep': { body: '['.repeat(1_000_000) },
  '/wide': { body: `[${'{},'.repeat(340_000)}0]` },
  '/nested': { body: `${'{"a":['.repeat(400)}0${']}'.repeat(400)}` },
  '/text': { headers: { 'content-type': 'text/plain; charset=gb18030' }, body: Buffer.alloc(1_000_000, 0x81) },
  '/bomb': { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(20_000_000)) },
  '/cookies': { headers: { 'set-cookie': 'a=b; '.repeat(1_500) }, body: 'ok' },
}

async function createResources(address: string): Promise<void> {
  const { session } = owner
  await server.services.db.query(
    `with created as (
       insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
         remind_every_minutes, status, status_changed_at, search_text, created_at, updated_at)
       select $1, 'Box ' || n, 'box-' || n || '.example.com', 'ping', 60, 2, 5, 0, 'up', $2, '', $2, $2
         from generate_series(1, $3::int) n returning user_id, id
     ), states as (insert into monitor_states (user_id, monitor_id) select user_id, id from created)
     insert into watches (user_id, monitor_id, started_at) select user_id, id, $2::timestamptz - interval '1 day' from created`,
    [owner.id, server.clock.now(), MONITOR_COUNT],
  )
  const rows = await server.services.db.query('select id from monitors order by id')
  monitorIds = rows.map(({ id }) => id)
  const post = async (path: string, body: object): Promise<number> => (await session.post(path, body)).body.data.id
  const heartbeat = await createMonitor(session, { url: undefined, type: 'heartbeat', heartbeat: { period: 60 } })
  const page = await post('/api/status-pages', {
    slug: 'page',
    title: 'Page',
    groups: [{ name: 'All', monitors: monitorIds.map((id) => ({ monitor_id: id })) }],
  })
  const text = { title: 'Outage', state: 'investigating', body: 'We are looking into it.' }
  const postId = await post(`/api/status-pages/${page}/posts`, text)
  ids = {
    '/api/monitors': (await createMonitor(session, { url: `${address}/wide` })).id,
    '/api/providers': await post('/api/providers', { provider_type: 'webhook', url: address }),
    '/api/v1/websites': await post('/api/v1/websites', { domain: 'first.example.org' }),
    '/api/v1/stats': 1,
    '/api/maintenances': await post('/api/maintenances', { title: 'Move', all_monitors: true, duration_seconds: 60 }),
    '/api/status-pages': page,
    '/api/status-post-templates': await post('/api/status-post-templates', { name: 'Outage', ...text }),
    '/api/keys': (await owner.withKey('monitors:read')).keyId,
    '/api/users': owner.id,
    '/beat': heartbeat.url.split('/').at(-1) ?? '',
    post_id: postId,
    update_id: await post(`/api/status-pages/${page}/posts/${postId}/updates`, { state: 'monitoring', body: 'Up.' }),
    slug: 'page',
    signal: 'start',
  }
  ids['/api/v1/stats'] = ids['/api/v1/websites'] as number
}

interface ExpensiveRequest {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | Buffer
  /** Describes the request in the report. */
  about: string
}

/** Deleting changes what later requests find, so these requests name things that don't exist. */
function fillPath({ method, path }: FuzzOperation): string {
  const [kind = ''] = /^\/api\/(?:v1\/)?[\w-]+|^\/beat/.exec(path) ?? []
  return path.replaceAll(/\{(\w+)\}/g, (_match, name) =>
    method === 'DELETE' ? '999999' : String(ids[name] ?? ids[kind] ?? 999_999),
  )
}

function hasField({ parameters = [], requestBody }: FuzzOperation, name: string): boolean {
  const { schema } = requestBody?.content['application/json'] ?? {}
  return (
    parameters.some((parameter) => parameter.in === 'query' && parameter.name === name) ||
    Object.hasOwn(schema?.properties ?? {}, name)
  )
}

/**
 * Operations with a field of the same name mostly share the code that reads it. So in `npm test`, up to this many of them take turns: each
 * gets a part of the values, and together they get all.
 */
const MAX_OPERATIONS_IN_TURN = 4

function listValues(name: string, operation: FuzzOperation): readonly unknown[] | undefined {
  const operationsWithField = operations.filter((other) => hasField(other, name))
  const turn = operationsWithField.indexOf(operation)
  const turnCount = isFaultsRun ? 1 : Math.min(MAX_OPERATIONS_IN_TURN, operationsWithField.length)
  return expensiveValues[name]?.filter((_, n) => (n + turn) % turnCount === 0)
}

const descriptions = new Map<unknown, string>()

/** Many operations send the same values, and some are a megabyte long. */
function describeValue(value: unknown): string {
  const description = descriptions.get(value) ?? (JSON.stringify(value) ?? '').slice(0, 60)
  descriptions.set(value, description)
  return description
}

function* listRequests(operation: FuzzOperation): Generator<ExpensiveRequest> {
  const { method, operationId, parameters = [], requestBody } = operation
  const path = fillPath(operation)
  const send = (about: string, request: Partial<ExpensiveRequest>) => ({ method, path, headers: {}, about, ...request })
  const requiredParameters = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const encode = (name: string, value: unknown) =>
    [value].flat().map((item) => `${name}=${encodeURIComponent(String(item).toWellFormed())}`)
  for (const { name, in: place } of parameters) {
    if (place !== 'query') continue
    const others = requiredParameters.filter((parameter) => parameter.name !== name)
    const query = others.flatMap(({ name: other, schema, example }) =>
      encode(other, example ?? schema.enum?.[0] ?? '1'),
    )
    for (const value of listValues(name, operation) ?? ['9'.repeat(7_000)]) {
      const text = [...query, ...encode(name, value)].join('&').slice(0, 14_000)
      yield send(`${operationId} ?${name}=${describeValue(value)}`, { path: `${path}?${text}` })
    }
  }
  for (const [contentType, { schema, example, examples = {} }] of Object.entries(requestBody?.content ?? {})) {
    const headers = { 'content-type': contentType }
    const someOf = (bodies: readonly string[]) =>
      bodies.filter((_, n) => n % OPERATIONS_PER_BODY === operations.indexOf(operation) % OPERATIONS_PER_BODY)
    if (contentType === 'application/x-www-form-urlencoded') {
      for (const body of someOf(expensiveForms))
        yield send(`${operationId} form ${body.slice(0, 20)}`, { headers, body })
    }
    if (contentType !== 'application/json') continue
    for (const body of someOf(expensiveBodies))
      yield send(`${operationId} body ${body.slice(0, 20)}`, { headers, body })
    const validBody = { ...((example ?? Object.values(examples)[0]?.value ?? {}) as object) }
    const withoutTargets = Object.fromEntries(Object.entries(validBody).filter(([name]) => !targetFields.has(name)))
    const safeTarget = 'url' in validBody ? { url: expensiveValues['url']?.[0] } : {}
    const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
    const genericValues = fields.map(([name, { type, maxLength }]) => [
      name,
      createGenericValue([type ?? 'string'].flat()[0], maxLength),
    ])
    yield send(`${operationId} generic values`, { headers, body: JSON.stringify(Object.fromEntries(genericValues)) })
    for (const [name] of fields) {
      for (const value of listValues(name, operation) ?? []) {
        const type = ['heartbeat', 'dns', 'tcp'].includes(name) ? { type: name } : {}
        const body = JSON.stringify({ ...withoutTargets, ...safeTarget, ...type, [name]: value })
        yield send(`${operationId} ${name}: ${describeValue(value)}`, { headers, body })
      }
    }
  }
}

async function measure({ method, path, headers, body }: ExpensiveRequest): Promise<number> {
  meter.take()
  const response = await httpConnections.request({
    method: method as Dispatcher.HttpMethod,
    path,
    headers: { cookie: `belfry_session=${owner.session.credentials.cookie}`, ...headers },
    body: body ?? null,
  })
  if (response.headers['content-type']?.includes('event-stream')) response.body.on('error', () => {}).destroy()
  else await response.body.dump({ limit: 100_000_000 })
  return meter.take()
}

/**
 * Repeats the request a few times, and returns the shortest of the longest turns: a longer turn that doesn't repeat has
 * another cause.
 */
async function measureRepeatedly(request: ExpensiveRequest): Promise<number> {
  let shortestMs = await measure(request)
  for (let n = 0; n < MAX_REPEATS && shortestMs > SUSPICIOUS_MS; n++) {
    // Some operations have limits per minute.
    server.clock.advance({ minutes: 1 })
    shortestMs = Math.min(shortestMs, await measure(request))
  }
  return shortestMs
}

async function expectShortTurns(requests: Iterable<ExpensiveRequest>): Promise<void> {
  const results: { about: string; turnMs: number }[] = []
  for (const request of requests) {
    server.clock.advance({ seconds: 1 })
    results.push({ about: request.about, turnMs: await measureRepeatedly(request) })
  }
  results.sort((a, b) => b.turnMs - a.turnMs)
  const format = ({ about, turnMs }: (typeof results)[number]) => `${turnMs.toFixed(1)} ms: ${about}`
  if (process.env['BELFRY_TURN_REPORT'] !== undefined)
    process.stdout.write(`${results.length} requests\n${results.slice(0, 40).map(format).join('\n')}\n`)
  expect(results.filter(({ turnMs }) => turnMs > MAX_TURN_MS).map(format)).toEqual([])
}

describe('the server is never busy for long', () => {
  it('with expensive values of every field of every operation', async () => {
    // The requests are created one by one, because all together would take hundreds of megabytes.
    await expectShortTurns(operations.values().flatMap(listRequests))
  }, 300_000)

  it('with expensive headers', async () => {
    const paths = ['/api/session', '/', '/b.js', '/status/page', '/healthz', '/api/v1/stats/1/overview', '/nothing']
    const event = JSON.stringify({ name: 'pageview', url: 'http://first.example.org/', domain: 'first.example.org' })
    const requests = [
      ...paths.map((path) => ({ method: 'GET', path })),
      { method: 'POST', path: '/api/event', body: event },
    ].flatMap((request) =>
      expensiveHeaders.map((headers) => ({
        ...request,
        headers: { 'content-type': 'application/json', ...headers },
        about: `${request.method} ${request.path} ${JSON.stringify(headers).slice(0, 60)}`,
      })),
    )
    await expectShortTurns(requests)
  }, 300_000)
})
