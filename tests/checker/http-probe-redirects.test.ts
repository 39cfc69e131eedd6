import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { Guard } from '../../src/outgoing/guard.ts'
import { parsePrivateTargets } from '../../src/outgoing/private-targets.ts'
import { serveHttp, serveTcp } from '../support/loopback-servers.ts'
import { createCheck, createPermissiveGuard } from './probe-support.ts'

interface ReceivedRequest {
  requestLine: string
  headers: IncomingMessage['headers']
  body: string
}

/** Starts a server that redirects the paths in `redirects`, and responds to any other path with 200. */
async function serveRedirects(redirects: Record<string, [status: number, location?: string]>) {
  const requests: ReceivedRequest[] = []
  const { port, contactedAddresses } = await serveHttp(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    requests.push({ requestLine: `${request.method} ${request.url}`, headers: request.headers, body })
    const [status, location] = redirects[request.url ?? ''] ?? [200]
    response.writeHead(status, location === undefined ? {} : { location }).end()
  })
  return { requests, contactedAddresses, port, origin: `http://127.0.0.1:${port}` }
}

describe('a redirect', () => {
  it('is followed to relative and absolute URLs', async () => {
    const secondSite = await serveRedirects({})
    const guard = createPermissiveGuard(async () => [{ address: '127.0.0.1', family: 4 }])
    const firstSite = await serveRedirects({
      '/a': [301, '/b?x=1#y'],
      '/b?x=1': [302, 'c'],
      '/c': [307, Buffer.from('/grüße').toString('latin1')],
      '/gr%C3%BC%C3%9Fe': [308, `//elsewhere.test:${secondSite.port}/d`],
    })
    expect(await createCheck({ guard })(`${firstSite.origin}/a`)).toMatchObject({ failure: null, httpStatus: 200 })
    expect(firstSite.requests.map(({ requestLine }) => requestLine)).toEqual([
      'GET /a',
      'GET /b?x=1',
      'GET /c',
      'GET /gr%C3%BC%C3%9Fe',
    ])
    expect(secondSite.requests.map(({ requestLine }) => requestLine)).toEqual(['GET /d'])
    expect(secondSite.requests[0]?.headers.host).toBe(`elsewhere.test:${secondSite.port}`)
  })

  it('is not followed if the monitor disables it', async () => {
    const { origin, requests } = await serveRedirects({ '/': [302, '/b'] })
    expect(await createCheck()(`${origin}/`, { follow_redirects: false })).toMatchObject({
      failure: null,
      httpStatus: 302,
    })
    expect(requests).toHaveLength(1)
  })

  it('is followed at most five times', async () => {
    const redirects = Object.fromEntries([0, 1, 2, 3, 4].map((n) => [`/${n}`, [302, `/${n + 1}`] as [number, string]]))
    const { origin, requests } = await serveRedirects({ ...redirects, '/for-ever': [302, '/for-ever'] })
    expect(await createCheck()(`${origin}/0`)).toMatchObject({ failure: null, httpStatus: 200 })
    expect(requests).toHaveLength(6)
    expect(await createCheck()(`${origin}/for-ever`)).toMatchObject({
      failure: { cause: 'redirect', detail: 'Redirected more than 5 times' },
      httpStatus: 302,
      responded: true,
    })
    expect(requests).toHaveLength(12)
  })

  it.each([
    [undefined, 'Status 302 without a Location header'],
    ['http://[', 'Status 302 with an invalid Location header'],
    ['ftp://example.com/', 'Redirected to a URL with the scheme ftp, expected http or https'],
    ['javascript:alert(1)', 'Redirected to a URL with the scheme javascript, expected http or https'],
  ])('with the Location header %s is a failure', async (location, detail) => {
    const { origin } = await serveRedirects({ '/': location === undefined ? [302] : [302, location] })
    expect((await createCheck()(`${origin}/`)).failure).toEqual({ cause: 'redirect', detail })
  })

  it.each([
    ['POST', 301, 'GET', ''],
    ['POST', 302, 'GET', ''],
    ['POST', 303, 'GET', ''],
    ['POST', 307, 'POST', 'words'],
    ['POST', 308, 'POST', 'words'],
    ['PUT', 302, 'PUT', 'words'],
    ['PUT', 303, 'GET', ''],
    ['HEAD', 303, 'HEAD', ''],
  ] as const)('of %s with status %i is followed with %s', async (method, status, nextMethod, body) => {
    const { origin, requests } = await serveRedirects({ '/': [status, '/b'] })
    const headers = { 'Content-Type': 'text/plain', 'X-Token': 'secret' }
    await createCheck()(`${origin}/`, { method, headers, body: method === 'HEAD' ? null : 'words' })
    expect(requests.map(({ requestLine }) => requestLine)).toEqual([`${method} /`, `${nextMethod} /b`])
    expect(requests[1]?.body).toBe(body)
    expect(requests[1]?.headers['x-token']).toBe('secret')
    expect('content-type' in (requests[1]?.headers ?? {})).toBe(nextMethod === method)
  })

  it.each([
    ['POST', 307],
    ['POST', 308],
    ['PUT', 302],
    ['PATCH', 301],
  ] as const)(
    'of %s with status %i to another origin is a failure, and sends nothing to that origin',
    async (method, status) => {
      const otherSite = await serveRedirects({})
      const { origin, requests } = await serveRedirects({
        '/': [status, '/b'],
        '/b': [status, `${otherSite.origin}/c`],
      })
      const settings = { method, headers: { 'X-Token': 'secret' }, body: 'password=secret' }
      expect(await createCheck()(`${origin}/`, settings)).toMatchObject({
        failure: {
          cause: 'redirect',
          detail: `Status ${status} redirects to ${otherSite.origin}, but the body is only sent to ${origin}`,
        },
        httpStatus: status,
      })
      expect(requests.map(({ body }) => body)).toEqual(['password=secret', 'password=secret'])
      expect(otherSite.contactedAddresses).toEqual([])
    },
  )

  it.each([
    ['POST', 308, 'POST', null],
    ['POST', 302, 'GET', 'password=secret'],
    ['PUT', 303, 'GET', 'password=secret'],
  ] as const)('of %s with status %i to another origin is followed with %s and without a body', async (...row) => {
    const [method, status, nextMethod, body] = row
    const otherSite = await serveRedirects({})
    const { origin } = await serveRedirects({ '/': [status, `${otherSite.origin}/b`] })
    const headers = { 'Content-Type': 'text/plain', 'X-Token': 'secret' }
    expect((await createCheck()(`${origin}/`, { method, headers, body })).failure).toBeNull()
    expect(otherSite.requests).toMatchObject([{ requestLine: `${nextMethod} /b`, body: '' }])
    expect(otherSite.requests[0]?.headers).not.toHaveProperty('x-token')
    expect(otherSite.requests[0]?.headers).not.toHaveProperty('content-type')
  })

  it("to another origin drops the monitor's headers, even if another redirect leads back", async () => {
    const { origin, requests, port } = await serveRedirects({})
    const startSite = await serveRedirects({ '/': [302, `${origin}/`] })
    const headers = { Authorization: 'Bearer secret', 'X-Token': 'secret', 'User-Agent': 'mine' }
    const check = createCheck()
    await check(`${startSite.origin}/`, { headers })
    expect(startSite.requests[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'user-agent': 'mine' })
    expect(requests[0]?.headers).toEqual({
      host: `127.0.0.1:${port}`,
      'user-agent': 'Belfry',
      accept: '*/*',
      'accept-encoding': 'identity',
      connection: 'close',
    })
    const receivedTokens: unknown[] = []
    const site = await serveHttp((request, response) => {
      receivedTokens.push([request.url, request.headers['x-token']])
      if (request.url === '/') response.writeHead(302, { location: `http://127.0.0.2:${site.port}/away` }).end()
      else if (request.url === '/away')
        response.writeHead(302, { location: `http://127.0.0.1:${site.port}/home` }).end()
      else response.end()
    })
    await check(`http://127.0.0.1:${site.port}/`, { headers })
    expect(receivedTokens).toEqual([
      ['/', 'secret'],
      ['/away', undefined],
      ['/home', undefined],
    ])
  })

  it('does not send credentials from the Location header', async () => {
    const target = await serveRedirects({})
    const { origin } = await serveRedirects({ '/': [302, `http://me:secret@127.0.0.1:${target.port}/`] })
    expect((await createCheck()(`${origin}/`)).failure).toBeNull()
    expect(target.requests[0]?.headers).not.toHaveProperty('authorization')
    expect(target.requests[0]?.headers.host).toBe(`127.0.0.1:${target.port}`)
  })

  it('is not followed to a private address', async () => {
    const privateSite = await serveRedirects({})
    const guard = new Guard(parsePrivateTargets('127.0.0.2/32'))
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '[::1]']) {
      const { port } = await serveRedirects({ '/': [302, `http://${host}:${privateSite.port}/`] })
      expect(await createCheck({ guard })(`http://127.0.0.2:${port}/`)).toMatchObject({
        failure: { cause: 'blocked', detail: expect.stringContaining('is a loopback address') },
        responded: true,
      })
    }
    expect(privateSite.contactedAddresses).toEqual([])
  })

  it('is followed even if its body is malformed', async () => {
    const { origin, requests } = await serveRedirects({})
    const { port } = await serveTcp((socket) =>
      socket.once('data', () =>
        socket.write(`HTTP/1.1 302 Found\r\nLocation: ${origin}/\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n`),
      ),
    )
    expect(await createCheck()(`http://127.0.0.1:${port}/`)).toMatchObject({ failure: null, httpStatus: 200 })
    expect(requests).toHaveLength(1)
  })

  it('shares the timeout with the requests before it', async () => {
    const { port } = await serveTcp(() => {})
    const { origin } = await serveRedirects({ '/': [302, `http://127.0.0.1:${port}/`] })
    expect(await createCheck()(`${origin}/`, { timeoutMs: 1_000 })).toMatchObject({
      failure: { cause: 'timeout', detail: 'Response took longer than 1 s' },
      responded: true,
    })
  })
})

