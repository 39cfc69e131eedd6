import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type WebBuild, parseBaseHref, parseBootData, createWebBuild } from '../support/web-build.ts'
import type { Answer } from '../support/client.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { path as websites } from '../support/websites.ts'

let web: WebBuild
let server: TestServer
let owner: Person

const url = 'https://example.com/belfry'
const asPerson = { headers: { accept: 'text/html' } }

beforeAll(async () => {
  web = await createWebBuild()
  server = await startTestServer({ webFolder: web.folder, env: { BELFRY_URL: url, BELFRY_PRIVATE_TARGETS: 'allow' } })
  owner = await server.person('owner')
  await owner.session.post(websites, { domain: 'example.com', privacy: 2, password: 'open sesame' })
})
afterAll(async () => {
  await server.close()
  await web.remove()
})

const cookiesOf = (answer: Answer) => answer.headers.getSetCookie()

describe.each([
  ['leaves the prefix on', '/belfry'],
  ['takes the prefix off', ''],
])('behind a proxy that %s', (_name, prefix) => {
  it('shows pages whose addresses have it', async () => {
    for (const path of ['/', '/monitors/12/edit', '/nothing/at/all']) {
      const { text } = await owner.session.get(prefix + path, asPerson)
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

  it('leads to where people are', async () => {
    const made = await owner.session.post(`${prefix}${websites}`, { domain: `made${prefix.length}.example.com` })
    expect(made.headers.get('location')).toBe(`${url}${websites}/${made.body.data.id}`)
    const list = await owner.session.get(`${prefix}${websites}?search=made&page=1`)
    expect(list.body.links.first).toBe(`${url}${websites}?search=made&page=1`)
    // Relative, so that it is right with the prefix and without.
    const moved = await server.anyone.get(`${prefix}/WWW.example.com`, asPerson)
    expect([moved.status, moved.headers.get('location')]).toEqual([301, './example.com'])
    expect((await server.anyone.get(`${prefix}/api/openapi.json`)).body.servers).toEqual([{ url }])
  })

  it('keeps its cookies to itself', async () => {
    const { email, password } = owner
    const signedIn = await server.anyone.post(`${prefix}/api/session`, { email, password })
    expect(cookiesOf(signedIn)).toEqual([expect.stringMatching(/^belfry_session=[^;]+; Max-Age=\d+; Path=\/belfry; /)])
    const cookie = cookiesOf(signedIn)[0]?.split(/[=;]/)[1] ?? ''
    const signedOut = await server.anyone.as({ cookie }).delete(`${prefix}/api/session`)
    expect(cookiesOf(signedOut)).toEqual([expect.stringMatching(/^belfry_session=; Max-Age=0; .*Path=\/belfry; /)])

    const { id } = parseBootData((await server.anyone.get(`${prefix}/example.com`, asPerson)).text).website
    const unlocked = await server.anyone.post(`${prefix}/api/v1/stats/${id}/unlock`, { password: 'open sesame' })
    expect(cookiesOf(unlocked)).toEqual([expect.stringContaining('; Path=/belfry; ')])
  })

  it('takes events', async () => {
    const event = { n: 'pageview', u: 'https://example.com/', d: 'example.com' }
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
    const answer = await server.anyone.post(`${prefix}/api/event`, event, { headers })
    expect([answer.status, answer.headers.get('x-belfry-dropped')]).toEqual([202, null])
    // Past Fastify, which would have added this.
    expect(answer.headers.get('content-security-policy')).toBe(null)
  })
})

describe('the prefix', () => {
  it('without its slash leads to the one with it', async () => {
    for (const [path, location] of [
      ['/belfry', '/belfry/'],
      ['/belfry?period=7d', '/belfry/?period=7d'],
    ] as const) {
      const answer = await server.anyone.get(path, asPerson)
      expect([answer.status, answer.headers.get('location')]).toEqual([301, location])
    }
  })

  it('is not what merely begins like it', async () => {
    expect((await server.anyone.get('/belfry2/api/session')).status).toBe(404)
    expect((await server.anyone.get('/belfry/belfry/healthz')).status).toBe(404)
  })
})
