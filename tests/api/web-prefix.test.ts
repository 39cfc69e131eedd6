import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClientResponse } from '../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createFakeWebBuild, type FakeWebBuild, parseBaseHref, parseBootData } from '../support/web-build.ts'
import { websitesPath } from '../support/websites.ts'

let web: FakeWebBuild
let server: TestServer
let owner: TestUser

const url = 'https://example.com/belfry'
const fromBrowser = { headers: { accept: 'text/html' } }

beforeAll(async () => {
  web = await createFakeWebBuild()
  server = await startTestServer({ webFolder: web.folder, env: { BELFRY_URL: url, BELFRY_PRIVATE_TARGETS: 'allow' } })
  owner = await server.createUser('owner')
  await owner.session.post(websitesPath, { domain: 'example.com', privacy: 2, password: 'open sesame' })
})
afterAll(async () => {
  await server.close()
  await web.remove()
})

const getCookies = (response: ClientResponse) => response.headers.getSetCookie()

describe.each([
  ['keeps the prefix', '/belfry'],
  ['strips the prefix', ''],
])('a server behind a proxy that %s', (_name, prefix) => {
  it('uses the prefix in the URLs of pages', async () => {
    for (const path of ['/', '/monitors/12/edit', '/nothing/at/all']) {
      const { text } = await owner.session.get(prefix + path, fromBrowser)
      expect(parseBaseHref(text)).toBe('/belfry/')
      expect(parseBootData(text)).toMatchObject({ base_url: url, user: { email: owner.email } })
    }
    expect((await server.anyone.get(`${prefix}/assets/${web.script}`)).status).toBe(200)
    expect((await server.anyone.get(`${prefix}/icon.svg`)).status).toBe(200)
    expect((await server.anyone.get(`${prefix}/b.js`)).status).toBe(200)
    expect((await server.anyone.get(`${prefix}/docs`)).text).toContain('data-url="api/openapi.json"')
    expect((await server.anyone.get(`${prefix}/setup?token=x`)).status).toBe(403)
    expect((await server.anyone.get(`${prefix}/healthz`)).status).toBe(200)
  })

  it('uses the prefix in links and redirects', async () => {
    const createResponse = await owner.session.post(`${prefix}${websitesPath}`, {
      domain: `created${prefix.length}.example.com`,
    })
    expect(createResponse.headers.get('location')).toBe(`${url}${websitesPath}/${createResponse.body.data.id}`)
    const list = await owner.session.get(`${prefix}${websitesPath}?search=created&page=1`)
    expect(list.body.links.first).toBe(`${url}${websitesPath}?search=created&page=1`)
    // The redirect is relative, so that it works with and without the prefix.
    const redirect = await server.anyone.get(`${prefix}/WWW.example.com`, fromBrowser)
    expect([redirect.status, redirect.headers.get('location')]).toEqual([301, './example.com'])
    expect((await server.anyone.get(`${prefix}/api/openapi.json`)).body.servers).toEqual([{ url }])
  })

  it('limits cookies to the prefix', async () => {
    const { email, password } = owner
    const signInResponse = await server.anyone.post(`${prefix}/api/session`, { email, password })
    expect(getCookies(signInResponse)).toEqual([
      expect.stringMatching(/^belfry_session=[^;]+; Max-Age=\d+; Path=\/belfry; /),
    ])
    const cookie = getCookies(signInResponse)[0]?.split(/[=;]/)[1] ?? ''
    const signOutResponse = await server.anyone.as({ cookie }).delete(`${prefix}/api/session`)
    expect(getCookies(signOutResponse)).toEqual([
      expect.stringMatching(/^belfry_session=; Max-Age=0; .*Path=\/belfry; /),
    ])

    const { id } = parseBootData((await server.anyone.get(`${prefix}/example.com`, fromBrowser)).text).website
    const unlockResponse = await server.anyone.post(`${prefix}/api/v1/stats/${id}/unlock`, { password: 'open sesame' })
    expect(getCookies(unlockResponse)).toEqual([expect.stringContaining('; Path=/belfry; ')])
  })

  it('accepts events', async () => {
    const event = { n: 'pageview', u: 'https://example.com/', d: 'example.com' }
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
    const response = await server.anyone.post(`${prefix}/api/event`, event, { headers })
    expect([response.status, response.headers.get('x-belfry-dropped')]).toEqual([202, null])
    // Events take a fast path that bypasses Fastify. Fastify would have added this header.
    expect(response.headers.get('content-security-policy')).toBe(null)
  })
})

describe('the prefix', () => {
  it('redirects to add a trailing slash', async () => {
    for (const [path, location] of [
      ['/belfry', '/belfry/'],
      ['/belfry?period=7d', '/belfry/?period=7d'],
    ] as const) {
      const response = await server.anyone.get(path, fromBrowser)
      expect([response.status, response.headers.get('location')]).toEqual([301, location])
    }
  })

  it('does not match paths that only start with the same letters', async () => {
    expect((await server.anyone.get('/belfry2/api/session')).status).toBe(404)
    expect((await server.anyone.get('/belfry/belfry/healthz')).status).toBe(404)
  })
})
