import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectLoggedProblem, parseResponse, sendRaw } from '../support/raw.ts'
import type { TestServer } from '../support/server.ts'
import { shareTestServer } from '../support/shared-server.ts'

let server: TestServer
let key: string

beforeAll(async () => {
  server = await shareTestServer()
  const ada = await server.createUser('ada')
  key = (await ada.withKey()).credentials.key as string
})
afterAll(() => server.close())

/** Sends a request line and headers, and asks to close the connection after the response. */
async function send(requestLine: string, headerLines: string[] = ['Host: belfry.example'], body = '') {
  const head = [requestLine, ...headerLines, `Authorization: Bearer ${key}`, 'Connection: close']
  return parseResponse(await sendRaw(server.address, `${head.join('\r\n')}\r\n\r\n${body}`))
}

const LIST = '/api/v1/websites'

describe('a method', () => {
  it.each(['FOO', 'get', 'GETX', 'M-SEARCH', 'PROPFIND', 'TRACE', 'QUERY', 'OPTIONS', 'PURGE', "!#$%&'*+-.^_`|~"])(
    '%s gets 405 with the allowed methods at a known path',
    async (method) => {
      const response = await send(`${method} /api/keys?a=b HTTP/1.1`)
      expectLoggedProblem(server, response, 405, 'method_not_allowed')
      expect(response.headers.get('allow')).toBe('GET, HEAD, POST')
    },
  )

  it('that does not exist gets 404 at an unknown path', async () => {
    expectLoggedProblem(server, await send('FOO /api/nothing HTTP/1.1'), 404, 'not_found')
  })

  it('CONNECT gets 405', async () => {
    const response = await send('CONNECT belfry.example:443 HTTP/1.1')
    expectLoggedProblem(server, response, 405, 'method_not_allowed')
    expect(response.headers.get('allow')).toBe('')
  })

  it.each(['FOO', 'FOO /api/keys', 'F(O) /api/keys HTTP/1.1', 'FOO /api/keys HTTP/9.9'])(
    'in the invalid request line "%s" gets 400',
    async (line) => expectLoggedProblem(server, await send(line), 400, 'malformed_request'),
  )
})

describe('the Host header', () => {
  it('is required in HTTP/1.1', async () => {
    expectLoggedProblem(server, await send(`GET ${LIST} HTTP/1.1`, []), 400, 'malformed_request')
    expectLoggedProblem(
      server,
      await send('POST /api/event HTTP/1.1', ['Content-Length: 2'], '{}'),
      400,
      'malformed_request',
    )
  })

  it('is optional in HTTP/1.0, and links then use the address of the server', async () => {
    const { status, body } = await send(`GET ${LIST} HTTP/1.0`, [])
    expect(status).toBe(200)
    expect(body.meta.path).toBe(`${server.address}${LIST}`)
  })

  it('can be empty', async () => {
    expect((await send(`GET ${LIST} HTTP/1.1`, ['Host:'])).body.meta.path).toBe(`${server.address}${LIST}`)
  })

  it('must not be repeated', async () => {
    const hosts = ['Host: belfry.example', 'host: other.example']
    expectLoggedProblem(server, await send(`GET ${LIST} HTTP/1.1`, hosts), 400, 'malformed_request')
    expectLoggedProblem(
      server,
      await send('POST /api/event HTTP/1.1', [...hosts, 'Content-Length: 0']),
      400,
      'malformed_request',
    )
  })

  it.each(['belfry.example/path', 'a b', 'user@belfry.example', '"><script>', 'belfry.example:99999', 'a..b', 'ä'])(
    'must not be %s',
    async (host) => {
      expectLoggedProblem(server, await send(`GET ${LIST} HTTP/1.1`, [`Host: ${host}`]), 400, 'malformed_request')
      expectLoggedProblem(server, await send('GET / HTTP/1.1', [`Host: ${host}`]), 400, 'malformed_request')
    },
  )
})

describe('a link', () => {
  const getPath = async (...headerLines: string[]) =>
    (await send(`GET ${LIST} HTTP/1.1`, ['Host: belfry.example', ...headerLines])).body.meta.path

  it('uses the protocol and host that a trusted proxy forwards', async () => {
    const path = await getPath('X-Forwarded-Proto: https', 'X-Forwarded-Host: stats.example:8443')
    expect(path).toBe(`https://stats.example:8443${LIST}`)
  })

  it.each(['javascript', 'ftp', 'https"', 'https://x', 'HTTPS '])(
    'ignores the forwarded protocol %s',
    async (protocol) => {
      expect(await getPath(`X-Forwarded-Proto: ${protocol}`)).toMatch(/^https?:\/\/belfry\.example\/api/)
    },
  )

  it.each(['evil.example/x?', '"><script>', 'a b', 'user@evil.example', 'evil.example:99999'])(
    'ignores the forwarded host %s',
    async (host) => expect(await getPath(`X-Forwarded-Host: ${host}`)).toBe(`http://belfry.example${LIST}`),
  )

  it('in the Location of a new record follows the same rules as other links', async () => {
    const response = await send(
      'POST /api/v1/websites HTTP/1.1',
      [
        'Host: belfry.example',
        'X-Forwarded-Host: "><script>',
        'X-Forwarded-Proto: javascript',
        'Content-Type: application/json',
        'Content-Length: 31',
      ],
      '{"domain": "rules.example.com"}',
    )
    expect(response.headers.get('location')).toMatch(/^http:\/\/belfry\.example\/api\/v1\/websites\/\d+$/)
  })

  it('ignores the host in a request line that contains an absolute URL', async () => {
    const { body } = await send(`GET http://other.example:81${LIST}?per_page=25 HTTP/1.1`)
    expect(body.links.first).toBe(`http://belfry.example${LIST}?per_page=25&page=1`)
    expectLoggedProblem(server, await send('POST http://other.example/healthz HTTP/1.1'), 405, 'method_not_allowed')
  })
})

