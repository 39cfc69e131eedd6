/** Runs the configurations of docs/proxies.md with real proxies in front of a real server. */
import { once } from 'node:events'
import { request as requestHttp } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { type RequestOptions, request } from 'node:https'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { MAX_BODY_BYTES } from '../src/http/body-parser.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import {
  type DocumentedProxy,
  readDocumentedConfig,
  startDocumentedProxy,
  tlsOptions,
} from './support/documented-proxies.ts'
import { openEventStream } from './support/event-stream-client.ts'
import { findFreePort } from './support/free-port.ts'
import { type HttpReceiver, startHttpReceiver } from './support/http-receiver.ts'
import { createMonitor } from './support/monitors.ts'
import { isInstalled, type ProxyProgram } from './support/proxy-programs.ts'
import { startTestServer, type TestServer, type TestUser } from './support/server.ts'
import { insertStatusPage } from './support/status-pages.ts'
import { browsers, createSite } from './support/traffic.ts'
import { createFakeWebBuild, type FakeWebBuild, parseBaseHref } from './support/web-build.ts'

const PROXY_ADDRESS = '127.0.0.1'
const VISITOR_ADDRESS = '127.0.0.5'
const host = 'stats.example.com'
const customDomain = 'status.example.com'
const atCustomDomain = { servername: customDomain, headers: { host: customDomain } }

let database: TestDatabase
let web: FakeWebBuild
/**
 * A server at the root of a host. Without BELFRY_URL, it takes the public address from the requests. It trusts the
 * proxies.
 */
let server: TestServer
/** A server below /belfry. It doesn't trust the proxies. */
let pathServer: TestServer
/** Another service on the same host. */
let website: HttpReceiver
let owner: TestUser
let proxy: DocumentedProxy | undefined

beforeAll(async () => {
  database = await createTestDatabase()
  web = await createFakeWebBuild()
  const options = { database, webFolder: web.folder }
  server = await startTestServer({ ...options, env: { BELFRY_TRUSTED_PROXIES: PROXY_ADDRESS } })
  const url = `https://${host}/belfry`
  pathServer = await startTestServer({ ...options, env: { BELFRY_URL: url, BELFRY_TRUSTED_PROXIES: '192.0.2.1' } })
  website = await startHttpReceiver()
  owner = await server.createUser('owner')
  await createSite(owner, 'visited.example.com')
  await createSite(owner, 'without-visitor.example.com', { exclude_ips: VISITOR_ADDRESS })
  await createSite(owner, 'without-proxy.example.com', { exclude_ips: PROXY_ADDRESS })
  await insertStatusPage(server.services.db, owner.id, { title: 'Status of the example', customDomain })
  await pathServer.services.customDomains.refresh(pathServer.services.db)
})
afterEach(async () => {
  await proxy?.close()
  proxy = undefined
})
afterAll(async () => {
  await server.close()
  await pathServer.close()
  await website.close()
  await database.drop()
  await web.remove()
})

const getTarget = ({ address }: TestServer) => new URL(address).host

async function start(name: ProxyProgram, config: string, targets: Record<string, string>): Promise<void> {
  proxy = await startDocumentedProxy(name, config, targets)
}

interface ProxyResponse {
  status: number
  headers: Headers
  text: string
}

interface Visit extends RequestOptions {
  body?: string
}

/** Sends a request as a visitor who also forges an address in X-Forwarded-For. */
async function visit(path: string, { body, headers, ...options }: Visit = {}): Promise<ProxyResponse> {
  const clientRequest = request({
    ...tlsOptions(host),
    port: proxy?.https,
    path,
    localAddress: VISITOR_ADDRESS,
    agent: false,
    headers: { host, accept: 'text/html', 'x-forwarded-for': '81.2.69.142', ...headers },
    ...(body !== undefined && { method: 'POST' }),
    ...options,
  }).end(body)
  const [response] = await once(clientRequest, 'response')
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  const fields = Object.entries(response.headers as Record<string, string | string[]>)
  return { status: response.statusCode, headers: new Headers(fields.map(([key, value]) => [key, String(value)])), text }
}

const json = { 'content-type': 'application/json' }

