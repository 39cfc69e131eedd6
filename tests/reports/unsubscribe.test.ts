/** Unsubscribing with the link in the email. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createUnsubscribeToken } from '../../src/traffic/reports/unsubscribe.ts'
import { BASE_URL, type ReportFixture, startReportFixture } from '../support/reports.ts'

let fixture: ReportFixture
let id: number
let path: string
let count = 0

beforeAll(async () => {
  fixture = await startReportFixture()
})
afterAll(() => fixture.close())

beforeEach(async () => {
  id = await fixture.createWebsite({ domain: `site-${++count}.example.com` })
  path = `/api/unsubscribe?token=${createUnsubscribeToken(fixture.server.services.secret, id)}`
})
afterEach(() => fixture.clock.advance({ minutes: 1 }))

const website = async () => (await fixture.owner.session.get(`/api/v1/websites/${id}`)).body.data

/** Like a mail provider: without cookie and origin. */
const click = (body: string | undefined, type: string | undefined, headers: Record<string, string> = {}) =>
  fixture.server.anyone.call('POST', path, {
    ...(body !== undefined && { body }),
    headers: { ...(type !== undefined && { 'content-type': type }), ...headers },
  })

const multipart = ['--b', 'Content-Disposition: form-data; name="List-Unsubscribe"', '', 'One-Click', '--b--', ''].join(
  '\r\n',
)

describe('one-click unsubscribe', () => {
  it.each([
    ['a form', 'List-Unsubscribe=One-Click', 'application/x-www-form-urlencoded'],
    ['a multipart form', multipart, 'multipart/form-data; boundary=b'],
    ['text', 'List-Unsubscribe=One-Click', 'text/plain'],
    ['invalid JSON', '{', 'application/json'],
    ['an empty request', undefined, undefined],
  ])('works with %s', async (_what, body, type) => {
    fixture.clock.advance({ hours: 1 })
    const { status, headers } = await click(body, type)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await website()).toMatchObject({ email: 0, updated_at: fixture.clock.now().toISOString() })
    expect(await fixture.dueAt(id)).toBeNull()
  })

  it('works from any origin, signed in or not', async () => {
    const { status } = await click('List-Unsubscribe=One-Click', 'application/x-www-form-urlencoded', {
      origin: 'https://mail.example.net',
      'sec-fetch-site': 'cross-site',
      cookie: 'belfry_session=nonsense',
    })
    expect([status, (await website()).email]).toEqual([200, 0])
  })

  it('changes nothing the second time', async () => {
    await click(undefined, undefined)
    const { updated_at } = await website()
    fixture.clock.advance({ hours: 1 })
    expect((await click(undefined, undefined)).status).toBe(200)
    expect(await website()).toMatchObject({ email: 0, updated_at })
  })

  it.each([
    ['without a token', () => '/api/unsubscribe'],
    ['with a wrong token', () => `${path}x`],
    ['with the id of another website', () => path.replace(`token=${id}.`, `token=${id + 1}.`)],
  ])('is rejected %s', async (_what, wrong) => {
    for (const method of ['POST', 'GET']) {
      const { status, text } = await fixture.server.anyone.call(method, wrong())
      expect([status, text.includes('Invalid link')]).toEqual([404, true])
    }
    expect((await website()).email).toBe(1)
  })

  it('is rejected for a deleted website', async () => {
    await fixture.owner.session.delete(`/api/v1/websites/${id}`)
    expect((await click(undefined, undefined)).status).toBe(404)
  })

  it('is rejected with a body that is too large', async () => {
    expect((await click('x'.repeat(1_048_577), 'text/plain')).status).toBe(413)
  })
})

describe('the unsubscribe page', () => {
  it('changes nothing until its button is clicked', async () => {
    const { status, text, headers } = await fixture.server.anyone.get(path)
    expect(status).toBe(200)
    expect(text).toContain(`Weekly report for site-${count}.example.com`)
    expect(text).toContain('<form method="post"><button>Unsubscribe</button></form>')
    expect(headers.get('content-security-policy')).toContain("form-action 'self'")
    expect((await fixture.server.anyone.call('HEAD', path)).status).toBe(200)
    expect((await website()).email).toBe(1)
  })

  it('confirms, and says how to turn reports on again', async () => {
    const { text } = await click('', 'application/x-www-form-urlencoded')
    expect(text).toContain(`You won't receive weekly reports for site-${count}.example.com any more.`)
    expect(text).toContain('You can turn them on again')
    const links = [...text.matchAll(/<a href="([^"]*)"/g)].map(
      ([, to = '']) => new URL(to, `${BASE_URL}/belfry${path}`).href,
    )
    expect(links).toEqual([`${BASE_URL}/belfry/site-${count}.example.com/settings`])
    expect(text).not.toMatch(/<code|<form/)
  })
})
