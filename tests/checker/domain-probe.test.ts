import type { ServerResponse } from 'node:http'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { RdapClientOptions } from '../../src/checker/probes/domain/client.ts'
import { openDomainProbe } from '../../src/checker/probes/domain/probe.ts'
import { defaultOptions } from '../../src/monitors/option-schemas.ts'
import { Guard } from '../../src/outgoing/guard.ts'
import { NO_PRIVATE_TARGETS } from '../../src/outgoing/private-targets.ts'
import { TestClock } from '../support/clock.ts'
import { serveHttp } from '../support/loopback-servers.ts'
import { createPermissiveGuard } from './probe-support.ts'

const clock = new TestClock()
beforeEach(() => clock.reset())

/** Returns a registration in the form that RDAP servers use. */
const describeDomain = (fields: object = {}) => ({
  objectClassName: 'domain',
  ldhName: 'EXAMPLE.COM',
  status: ['client transfer prohibited'],
  events: [
    { eventAction: 'registration', eventDate: '1995-08-14T04:00:00Z' },
    { eventAction: 'expiration', eventDate: '2026-08-13T04:00:00Z' },
    { eventAction: 'last changed', eventDate: '2025-08-14T07:01:34Z' },
  ],
  ...fields,
})

type Respond = (response: ServerResponse, path: string) => void

const sendJson =
  (body: unknown, status = 200, headers = {}): Respond =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/rdap+json', ...headers }).end(JSON.stringify(body))

/** Starts an RDAP server. Its responses can be changed during the test. */
async function startRegistry(respond: Respond) {
  const registry = { respond, paths: [] as string[], url: '', accept: '' }
  const { port } = await serveHttp((request, response) => {
    registry.paths.push(request.url ?? '')
    registry.accept = request.headers.accept ?? ''
    registry.respond(response, request.url ?? '')
  })
  registry.url = `http://127.0.0.1:${port}`
  return registry
}

function openProbe(operatorUrl: string | undefined, options: Partial<RdapClientOptions> = {}) {
  const probe = openDomainProbe({ guard: createPermissiveGuard(), clock, operatorUrl, requestGapMs: 0, ...options })
  onTestFinished(() => probe.close())
  return (domain = 'example.com', teamId = 1) =>
    probe.check({ type: 'domain', url: domain, teamId, timeoutMs: 5_000, domain: defaultOptions.domain })
}

async function checkOnce(respond: Respond) {
  const registry = await startRegistry(respond)
  return openProbe(`${registry.url}/rdap`)()
}

describe('the check of a domain', () => {
  it('reads when the registration expires', async () => {
    const registry = await startRegistry(sendJson(describeDomain()))
    expect(await openProbe(`${registry.url}/rdap`)()).toMatchObject({
      failure: null,
      note: null,
      expiresAt: new Date('2026-08-13T04:00:00Z'),
      responseMs: expect.any(Number),
      responded: true,
    })
    expect(registry).toMatchObject({ paths: ['/rdap/domain/example.com'], accept: 'application/rdap+json' })
  })

  it.each([
    ['has expired', sendJson(describeDomain()), 'Registration of example.com expired on 13 August 2026'],
    ['is not registered', sendJson({ errorCode: 404, title: 'Not found' }, 404), 'example.com is not registered'],
    ['is not registered', (response: ServerResponse) => response.writeHead(404).end(), 'example.com is not registered'],
    [
      'is in its redemption period',
      sendJson(describeDomain({ status: ['redemptionPeriod', 'pending delete'] })),
      'The registry is about to delete example.com (pending delete)',
    ],
    [
      'is on hold',
      sendJson(describeDomain({ status: ['active', 'client hold'] })),
      'The registrar has removed example.com from DNS (client hold)',
    ],
  ])('fails if the domain %s', async (_, respond, detail) => {
    clock.advance({ days: detail.includes('expired on') ? 300 : 0 })
    expect(await checkOnce(respond)).toMatchObject({ failure: { cause: 'domain', detail }, responded: true })
  })

  it.each([
    ['no events', describeDomain({ events: undefined })],
    ['no date', describeDomain({ events: [{ eventAction: 'expiration' }, null, 7, 'x'] })],
    ['a date that is none', describeDomain({ events: [{ eventAction: 'expiration', eventDate: 'soon' }] })],
    ['a date far away', describeDomain({ events: [{ eventAction: 'expiration', eventDate: '9999-12-31T00:00:00Z' }] })],
  ])('succeeds with a note if the registry publishes %s', async (_, body) => {
    expect(await checkOnce(sendJson(body))).toMatchObject({
      failure: null,
      note: 'The registry publishes no expiry date for example.com',
      expiresAt: null,
    })
  })

  it('says that the registry renewed the domain automatically, so the renewal may not be paid yet', async () => {
    const result = await checkOnce(sendJson(describeDomain({ status: ['auto renew period'] })))
    expect(result).toMatchObject({
      failure: null,
      note: expect.stringMatching(/^The registry has renewed example\.com/),
    })
  })

  it.each<[string, Respond, string]>([
    ['garbage', (response) => response.end('<html>'), 'sent no valid response about example.com'],
    ['nested garbage', (response) => response.end('['.repeat(100_000)), 'sent no valid response about example.com'],
    ['another kind of object', sendJson({ objectClassName: 'nameserver' }), 'sent no valid response about example.com'],
    ['another domain', sendJson(describeDomain({ ldhName: 'a.org' })), 'sent no valid response about example.com'],
    [
      'too much',
      sendJson(describeDomain({ remarks: 'x'.repeat(200_000) })),
      'sent no valid response about example.com',
    ],
    ['a web page with status 404', (response) => response.writeHead(404).end('<html>'), 'responded with status 404'],
    ['status 403', sendJson({}, 403), 'responded with status 403'],
    ['status 500', sendJson({}, 500), 'has a problem (status 500)'],
    ['no response', (response) => response.destroy(), "can't be reached: the server closed the connection"],
    [
      'a redirect to another scheme',
      sendJson({}, 302, { location: 'ftp://a.org/' }),
      'redirected to an address without TLS',
    ],
    ['a redirect to nowhere', sendJson({}, 302), 'redirected without a valid address'],
  ])('is inconclusive if the registry sends %s', async (_, respond, problem) => {
    expect(await checkOnce(respond)).toEqual({
      inconclusive: expect.stringMatching(/^The RDAP server 127\.0\.0\.1:\d+ /),
      retryAfterMs: expect.any(Number),
    })
    expect(await checkOnce(respond)).toMatchObject({ inconclusive: expect.stringContaining(problem) })
  })

  it('needs a registry that offers RDAP, unless the operator names a server', async () => {
    expect(await openProbe(undefined)('example.invalid')).toEqual({
      unsupported: 'The registry of example.invalid offers no RDAP',
    })
  })
})