/** Returns the reason why the event didn't count, or "counted". */
async function sendView(prefix: string, domain: string): Promise<string> {
  const body = JSON.stringify({ n: 'pageview', u: `https://${domain}/`, d: domain })
  const headers = { ...json, 'user-agent': browsers.firefox.agent }
  const response = await visit(`${prefix}/api/event`, { body, headers })
  expect(response.status).toBe(202)
  return response.headers.get('x-belfry-dropped') ?? 'counted'
}

const signIn = async (prefix: string) => {
  const body = JSON.stringify({ email: owner.email, password: owner.password })
  // Browsers also send these headers.
  const headers = { ...json, origin: `https://${host}`, 'sec-fetch-site': 'same-origin' }
  const response = await visit(`${prefix}/api/session`, { body, headers })
  expect(response.status, response.text).toBe(200)
  return response.headers.get('set-cookie') ?? ''
}

/** Expects that the proxy passes an event on within 2 seconds. */
async function expectLiveUpdates(target: TestServer, prefix: string, cookie: string): Promise<void> {
  const directStream = await openEventStream(target.address, owner.session)
  const headers = { host, cookie: cookie.split(';', 1)[0], accept: 'text/event-stream', 'accept-encoding': 'gzip, br' }
  const stream = request({ ...tlsOptions(host), port: proxy?.https, path: `${prefix}/api/live`, agent: false, headers })
  const [response] = await once(stream.end(), 'response')
  expect([response.statusCode, response.headers['content-encoding']]).toEqual([200, undefined])
  let text = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const { id } = await createMonitor(owner.session)
  const isReported = () =>
    directStream.listData('monitors').some((monitors) => JSON.stringify(monitors).includes(`"id":${id},`))
  await vi.waitFor(() => expect(isReported()).toBe(true), { timeout: 15_000, interval: 20 })
  await vi.waitFor(() => expect(text).toContain(`"id":${id},`), { timeout: 2_000, interval: 20 })
  stream.destroy()
  await directStream.close()
}

async function expectHttp2(): Promise<void> {
  const session = connectHttp2(`https://${host}:${proxy?.https}`, { ...tlsOptions(host), ALPNProtocols: ['h2'] })
  const stream = session.request({ ':path': '/healthz', ':authority': host })
  const [headers] = await once(stream, 'response')
  expect(headers[':status']).toBe(200)
  session.close()
}

async function expectHttpsRedirect(): Promise<void> {
  const httpRequest = requestHttp({ host: PROXY_ADDRESS, port: proxy?.http, path: '/a?b=1', headers: { host } }).end()
  const [response] = await once(httpRequest, 'response')
  expect([301, 308]).toContain(response.statusCode)
  // Only Caddy knows that https has another port in this test.
  expect(response.headers.location.replace(`:${proxy?.https}`, '')).toBe(`https://${host}/a?b=1`)
}

const names = { nginx: 'nginx', caddy: 'Caddy', haproxy: 'HAProxy' } as const