describe('the Expect header', () => {
  it('gets 417 unless it is 100-continue', async () => {
    for (const path of ['/api/session', '/api/event', LIST]) {
      const headerLines = ['Host: belfry.example', 'Expect: the unexpected', 'Content-Length: 0']
      expectLoggedProblem(server, await send(`POST ${path} HTTP/1.1`, headerLines), 417, 'expectation_failed')
    }
    const headerLines = ['Host: belfry.example', 'Expect: 100-Continue', 'Content-Length: 0']
    const text = await sendRaw(
      server.address,
      `POST /api/session HTTP/1.1\r\n${headerLines.join('\r\n')}\r\nConnection: close\r\n\r\n`,
    )
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 422 /)
  })
})

describe('a request that is too long', () => {
  it('gets 431 for its headers', async () => {
    const response = await send('GET /healthz HTTP/1.1', ['Host: belfry.example', `X-Long: ${'x'.repeat(20_000)}`])
    expectLoggedProblem(server, response, 431, 'headers_too_large')
  })

  it('gets 414 for its URL', async () => {
    expectLoggedProblem(server, await send(`GET /${'x'.repeat(20_000)} HTTP/1.1`), 414, 'uri_too_long')
    expectLoggedProblem(server, await send(`GET /healthz?${'x'.repeat(100_000)} HTTP/1.1`), 414, 'uri_too_long')
  })
})

describe('an ambiguous or invalid request', () => {
  const json = ['Host: belfry.example', 'Content-Type: application/json']

  it.each([
    ['Content-Length and Transfer-Encoding', ['Content-Length: 4', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3'], '{} '],
    ['a negative length', ['Content-Length: -1'], ''],
    ['a length with a sign', ['Content-Length: +2'], '{}'],
    ['an unknown encoding', ['Transfer-Encoding: gzip'], '{}'],
    ['chunked that is not last', ['Transfer-Encoding: chunked, gzip'], '0\r\n\r\n'],
    ['a chunk without a length', ['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n'],
    ['a space before the colon', ['Content-Length : 2'], '{}'],
    ['a folded header', ['X-Folded: a\r\n b', 'Content-Length: 2'], '{}'],
    ['a null byte in a header', ['X-Null: \0', 'Content-Length: 2'], '{}'],
  ])('with %s gets 400', async (_name, headerLines, body) => {
    expectLoggedProblem(
      server,
      await send('POST /api/session HTTP/1.1', [...json, ...headerLines], body),
      400,
      'malformed_request',
    )
  })

  it.each([
    '/api/\0',
    'api/keys',
    'ftp://belfry.example/api/keys',
    'http://[/api/keys',
    'http://a%zz/api/keys',
    '/api/%zz',
    '/%',
    '*',
  ])('for %j gets 400', async (target) => {
    expectLoggedProblem(server, await send(`GET ${target} HTTP/1.1`), 400, 'malformed_request')
  })

  it.each([
    '//api/keys',
    '//evil.example/api/v1/websites',
    '/api%2Fkeys',
    '/api/keys%2f1',
    '/api/keys/%00',
    '/api/keys/..%2f..',
    '/assets/%2e%2e/index.html',
    '/assets/..%5c..%5cindex.html',
    '/%00',
    '/api/keys/',
  ])('for %s gets 404', async (target) =>
    expectLoggedProblem(server, await send(`GET ${target} HTTP/1.1`), 404, 'not_found'),
  )

  it('after another request in the same packet gets its own response', async () => {
    const text = await sendRaw(server.address, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGARBAGE\r\n\r\n')
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
  })
})

describe('media types', () => {
  it.each(['APPLICATION/JSON; Charset=UTF-8', 'Application/Json', ' application/json ;charset=utf-8'])(
    'of JSON can be written as %s',
    async (type) => {
      const body = '{"name": "a", "scopes": ["monitors:read"]}'
      const headerLines = ['Host: belfry.example', `Content-Type: ${type}`, `Content-Length: ${body.length}`]
      expect((await send('POST /api/keys HTTP/1.1', headerLines, body)).status).toBe(201)
    },
  )

  it.each(['Application/X-WWW-Form-URLEncoded', ' application/x-www-form-urlencoded ; charset=UTF-8'])(
    'of forms can be written as %s, and a single value counts as a list where necessary',
    async (type) => {
      const body = 'name=a&scopes=monitors:read'
      const headerLines = ['Host: belfry.example', `Content-Type: ${type}`, `Content-Length: ${body.length}`]
      expect((await send('POST /api/keys HTTP/1.1', headerLines, body)).status).toBe(201)
    },
  )

  it('of the response follow the weights of the Accept header', async () => {
    const getType = async (accept: string) => {
      const { headers } = await server.anyone.get('/nothing', { headers: { accept } })
      return headers.get('content-type')?.split(';')[0]
    }
    expect(await getType('TEXT/HTML')).toBe('text/html')
    expect(await getType('text/html;q=0.1, application/json;q=0')).toBe('text/html')
    expect(await getType('text/html;q=0, */*')).toBe('application/problem+json')
    expect(await getType('application/json, text/html;q=0.9')).toBe('application/problem+json')
  })
})
