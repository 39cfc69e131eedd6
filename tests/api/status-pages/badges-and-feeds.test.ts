import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNotFound } from '../../support/access.ts'
import type { Client } from '../../support/client.ts'
import type { TestServer } from '../../support/server.ts'
import { type StatusPageFixture, startStatusPageFixture } from './support.ts'

let fixture: StatusPageFixture
let server: TestServer
let anyone: Client
let shop: number
let api: number

beforeAll(async () => {
  fixture = await startStatusPageFixture()
  ;({ server } = fixture)
  ;({ anyone } = server)
  ;[shop, api] = fixture.monitorIds
  const groups = [{ name: 'Website', monitors: [{ monitor_id: shop, label: 'Our <shop>' }] }]
  await fixture.create({ slug: 'example', title: 'Example & Co', groups })
  await fixture.create({ slug: 'with-times', groups, show_response_times: true })
  await fixture.create({ slug: 'secret', groups, privacy: 1 })
  await fixture.create({ slug: 'locked', groups, privacy: 2, password: 'open sesame' })
})
afterAll(() => server.close())

const readTexts = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text)

describe('GET /status/{slug}/badge.svg', () => {
  it('shows the status of the page or of a monitor, with any text as its label', async () => {
    const page = await anyone.get('/status/example/badge.svg')
    expect(page.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
    expect(readTexts(page.text)).toEqual(['Example &amp; Co', 'no data'])
    const monitor = await anyone.get(`/status/example/${shop}/badge.svg?type=uptime&period=90d`)
    expect(readTexts(monitor.text)).toEqual(['uptime 90d', 'no data'])
    const label = '<script>"حالة"🎉'
    const { text } = await anyone.get(`/status/example/badge.svg?label=${encodeURIComponent(label)}`)
    expect(readTexts(text)[0]).toBe('&lt;script&gt;&quot;حالة&quot;🎉')
    expect((await anyone.get(`/status/example/badge.svg?label=${encodeURIComponent('🎉'.repeat(100))}`)).status).toBe(
      200,
    )
  })

  it('can be cached for a minute, has an ETag, and can be embedded in other websites', async () => {
    const { headers } = await anyone.get('/status/example/badge.svg?type=uptime')
    expect(headers.get('cache-control')).toMatch(/^public, max-age=60\b/)
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
    const etag = headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    const options = { headers: { 'if-none-match': etag } }
    expect((await anyone.call('GET', '/status/example/badge.svg?type=uptime', options)).status).toBe(304)
    expect((await anyone.call('GET', '/status/example/badge.svg', options)).status).toBe(200)
  })

  it.each([
    'type=weather',
    'period=1y',
    'theme=pink',
    'style=round',
    `label=${'a'.repeat(101)}`,
    'type=response_time&period=30d',
  ])('rejects %s', async (query) => {
    const { status, body } = await anyone.get(`/status/with-times/badge.svg?${query}`)
    expect(status).toBe(422)
    const field = query.split('&').at(-1)?.split('=')[0] ?? ''
    expect(Object.keys(body.errors)).toEqual([field])
  })

  it('shows response times only if the page shows them', async () => {
    expect((await anyone.get('/status/with-times/badge.svg?type=response_time')).status).toBe(200)
    const { status, body } = await anyone.get('/status/example/badge.svg?type=response_time')
    expect({ status, detail: body.detail }).toEqual({
      status: 404,
      detail: "This status page doesn't show response times.",
    })
  })

  it('has the same response for monitors that are not on the page and for monitors that do not exist', async () => {
    const missingMonitorResponse = await anyone.get('/status/example/999999/badge.svg?type=uptime')
    for (const id of [api, fixture.foreignMonitorId, 0, 'x'])
      expectNotFound(await anyone.get(`/status/example/${id}/badge.svg?type=uptime`), missingMonitorResponse)
  })
})

describe('feeds and JSON', () => {
  const types = {
    '.json': 'application/json; charset=utf-8',
    '.atom': 'application/atom+xml; charset=utf-8',
    '.rss': 'application/rss+xml; charset=utf-8',
    '/feed.json': 'application/feed+json; charset=utf-8',
  }

  it('have their content types and absolute URLs', async () => {
    for (const [suffix, type] of Object.entries(types)) {
      const { status, headers, text } = await anyone.get(`/status/example${suffix}`)
      expect({ suffix, status, type: headers.get('content-type') }).toEqual({ suffix, status: 200, type })
      expect(text).toContain('https://stats.example.com/belfry/status/example')
      expect(headers.get('etag')).toBeTruthy()
    }
    const { body } = await anyone.get('/status/example.json')
    expect(body.data.groups[0].monitors).toMatchObject([{ id: shop, label: 'Our <shop>', state: 'pending' }])
    expect(JSON.stringify(body)).not.toMatch(/response_ms|example\.com\/"|friendly_name/)
  })

  it('follow the privacy of the page, like badges', async () => {
    for (const suffix of [...Object.keys(types), '/badge.svg', `/${shop}/badge.svg`]) {
      expectNotFound(await anyone.get(`/status/secret${suffix}`), await anyone.get(`/status/missing${suffix}`))
      const lockedResponse = await anyone.get(`/status/locked${suffix}`)
      expect({ status: lockedResponse.status, code: lockedResponse.body.code }).toEqual({
        status: 401,
        code: 'password_required',
      })
      const ownersResponse = await fixture.owner.session.get(`/status/secret${suffix}`)
      expect(ownersResponse.status).toBe(200)
      expect(ownersResponse.headers.get('cache-control')).toBe('private, no-store')
    }
  })
})