describe.each(Object.entries(names) as [ProxyProgram, string][])('%s, as documented,', (program, name) => {
  it('serves Belfry and a custom domain at the root of a host', async ({ skip }) => {
    skip(!isInstalled(program), `${program} is not installed`)
    const root = readDocumentedConfig(`${name} at the root of a host`)
    // HAProxy needs no other configuration for a custom domain. Custom domains need BELFRY_URL.
    const status = program === 'haproxy' ? '' : readDocumentedConfig(`${name} and custom domains`)
    await start(program, root + status.replaceAll('127.0.0.1:3000', getTarget(pathServer)), {
      '127.0.0.1:3000': getTarget(server),
    })

    expect((await visit('/')).text).toContain(web.script)
    const cookie = await signIn('')
    expect(cookie).toMatch(/; Path=\/; .*Secure/)
    const createResponse = await visit('/api/v1/websites', {
      body: JSON.stringify({ domain: `${program}.example.com` }),
      headers: { ...json, cookie, origin: `https://${host}` },
    })
    expect(createResponse.headers.get('location')).toMatch(/^https:\/\/stats\.example\.com\/api\/v1\/websites\/\d+$/)
    expect(await sendView('', 'visited.example.com')).toBe('counted')
    expect(await sendView('', 'without-visitor.example.com')).toBe('ip')
    expect(await sendView('', 'without-proxy.example.com')).toBe('counted')
    await expectLiveUpdates(server, '', cookie)

    const largestBody = JSON.stringify({ email: 'x'.repeat(MAX_BODY_BYTES - '{"email":""}'.length) })
    const refusedResponse = await visit('/api/session', { body: largestBody, headers: json })
    expect([refusedResponse.status, refusedResponse.headers.get('content-type')]).toEqual([
      422,
      expect.stringMatching(/problem\+json/),
    ])
    await expectHttp2()
    await expectHttpsRedirect()

    if (program === 'haproxy') return
    expect((await visit('/', atCustomDomain)).text).toContain('Status of the example')
    expect((await visit('/sign-in', atCustomDomain)).status).toBe(404)
  })

  it('serves Belfry below a path', async ({ skip }) => {
    skip(!isInstalled(program), `${program} is not installed`)
    const path = readDocumentedConfig(`${name} below a path`)
    // Only HAProxy needs another line for custom domains if Belfry is below a path.
    const status = program === 'haproxy' ? readDocumentedConfig(`${name} and custom domains`) : ''
    const config = path.replace(/^ *use_backend/m, (line) => status + line)
    await start(program, config, {
      '127.0.0.1:3000': getTarget(pathServer),
      '127.0.0.1:8080': new URL(website.address).host,
      '/var/www/html': web.folder,
    })

    const redirect = await visit('/belfry?period=7d')
    expect([redirect.status, redirect.headers.get('location')]).toEqual([301, '/belfry/?period=7d'])
    expect(parseBaseHref((await visit('/belfry/')).text)).toBe('/belfry/')
    expect((await visit('/belfry2/healthz')).text).not.toContain('"status"')
    expect((await visit('/healthz')).text).not.toContain('"status"')
    const cookie = await signIn('/belfry')
    expect(cookie).toMatch(/; Path=\/belfry; .*Secure/)
    expect(await sendView('/belfry', 'visited.example.com')).toBe('counted')
    // This server doesn't trust the proxy, so visitors have the proxy's address.
    expect(await sendView('/belfry', 'without-visitor.example.com')).toBe('counted')
    expect(await sendView('/belfry', 'without-proxy.example.com')).toBe('ip')
    await expectLiveUpdates(pathServer, '/belfry', cookie)
    if (program === 'haproxy') expect((await visit('/', atCustomDomain)).text).toContain('Status of the example')
  })

  it('uses the second node if the first node is down', async ({ skip }) => {
    skip(!isInstalled(program), `${program} is not installed`)
    await start(program, readDocumentedConfig(`${name} with several nodes`), {
      '10.0.0.1:3000': getTarget(server),
      '10.0.0.2:3000': `127.0.0.1:${await findFreePort()}`,
    })
    for (let n = 0; n < 4; n++) expect((await visit('/healthz')).status).toBe(200)
    expect(await sendView('', 'without-visitor.example.com')).toBe('ip')
  })

  it('serves status pages from running nodes, even if no node is ready', async ({ skip }) => {
    skip(!isInstalled(program), `${program} is not installed`)
    const nodes = readDocumentedConfig(`${name} with several nodes`)
    // Of the configurations for several nodes, only that of nginx doesn't serve custom domains, so add one that does.
    // The test uses `pathServer`, because custom domains need BELFRY_URL.
    const domain = readDocumentedConfig('nginx and custom domains').replace('http://127.0.0.1:3000', 'http://belfry')
    pathServer.services.state.phase = 'starting'
    try {
      await start(program, program === 'nginx' ? nodes + domain : nodes, {
        '10.0.0.1:3000': getTarget(pathServer),
        '10.0.0.2:3000': `127.0.0.1:${await findFreePort()}`,
      })
      // Belfry gives every response an id, so a response without one comes from the proxy. nginx doesn't ask whether nodes are ready.
      const isFromProxy = async () => !(await visit('/b.js')).headers.has('x-request-id')
      const refusal = async () => expect(await isFromProxy()).toBe(program !== 'nginx')
      await vi.waitFor(refusal, { timeout: 20_000, interval: 100 })
      for (const path of ['/status/example', '/status/example.json', '/status/example/badge.svg'])
        expect((await visit(path)).status, path).toBe(200)
      expect((await visit('/', atCustomDomain)).text).toContain('Status of the example')
    } finally {
      pathServer.services.state.phase = 'running'
    }
    await vi.waitFor(async () => expect((await visit('/b.js')).status).toBe(200), { timeout: 20_000, interval: 100 })
  })
})