describe('redirects of RDAP servers', () => {
  it('are followed, to other servers too, at most five times', async () => {
    const otherRegistry = await startRegistry(sendJson(describeDomain()))
    const registry = await startRegistry((response, path) => {
      const step = Number(/\d$/.exec(path)?.[0] ?? 0)
      const location = step < 4 ? `/step/${step + 1}` : `${otherRegistry.url}/com/domain/example.com`
      response.writeHead(302, { location }).end()
    })
    expect(await openProbe(registry.url)()).toMatchObject({ failure: null, expiresAt: expect.any(Date) })
    expect(registry.paths).toHaveLength(5)
    expect(otherRegistry.paths).toEqual(['/com/domain/example.com'])

    registry.respond = (response) => response.writeHead(301, { location: '/again' }).end()
    expect(await openProbe(registry.url)()).toMatchObject({
      inconclusive: expect.stringMatching(/redirected more than 5 times$/),
    })
  })

  it('must not lead to private addresses, which only the operator can choose', async () => {
    const privateRegistry = await startRegistry(sendJson(describeDomain()))
    const registry = await startRegistry((response) =>
      response.writeHead(302, { location: `${privateRegistry.url}/x` }).end(),
    )
    const check = openProbe(registry.url, { guard: new Guard(NO_PRIVATE_TARGETS) })
    expect(await check()).toMatchObject({
      inconclusive: expect.stringMatching(/can't be reached: 127\.0\.0\.1 is a loopback address/),
    })
    expect(registry.paths).toHaveLength(1)
    expect(privateRegistry.paths).toEqual([])
  })
})

describe('requests to a registry', () => {
  it('pause for as long as the registry demands', async () => {
    const registry = await startRegistry(sendJson({}, 429, { 'retry-after': '1800' }))
    const check = openProbe(registry.url, { requestGapMs: 100 })
    expect(await check()).toEqual({
      inconclusive: expect.stringMatching(/limits how often it can be asked$/),
      retryAfterMs: 1_800_000,
    })
    clock.advance({ minutes: 29 })
    // Checks of other domains don't ask the registry either. They end immediately instead of waiting for their turn.
    const results = await Promise.all(Array.from({ length: 200 }, (_, n) => check(`example-${n}.org`)))
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1)
    expect(results[0]).toEqual({
      inconclusive: expect.stringMatching(/limits how often it can be asked$/),
      retryAfterMs: 60_000,
    })
    expect(registry.paths).toHaveLength(1)
    clock.advance({ minutes: 1 })
    registry.respond = sendJson(describeDomain())
    expect(await check()).toMatchObject({ failure: null })
  })

  it('are shared by all users who monitor the same domain, for an hour', async () => {
    const registry = await startRegistry(sendJson(describeDomain()))
    const check = openProbe(registry.url)
    const results = await Promise.all(Array.from({ length: 100 }, (_, teamId) => check('example.com', teamId)))
    expect(results.filter((result) => 'responded' in result && result.responded)).toHaveLength(1)
    clock.advance({ minutes: 59 })
    expect(await check()).toMatchObject({ failure: null, expiresAt: expect.any(Date), responseMs: null })
    expect(registry.paths).toHaveLength(1)
    clock.advance({ minutes: 1 })
    await check()
    expect(registry.paths).toHaveLength(2)
  })

  it('are repeated by the retries of a failed check', async () => {
    const registry = await startRegistry(sendJson({}, 404))
    const check = openProbe(registry.url)
    await check()
    registry.respond = sendJson(describeDomain())
    clock.advance({ seconds: 5 })
    expect(await check()).toMatchObject({ failure: null })
  })

  it('are sent at most two at a time, and users take turns', async () => {
    let [openCount, maxOpenCount] = [0, 0]
    const registry = await startRegistry((response, path) => {
      maxOpenCount = Math.max(maxOpenCount, ++openCount)
      setTimeout(() => {
        openCount--
        sendJson(describeDomain({ ldhName: path.split('/').at(-1) }))(response, path)
      }, 20)
    })
    const check = openProbe(registry.url)
    const domains = ['a1.com', 'a2.com', 'a3.com', 'a4.com', 'a5.com']
    await Promise.all([...domains.map((domain) => check(domain, 1)), check('b.com', 2)])
    expect(maxOpenCount).toBe(2)
    expect(registry.paths.indexOf('/domain/b.com')).toBeLessThan(4)
  })
})