describe('a cookie that a redirect sets', () => {
  /** Starts a server that redirects to itself until the client sends the cookie `seen`, as many sites do. */
  const serveCookieRedirect = async () => {
    const cookieHeaders: (string | undefined)[] = []
    const { port } = await serveHttp((request, response) => {
      cookieHeaders.push(request.headers.cookie)
      if (request.headers.cookie?.includes('seen=1')) response.end('Welcome')
      else response.writeHead(302, { location: '/', 'set-cookie': ['seen=1; Path=/', 'lang=de'] }).end()
    })
    return { cookieHeaders, url: `http://127.0.0.1:${port}/` }
  }

  it('is sent with the next request of the same check, and never with another check', async () => {
    const { cookieHeaders, url } = await serveCookieRedirect()
    const check = createCheck()
    expect((await check(url, { keyword: 'Welcome' })).failure).toBeNull()
    expect((await check(url, { keyword: 'Welcome' })).failure).toBeNull()
    expect(cookieHeaders).toEqual([undefined, 'seen=1; lang=de', undefined, 'seen=1; lang=de'])
  })

  it("replaces a cookie of the same name in the monitor's own header, and keeps the other cookies", async () => {
    const { cookieHeaders, url } = await serveCookieRedirect()
    await createCheck()(url, { headers: { cookie: 'seen=0; theme=dark' } })
    expect(cookieHeaders).toEqual(['seen=0; theme=dark', 'theme=dark; seen=1; lang=de'])
  })

  it('is not sent to another host, and is sent again after a redirect back', async () => {
    const hostsAndCookies: unknown[] = []
    const { port } = await serveHttp((request, response) => {
      hostsAndCookies.push([request.headers.host?.split(':')[0], request.headers.cookie])
      const nextOrigin = { '/': 'http://127.0.0.2', '/away': 'http://127.0.0.1' }[request.url ?? '']
      if (nextOrigin === undefined) response.end()
      else {
        const location = `${nextOrigin}:${port}${request.url === '/' ? '/away' : '/home'}`
        response.writeHead(302, { location, 'set-cookie': request.url === '/' ? 'a=1; Path=/' : 'b=2; Path=/' }).end()
      }
    })
    expect((await createCheck()(`http://127.0.0.1:${port}/`)).failure).toBeNull()
    expect(hostsAndCookies).toEqual([
      ['127.0.0.1', undefined],
      ['127.0.0.2', undefined],
      ['127.0.0.1', 'a=1'],
    ])
  })
})
