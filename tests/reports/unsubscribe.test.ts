/** Unsubscribing with the link in the email. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createUnsubscribeToken } from '../../src/reports/unsubscribe.ts'
import { BASE_URL, type ReportFixture, startReportFixture } from '../support/reports.ts'

let fixture: ReportFixture
let websiteId: number
let unsubscribePath: string
let siteCount = 0

beforeAll(async () => {
  fixture = await startReportFixture()
})
afterAll(() => fixture.close())

beforeEach(async () => {
  websiteId = await fixture.createWebsite({ domain: `site-${++siteCount}.example.com` })
  unsubscribePath = `/api/unsubscribe?token=${createUnsubscribeToken(fixture.server.services.secret, websiteId)}`
})
afterEach(() => fixture.clock.advance({ minutes: 1 }))

const getWebsite = async () => (await fixture.owner.session.get(`/api/v1/websites/${websiteId}`)).body.data

/** Unsubscribes as a mail program does: its request has neither a cookie nor an Origin header. */
const unsubscribe = (body: string | undefined, type: string | undefined, headers: Record<string, string> = {}) =>
  fixture.server.anyone.call('POST', unsubscribePath, {
    ...(body !== undefined && { body }),
    headers: { ...(type !== undefined && { 'content-type': type }), ...headers },
  })

const multipartBody = [
  '--b',
  'Content-Disposition: form-data; name="List-Unsubscribe"',
  '',
  'One-Click',
  '--b--',
  '',
].join('\r\n')

describe('one-click unsubscribe', () => {
  it.each([
    ['a form', 'List-Unsubscribe=One-Click', 'application/x-www-form-urlencoded'],
    ['a multipart form', multipartBody, 'multipart/form-data; boundary=b'],
    ['text', 'List-Unsubscribe=One-Click', 'text/plain'],
    ['invalid JSON', '{', 'application/json'],
    ['an empty request', undefined, undefined],
  ])('works with %s', async (_case, body, type) => {
    fixture.clock.advance({ hours: 1 })
    const { status, headers } = await unsubscribe(body, type)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await getWebsite()).toMatchObject({ email: 0, updated_at: fixture.clock.now().toISOString() })
    expect(await fixture.getDueAt(websiteId)).toBeNull()
  })

  it('works from any origin, signed in or not', async () => {
    const { status } = await unsubscribe('List-Unsubscribe=One-Click', 'application/x-www-form-urlencoded', {
      origin: 'https://mail.example.net',
      'sec-fetch-site': 'cross-site',
      cookie: 'belfry_session=nonsense',
    })
    expect([status, (await getWebsite()).email]).toEqual([200, 0])
  })

  it('changes nothing the second time', async () => {
    await unsubscribe(undefined, undefined)
    const { updated_at } = await getWebsite()
    fixture.clock.advance({ hours: 1 })
    expect((await unsubscribe(undefined, undefined)).status).toBe(200)
    expect(await getWebsite()).toMatchObject({ email: 0, updated_at })
  })

  it.each([
    ['without a token', () => '/api/unsubscribe'],
    ['with a wrong token', () => `${unsubscribePath}x`],
    ['with the id of another website', () => unsubscribePath.replace(`token=${websiteId}.`, `token=${websiteId + 1}.`)],
  ])('is rejected %s', async (_case, getInvalidPath) => {
    for (const method of ['POST', 'GET']) {
      const { status, text } = await fixture.server.anyone.call(method, getInvalidPath())
      expect([status, text.includes('Invalid link')]).toEqual([404, true])
    }
    expect((await getWebsite()).email).toBe(1)
  })

  it('is rejected for a deleted website', async () => {
    await fixture.owner.session.delete(`/api/v1/websites/${websiteId}`)
    expect((await unsubscribe(undefined, undefined)).status).toBe(404)
  })

  it('is rejected with a body that is too large', async () => {
    expect((await unsubscribe('x'.repeat(1_048_577), 'text/plain')).status).toBe(413)
  })
})

describe('the unsubscribe page', () => {
  it('changes nothing until its button is clicked', async () => {
    const { status, text, headers } = await fixture.server.anyone.get(unsubscribePath)
    expect(status).toBe(200)
    expect(text).toContain(`Weekly report for site-${siteCount}.example.com`)
    expect(text).toContain('<form method="post"><button>Unsubscribe</button></form>')
    expect(headers.get('content-security-policy')).toContain("form-action 'self'")
    expect((await fixture.server.anyone.call('HEAD', unsubscribePath)).status).toBe(200)
    expect((await getWebsite()).email).toBe(1)
  })

  it('confirms, and says how to turn reports on again', async () => {
    const { text } = await unsubscribe('', 'application/x-www-form-urlencoded')
    expect(text).toContain(`You will no longer receive weekly reports for site-${siteCount}.example.com.`)
    expect(text).toContain('You can turn them on again')
    const links = [...text.matchAll(/<a href="([^"]*)"/g)].map(
      ([, to = '']) => new URL(to, `${BASE_URL}/belfry${unsubscribePath}`).href,
    )
    expect(links).toEqual([`${BASE_URL}/belfry/site-${siteCount}.example.com/settings`])
    expect(text).not.toMatch(/<code|<form/)
  })
})
