import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { Guard } from '../../src/outgoing/guard.ts'
import { parsePrivateTargets } from '../../src/outgoing/private-targets.ts'
import { serveHttp, serveTcp } from '../support/loopback-servers.ts'
import { checkWith, everywhere } from './probe-support.ts'

interface Asked {
  line: string
  headers: IncomingMessage['headers']
  body: string
}

/** Answers every path of `to` with where it leads, and any other with 200. */
async function serveRedirects(to: Record<string, [status: number, location?: string]>) {
  const asked: Asked[] = []
  const { port, reached } = await serveHttp(async (request, response) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
    const [status, location] = to[request.url ?? ''] ?? [200]
    response.writeHead(status, location === undefined ? {} : { location }).end()
  })
  return { asked, reached, port, at: `http://127.0.0.1:${port}` }
}

describe('a redirect', () => {
  it('is followed, wherever it leads', async () => {
    const second = await serveRedirects({})
    const guard = everywhere(async () => [{ address: '127.0.0.1', family: 4 }])
    const first = await serveRedirects({
      '/a': [301, '/b?x=1#y'],
      '/b?x=1': [302, 'c'],
      '/c': [307, Buffer.from('/grüße').toString('latin1')],
      '/gr%C3%BC%C3%9Fe': [308, `//elsewhere.test:${second.port}/d`],
    })
    expect(await checkWith({ guard })(`${first.at}/a`)).toMatchObject({ failure: null, httpStatus: 200 })
    expect(first.asked.map(({ line }) => line)).toEqual(['GET /a', 'GET /b?x=1', 'GET /c', 'GET /gr%C3%BC%C3%9Fe'])
    expect(second.asked.map(({ line }) => line)).toEqual(['GET /d'])
    expect(second.asked[0]?.headers.host).toBe(`elsewhere.test:${second.port}`)
  })

  it('is not followed where that is not wanted', async () => {
    const { at, asked } = await serveRedirects({ '/': [302, '/b'] })
    expect(await checkWith()(`${at}/`, { follow_redirects: false })).toMatchObject({ failure: null, httpStatus: 302 })
    expect(asked).toHaveLength(1)
  })

  it('is followed five times and no more', async () => {
    const steps = Object.fromEntries([0, 1, 2, 3, 4].map((n) => [`/${n}`, [302, `/${n + 1}`] as [number, string]]))
    const { at, asked } = await serveRedirects({ ...steps, '/for-ever': [302, '/for-ever'] })
    expect(await checkWith()(`${at}/0`)).toMatchObject({ failure: null, httpStatus: 200 })
    expect(asked).toHaveLength(6)
    expect(await checkWith()(`${at}/for-ever`)).toMatchObject({
      failure: { cause: 'redirect', detail: 'redirected more than 5 times' },
      httpStatus: 302,
      answered: true,
    })
    expect(asked).toHaveLength(12)
  })

  it.each([
    [undefined, 'answered 302 without saying where to go'],
    ['http://[', 'answered 302 with an address that cannot be read'],
    ['ftp://example.com/', 'redirected to an address of ftp, which is neither http nor https'],
    ['javascript:alert(1)', 'redirected to an address of javascript, which is neither http nor https'],
  ])('to %s is a fault', async (location, detail) => {
    const { at } = await serveRedirects({ '/': location === undefined ? [302] : [302, location] })
    expect((await checkWith()(`${at}/`)).failure).toEqual({ cause: 'redirect', detail })
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
  ] as const)('of %s with %i is asked for by %s', async (method, status, then, body) => {
    const { at, asked } = await serveRedirects({ '/': [status, '/b'] })
    const headers = { 'Content-Type': 'text/plain', 'X-Token': 'secret' }
    await checkWith()(`${at}/`, { method, headers, body: method === 'HEAD' ? null : 'words' })
    expect(asked.map(({ line }) => line)).toEqual([`${method} /`, `${then} /b`])
    expect(asked[1]?.body).toBe(body)
    expect(asked[1]?.headers['x-token']).toBe('secret')
    expect('content-type' in (asked[1]?.headers ?? {})).toBe(then === method)
  })

  it('to another origin takes no headers along, not even back again', async () => {
    const { at, asked, port } = await serveRedirects({})
    const start = await serveRedirects({ '/': [302, `${at}/`] })
    const headers = { Authorization: 'Bearer secret', 'X-Token': 'secret', 'User-Agent': 'mine' }
    const check = checkWith()
    await check(`${start.at}/`, { headers })
    expect(start.asked[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'user-agent': 'mine' })
    expect(asked[0]?.headers).toEqual({
      host: `127.0.0.1:${port}`,
      'user-agent': 'Belfry',
      accept: '*/*',
      'accept-encoding': 'identity',
      connection: 'close',
    })
    const seen: unknown[] = []
    const back = await serveHttp((request, response) => {
      seen.push([request.url, request.headers['x-token']])
      if (request.url === '/') response.writeHead(302, { location: `http://127.0.0.2:${back.port}/away` }).end()
      else if (request.url === '/away')
        response.writeHead(302, { location: `http://127.0.0.1:${back.port}/home` }).end()
      else response.end()
    })
    await check(`http://127.0.0.1:${back.port}/`, { headers })
    expect(seen).toEqual([
      ['/', 'secret'],
      ['/away', undefined],
      ['/home', undefined],
    ])
  })

  it('does not carry a name or password', async () => {
    const target = await serveRedirects({})
    const { at } = await serveRedirects({ '/': [302, `http://me:secret@127.0.0.1:${target.port}/`] })
    expect((await checkWith()(`${at}/`)).failure).toBeNull()
    expect(target.asked[0]?.headers).not.toHaveProperty('authorization')
    expect(target.asked[0]?.headers.host).toBe(`127.0.0.1:${target.port}`)
  })

  it('is vetted like everything else', async () => {
    const inner = await serveRedirects({})
    const guard = new Guard(parsePrivateTargets('127.0.0.2/32'))
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '[::1]']) {
      const { port } = await serveRedirects({ '/': [302, `http://${host}:${inner.port}/`] })
      expect(await checkWith({ guard })(`http://127.0.0.2:${port}/`)).toMatchObject({
        failure: { cause: 'blocked', detail: expect.stringContaining('is a loopback address') },
        answered: true,
      })
    }
    expect(inner.reached).toEqual([])
  })

  it('of a server that then speaks nonsense counts all the same', async () => {
    const { at, asked } = await serveRedirects({})
    const { port } = await serveTcp((socket) =>
      socket.once('data', () =>
        socket.write(`HTTP/1.1 302 Found\r\nLocation: ${at}/\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n`),
      ),
    )
    expect(await checkWith()(`http://127.0.0.1:${port}/`)).toMatchObject({ failure: null, httpStatus: 200 })
    expect(asked).toHaveLength(1)
  })

  it('has to share its time with those before it', async () => {
    const { port } = await serveTcp(() => {})
    const { at } = await serveRedirects({ '/': [302, `http://127.0.0.1:${port}/`] })
    expect(await checkWith()(`${at}/`, { timeoutMs: 1_000 })).toMatchObject({
      failure: { cause: 'timeout', detail: 'no answer within 1 s' },
      answered: true,
    })
  })
})
