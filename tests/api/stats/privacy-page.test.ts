import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CallOptions, Client } from '../../support/client.ts'
import { type Person, startTestServer, type TestServer } from '../../support/server.ts'
import { path as websites } from '../../support/websites.ts'

let server: TestServer
let owner: Person
let stranger: Person

const password = 'open sesame'
const asPerson = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.person('owner')
  stranger = await server.person('stranger', { isAdmin: true })
  const make = (domain: string, privacy: number) => owner.session.post(websites, { domain, privacy, password })
  await make('open.example.com', 0)
  await make('closed.example.com', 1)
  await make('locked.example.com', 2)
  await make('localhost', 0)
  await make('müller.example.com', 0)
  await make(`${'long.'.repeat(48)}example.com`, 0)
})
afterAll(() => server.close())
beforeEach(() => {
  // Whatever an earlier test used up of the throttle is over.
  server.clock.advance({ minutes: 15 })
})

const look = (client: Client, path: string, headers: Record<string, string> = {}) =>
  client.get(path, { headers: { ...asPerson, ...headers } })

const send = (path: string, word: string, options: CallOptions = {}) =>
  server.anyone.call('POST', path, { form: { password: word }, ...options })

const noindex = '<meta name="robots" content="noindex">'

describe('the page of a website', () => {
  it('is open to anybody, and to search engines, when it is public', async () => {
    for (const path of ['/open.example.com', '/localhost', `/${'long.'.repeat(48)}example.com`]) {
      const answer = await look(server.anyone, path)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.text).toContain(`<h1>${path.slice(1)}</h1>`)
      expect(answer.text).not.toContain(noindex)
    }
  })

  it('lets nothing run and nothing in', async () => {
    const { headers } = await look(server.anyone, '/open.example.com')
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'/)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('shows its owner alone what to put into the website', async () => {
    const snippet = '&lt;script defer src=&quot;'
    expect((await look(owner.session, '/open.example.com')).text).toContain(snippet)
    expect((await look(stranger.session, '/open.example.com')).text).not.toContain(snippet)
  })

  it.each([
    ['/OPEN.example.com?period=7d&filter=a', './open.example.com?period=7d&filter=a'],
    ['/www.open.example.com', './open.example.com'],
    ['/open.example.com.', './open.example.com'],
    ['/m%C3%BCller.example.com', './xn--mller-kva.example.com'],
    ['/Nothing.example.com', './nothing.example.com'],
    ['/open.example.com/', '../open.example.com'],
    ['/www.Open.example.com/?period=7d', '../open.example.com?period=7d'],
    ['/localhost/', '../localhost'],
  ])('has one address: %s', async (path, location) => {
    const answer = await look(server.anyone, path)
    expect(answer.status).toBe(301)
    expect(answer.headers.get('location')).toBe(location)
  })

  it('is to others like none when it is private', async () => {
    expect((await look(owner.session, '/closed.example.com')).status).toBe(200)
    expect((await look(owner.session, '/closed.example.com')).text).toContain(noindex)
    for (const client of [server.anyone, stranger.session]) {
      // The first request of an hour extends a session.
      await look(client, '/open.example.com')
      const [theirs, none] = [await look(client, '/closed.example.com'), await look(client, '/none.example.com')]
      expect([theirs.status, none.status]).toEqual([404, 404])
      expect(theirs.text).toBe(none.text)
      const namesOf = ({ headers }: typeof theirs) => [...headers.keys()]
      expect(namesOf(theirs)).toEqual(namesOf(none))
    }
  })

  it('is a problem to programs where there is none', async () => {
    for (const path of ['/none.example.com', '/closed.example.com', '/favicon.ico', '/robots.txt', '/a.b@c', '/..a']) {
      const answer = await server.anyone.get(path)
      expect([path, answer.status, answer.body?.code]).toEqual([path, 404, 'not_found'])
    }
  })

  it('leaves other paths alone', async () => {
    expect((await look(server.anyone, '/nothing')).body.code).toBe('not_found')
    expect((await server.anyone.call('DELETE', '/nothing')).status).toBe(404)
    expect((await server.anyone.call('DELETE', '/some/file.txt')).status).toBe(404)
    expect((await server.anyone.call('POST', '/docs')).status).toBe(405)
    const wrong = await server.anyone.call('DELETE', '/open.example.com')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    expect((await server.anyone.call('HEAD', '/open.example.com')).status).toBe(200)
  })

  it('shows the usual days, with a word, where it cannot show those asked for', async () => {
    const day = (text: string) => `/open.example.com?from=${text}&to=2026-01-05`
    for (const path of [day('yesterday'), day('2026-02-30'), day('0001-01-01'), '/open.example.com?period=x']) {
      const { status, text } = await look(server.anyone, path)
      expect(status).toBe(200)
      expect(text).toContain('These days cannot be shown')
      expect(text).toContain('aria-current="true">30 days')
    }
    const filtered = await look(server.anyone, '/open.example.com?filter=colour:red&filter=%00')
    expect(filtered.text).toContain('These filters cannot be read')
  })

  it('escapes what it is asked for', async () => {
    const hostile = encodeURIComponent(`page:"><script>alert('x')</script>`)
    for (const name of ['filter', 'from', 'period', 'to']) {
      const { status, text } = await look(server.anyone, `/open.example.com?${name}=${hostile}`)
      expect(status).toBe(200)
      expect(text).not.toContain('<script')
    }
  })
})

describe('the page of a website with a password', () => {
  it('asks for it, and opens to whoever knows it', async () => {
    const asked = await look(server.anyone, '/locked.example.com')
    expect(asked.status).toBe(401)
    expect(asked.text).toContain('type="password"')
    expect(asked.text).not.toContain('role="alert"')
    const answer = await send('/locked.example.com?period=7d', password)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, './locked.example.com?period=7d'])
    const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const shown = await look(server.anyone, '/locked.example.com?period=7d', { cookie })
    expect(shown.status).toBe(200)
    expect(shown.text).toContain('aria-current="true">7 days')
    expect(shown.text).toContain(noindex)
    expect((await look(owner.session, '/locked.example.com')).status).toBe(200)
  })

  it('says when it is wrong, and when that was too often', async () => {
    for (const form of [{ password: 'wrong' }, { password: '' }, {}]) {
      const wrong = await server.anyone.call('POST', '/locked.example.com', { form: form as Record<string, string> })
      expect(wrong.status).toBe(401)
      expect(wrong.text).toContain('<p role="alert" id="fault">The password is wrong.</p>')
    }
    // Counted together with those of the API.
    for (let n = 0; n < 7; n++) await send('/locked.example.com', 'wrong')
    const late = await send('/locked.example.com', password)
    expect(late.status).toBe(429)
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(late.text).toContain('Too many wrong passwords.')
  })

  it('gives nothing away of what is private, nor to a page of another site', async () => {
    const answers = [await send('/closed.example.com', password), await send('/none.example.com', password)]
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
    expect((await send('/open.example.com', 'whatever')).status).toBe(303)
    const foreign = await send('/locked.example.com', password, { headers: { origin: 'https://evil.example' } })
    expect(foreign.status).toBe(403)
  })
})
