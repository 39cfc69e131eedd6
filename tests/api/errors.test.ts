import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClientResponse } from '../support/client.ts'
import { sendRaw } from '../support/raw.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { shareTestServer } from '../support/shared-server.ts'

let server: TestServer
let ada: TestUser

beforeAll(async () => {
  server = await shareTestServer()
  ada = await server.createUser('ada', { isAdmin: true })
})
afterAll(() => server.close())

function expectProblem(response: ClientResponse, status: number, code: string, title: string): void {
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-store')
  const { body } = response
  expect(body).toMatchObject({ type: `/problems/${code}`, title, status, code })
  expect(body.detail).toMatch(/^(`|[A-Z]).*\.$/)
  expect(body.message).toBe(body.detail)
  expect(body.request_id).toBe(response.headers.get('x-request-id'))
  const fields = [
    'type',
    'title',
    'status',
    'code',
    'detail',
    'message',
    'request_id',
    ...(status === 422 ? ['errors'] : []),
  ]
  expect(Object.keys(body).sort()).toEqual(fields.sort())
}

describe('a problem+json response', () => {
  it('has status 400 for invalid JSON', async () => {
    const response = await ada.session.call('POST', '/api/keys', {
      body: '{"name": ',
      headers: { 'content-type': 'application/json' },
    })
    expectProblem(response, 400, 'malformed_request', 'Malformed request')
  })

  it('has status 422 for __proto__ in JSON, as for any unknown field', async () => {
    const response = await ada.session.call('POST', '/api/keys', {
      body: '{"name": "x", "scopes": ["monitors:read"], "__proto__": {"is_admin": true}}',
      headers: { 'content-type': 'application/json' },
    })
    expectProblem(response, 422, 'validation_failed', 'Validation failed')
    expect(response.text).toContain('"`__proto__` is not a known field."')
  })

  it('has status 422 for an unpaired surrogate, which PostgreSQL cannot store', async () => {
    for (const path of ['/api/keys', '/api/monitors']) {
      const body = '{"name": "a\\ud800b", "http": {"body": "a\\udc00"}}'
      const response = await ada.session.call('POST', path, { body, headers: { 'content-type': 'application/json' } })
      expectProblem(response, 422, 'validation_failed', 'Validation failed')
      expect(response.text).toContain('must not contain an unpaired surrogate')
    }
  })

  it('has status 422 for fields where none are expected, and the request has no effect', async () => {
    const response = await ada.session.call('DELETE', '/api/session', { json: { everywhere: true } })
    expectProblem(response, 422, 'validation_failed', 'Validation failed')
    expect(response.body.errors).toEqual({ everywhere: ['`everywhere` is not a known field.'] })
    expect((await ada.session.get('/api/session')).status).toBe(200)
  })

  it('has status 400 for an invalid percent-encoding in the path', async () => {
    expectProblem(await ada.session.get('/api/%zz'), 400, 'malformed_request', 'Malformed request')
  })

  it('has status 400 for bytes that are not HTTP', async () => {
    const text = await sendRaw(server.address, 'GARBAGE\r\n\r\n')
    const [head = '', body = ''] = text.split('\r\n\r\n')
    expect(head).toContain('HTTP/1.1 400')
    expect(head).toContain('Content-Type: application/problem+json; charset=utf-8')
    expect(JSON.parse(body)).toMatchObject({ code: 'malformed_request', status: 400 })
  })

  it('has status 401 without credentials, and names the authentication scheme', async () => {
    const response = await server.anyone.get('/api/keys')
    expectProblem(response, 401, 'unauthenticated', 'Unauthenticated')
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })

  it('has status 403 for a key without the scope, and names the scope', async () => {
    const keyClient = await ada.withKey('monitors:read')
    const response = await keyClient.post('/api/keys', { name: 'more', scopes: ['monitors:write'] })
    expectProblem(response, 403, 'missing_scope', 'Missing scope')
    expect(response.body.detail).toContain('monitors:write')
  })

  it('has status 403 for an API key if the operation requires a session', async () => {
    expectProblem(await (await ada.withKey()).get('/api/users'), 403, 'forbidden', 'Forbidden')
  })

  it('has status 404 for an unknown path', async () => {
    expectProblem(await server.anyone.get('/api/nothing'), 404, 'not_found', 'Not found')
    expectProblem(await server.anyone.get('/nothing/here?at=all'), 404, 'not_found', 'Not found')
  })

  it.each(['0', '-1', 'abc', '1.5', '1e3', '9'.repeat(20), '9'.repeat(400), '%00'])(
    'has status 404 for the id %s',
    async (id) => expectProblem(await ada.session.get(`/api/keys/${id}`), 404, 'not_found', 'Not found'),
  )

  it('has status 405 for a wrong method, and lists the methods that the path allows', async () => {
    const response = await ada.session.call('PATCH', '/api/keys')
    expectProblem(response, 405, 'method_not_allowed', 'Method not allowed')
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST')
    const singleKeyResponse = await ada.session.call('PUT', '/api/keys/12')
    expect(singleKeyResponse.headers.get('allow')).toBe('DELETE, GET, HEAD')
  })

  it('has status 409 for a conflict with the current state', async () => {
    expectProblem(await ada.session.delete(`/api/users/${ada.id}`), 409, 'conflict', 'Conflict')
  })

  it('has status 413 for a body over 1 MiB, but not for exactly 1 MiB', async () => {
    const createBody = (size: number) => {
      const json = JSON.stringify({ name: '', scopes: ['monitors:read'] })
      return json.replace('""', JSON.stringify('n'.repeat(size - json.length)))
    }
    const headers = { 'content-type': 'application/json' }
    const tooLargeResponse = await ada.session.call('POST', '/api/keys', { body: createBody(1_048_577), headers })
    expectProblem(tooLargeResponse, 413, 'too_large', 'Too large')
    const largestResponse = await ada.session.call('POST', '/api/keys', { body: createBody(1_048_576), headers })
    expectProblem(largestResponse, 422, 'validation_failed', 'Validation failed')
  })

  it.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', ''])(
    'has status 415 for a body of type "%s"',
    async (type) => {
      const response = await ada.session.call('POST', '/api/keys', {
        body: new TextEncoder().encode('name=x'),
        headers: type === '' ? {} : { 'content-type': type },
      })
      expectProblem(response, 415, 'unsupported_media_type', 'Unsupported media type')
    },
  )

  it('has status 422 for invalid fields, and a message for each', async () => {
    const response = await ada.session.post('/api/keys', { scopes: ['monitors:read', 'moon:read'], colour: 'red' })
    expectProblem(response, 422, 'validation_failed', 'Validation failed')
    expect(response.body.errors).toEqual({
      name: ['`name` is required.'],
      colour: ['`colour` is not a known field.'],
      'scopes.1': [
        '`scopes.1` must be one of monitors:read, monitors:write, providers:read, providers:write, status:read, status:write, websites:read or websites:write.',
      ],
    })
    expect(Object.values(response.body.errors).flat()).toContain(response.body.detail)
  })

  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', '__proto__', '__defineGetter__'])(
    'has status 422 for a field called %s',
    async (field) => {
      const form = { email: 'ada@example.com', password: 'x', [field]: '1' }
      const responses = [await server.anyone.call('POST', '/api/session', { form })]
      if (field !== '__proto__') responses.push(await server.anyone.post('/api/session', form))
      for (const response of responses) {
        expectProblem(response, 422, 'validation_failed', 'Validation failed')
        expect(Object.entries(response.body.errors)).toEqual([[field, [`\`${field}\` is not a known field.`]]])
      }
    },
  )

  it('has status 500 for an internal error, whose details are only in the log', async () => {
    const brokenServer = await startTestServer()
    try {
      const eve = await brokenServer.createUser('eve')
      const client = new pg.Client(brokenServer.database.connection)
      await client.connect()
      await client.query('alter table belfry.api_keys rename column name to title')
      await client.end()
      const response = await eve.session.get('/api/keys')
      expectProblem(response, 500, 'internal', 'Internal error')
      expect(response.text).not.toMatch(/column|select|api_keys|\.ts/)
      const line = brokenServer.logLines.find(
        (text) => text.includes(response.body.request_id) && text.includes('"error"'),
      )
      expect(line).toContain('column \\"name\\" does not exist')
    } finally {
      await brokenServer.close()
    }
  })

  it('has status 503 and Retry-After only while the database is unavailable', async () => {
    const isolatedServer = await startTestServer()
    const eve = await isolatedServer.createUser('eve')
    const { database, ...connection } = isolatedServer.database.connection
    const client = new pg.Client({ ...connection, database: 'postgres' })
    await client.connect()
    try {
      await client.query(`alter database ${database} allow_connections false`)
      await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = user',
        [database],
      )
      const response = await eve.session.get('/api/keys')
      expectProblem(response, 503, 'unavailable', 'Unavailable')
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expectProblem(await isolatedServer.anyone.get('/readyz'), 503, 'unavailable', 'Unavailable')
      expect((await isolatedServer.anyone.get('/healthz')).status).toBe(200)
      await client.query(`alter database ${database} allow_connections true`)
      expect((await eve.session.get('/api/keys')).status).toBe(200)
      expect((await isolatedServer.anyone.get('/readyz')).status).toBe(200)
    } finally {
      await client.end()
      await isolatedServer.close()
    }
  })
})

