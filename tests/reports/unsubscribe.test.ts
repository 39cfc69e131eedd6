/** Switching a report off from the letter. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { unsubscribeToken } from '../../src/traffic/reports/unsubscribe.ts'
import { BASE, type Reporting, startReporting } from '../support/reports.ts'

let reporting: Reporting
let id: number
let path: string
let count = 0

beforeAll(async () => {
  reporting = await startReporting()
})
afterAll(() => reporting.close())

beforeEach(async () => {
  id = await reporting.makeWebsite({ domain: `site-${++count}.example.com` })
  path = `/api/unsubscribe?token=${unsubscribeToken(reporting.server.services.secret, id)}`
})
afterEach(() => reporting.clock.advance({ minutes: 1 }))

const website = async () => (await reporting.owner.session.get(`/api/v1/websites/${id}`)).body.data

/** As a mail provider does it: no cookie, no origin. */
const click = (body: string | undefined, type: string | undefined, headers: Record<string, string> = {}) =>
  reporting.server.anyone.call('POST', path, {
    ...(body !== undefined && { body }),
    headers: { ...(type !== undefined && { 'content-type': type }), ...headers },
  })

const multipart = ['--b', 'Content-Disposition: form-data; name="List-Unsubscribe"', '', 'One-Click', '--b--', ''].join(
  '\r\n',
)

describe('one click', () => {
  it.each([
    ['a form', 'List-Unsubscribe=One-Click', 'application/x-www-form-urlencoded'],
    ['a form in parts', multipart, 'multipart/form-data; boundary=b'],
    ['text', 'List-Unsubscribe=One-Click', 'text/plain'],
    ['JSON that is none', '{', 'application/json'],
    ['nothing', undefined, undefined],
  ])('switches it off, sent as %s', async (_what, body, type) => {
    reporting.clock.advance({ hours: 1 })
    const { status, headers } = await click(body, type)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await website()).toMatchObject({ email: 0, updated_at: reporting.clock.now().toISOString() })
    expect(await reporting.dueAt(id)).toBeNull()
  })

  it('may come from anywhere, as somebody signed in or not', async () => {
    const { status } = await click('List-Unsubscribe=One-Click', 'application/x-www-form-urlencoded', {
      origin: 'https://mail.example.net',
      'sec-fetch-site': 'cross-site',
      cookie: 'belfry_session=nonsense',
    })
    expect([status, (await website()).email]).toEqual([200, 0])
  })

  it('twice is as good as once', async () => {
    await click(undefined, undefined)
    const { updated_at } = await website()
    reporting.clock.advance({ hours: 1 })
    expect((await click(undefined, undefined)).status).toBe(200)
    expect(await website()).toMatchObject({ email: 0, updated_at })
  })

  it.each([
    ['without a token', () => '/api/unsubscribe'],
    ['with a wrong one', () => `${path}x`],
    ['with another’s number', () => path.replace(`token=${id}.`, `token=${id + 1}.`)],
  ])('%s is refused', async (_what, wrong) => {
    for (const method of ['POST', 'GET']) {
      const { status, text } = await reporting.server.anyone.call(method, wrong())
      expect([status, text.includes('This link is not valid')]).toEqual([404, true])
    }
    expect((await website()).email).toBe(1)
  })

  it('for a website that is gone is refused', async () => {
    await reporting.owner.session.delete(`/api/v1/websites/${id}`)
    expect((await click(undefined, undefined)).status).toBe(404)
  })

  it('is not for bodies without end', async () => {
    expect((await click('x'.repeat(1_048_577), 'text/plain')).status).toBe(413)
  })
})

describe('the page', () => {
  it('changes nothing when somebody only looks', async () => {
    const { status, text, headers } = await reporting.server.anyone.get(path)
    expect(status).toBe(200)
    expect(text).toContain(`Weekly report of site-${count}.example.com`)
    expect(text).toContain('<form method="post"><button>Switch it off</button></form>')
    expect(headers.get('content-security-policy')).toContain("form-action 'self'")
    expect((await reporting.server.anyone.call('HEAD', path)).status).toBe(200)
    expect((await website()).email).toBe(1)
  })

  it('says in plain words that it is done, and that it can be undone', async () => {
    const { text } = await click('', 'application/x-www-form-urlencoded')
    expect(text).toContain(`The weekly report of site-${count}.example.com is off`)
    expect(text).toContain('Whoever looks after the website can switch them on again at any time')
    const links = [...text.matchAll(/<a href="([^"]*)"/g)].map(
      ([, to = '']) => new URL(to, `${BASE}/belfry${path}`).href,
    )
    expect(links).toEqual([`${BASE}/belfry/site-${count}.example.com/settings`])
    expect(text).not.toMatch(/<code|<form/)
  })
})