describe('every response', () => {
  it('has a unique request ID, which is also in the log', async () => {
    const firstResponse = await ada.session.get('/api/keys')
    const secondResponse = await ada.session.get('/api/keys')
    const id = firstResponse.headers.get('x-request-id') ?? 'none'
    expect(id).not.toBe(secondResponse.headers.get('x-request-id'))
    expect(server.logLines.some((line) => line.includes(id) && line.includes('GET /api/keys'))).toBe(true)
  })

  it('is not cached if it required credentials', async () => {
    expect((await ada.session.get('/api/keys')).headers.get('cache-control')).toBe('no-store')
  })

  it('is JSON, whatever the Accept header says', async () => {
    const response = await ada.session.get('/api/keys', { headers: { accept: 'text/html' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('has headers that stop browsers from running it', async () => {
    const { headers } = await ada.session.get('/api/keys')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; frame-ancestors 'none'")
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  it('to HEAD is like the response to GET, without a body', async () => {
    const response = await ada.session.call('HEAD', '/api/keys')
    expect(response.status).toBe(200)
    expect(response.text).toBe('')
  })

  it('leaves no secrets in the log', async () => {
    const keyClient = await ada.withKey()
    await keyClient.get('/api/keys?token=hush', { headers: { 'x-forwarded-for': '203.0.113.9' } })
    await server.anyone.post('/api/session', { email: ada.email, password: ada.password })
    const log = server.logLines.join('')
    for (const secret of [
      keyClient.credentials.key,
      ada.session.credentials.cookie,
      ada.password,
      'hush',
      '203.0.113.9',
    ]) {
      expect(log).not.toContain(secret)
    }
  })
})
