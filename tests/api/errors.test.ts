import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../support/client.ts'
import { sendRaw } from '../support/raw.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let ada: Person

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.person('ada', { isAdmin: true })
})
afterAll(() => server.close())

function expectProblem(answer: Answer, status: number, code: string, title: string): void {
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const { body } = answer
  expect(body).toMatchObject({ type: `/problems/${code}`, title, status, code })
  expect(body.detail).toMatch(/^[A-Z].*\.$/)
  expect(body.message).toBe(body.detail)
  expect(body.request_id).toBe(answer.headers.get('x-request-id'))
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

describe('an error is problem+json', () => {
  it('400 for JSON that cannot be read', async () => {
    const answer = await ada.session.call('POST', '/api/keys', {
      body: '{"name": ',
      headers: { 'content-type': 'application/json' },
    })
    expectProblem(answer, 400, 'malformed_request', 'Malformed request')
  })

  it('422 for JSON that reaches for prototypes, like for any field that is not known', async () => {
    const answer = await ada.session.call('POST', '/api/keys', {
      body: '{"name": "x", "scopes": ["monitors:read"], "__proto__": {"is_admin": true}}',
      headers: { 'content-type': 'application/json' },
    })
    expectProblem(answer, 422, 'validation_failed', 'Validation failed')
    expect(answer.text).toContain('"`__proto__` is not a known field."')
  })

  it('422 for an unpaired surrogate, which PostgreSQL cannot store', async () => {
    for (const path of ['/api/keys', '/api/monitors']) {
      const body = '{"name": "a\\ud800b", "http": {"body": "a\\udc00"}}'
      const answer = await ada.session.call('POST', path, { body, headers: { 'content-type': 'application/json' } })
      expectProblem(answer, 422, 'validation_failed', 'Validation failed')
      expect(answer.text).toContain('must not contain an unpaired surrogate')
    }
  })

  it('422 for fields where none are expected, and nothing is done', async () => {
    const answer = await ada.session.call('DELETE', '/api/session', { json: { everywhere: true } })
    expectProblem(answer, 422, 'validation_failed', 'Validation failed')
    expect(answer.body.errors).toEqual({ everywhere: ['`everywhere` is not a known field.'] })
    expect((await ada.session.get('/api/session')).status).toBe(200)
  })

  it('400 for a path that is not properly encoded', async () => {
    expectProblem(await ada.session.get('/api/%zz'), 400, 'malformed_request', 'Malformed request')
  })

  it('400 for what is no HTTP at all', async () => {
    const text = await sendRaw(server.address, 'GARBAGE\r\n\r\n')
    const [head = '', body = ''] = text.split('\r\n\r\n')
    expect(head).toContain('HTTP/1.1 400')
    expect(head).toContain('Content-Type: application/problem+json; charset=utf-8')
    expect(JSON.parse(body)).toMatchObject({ code: 'malformed_request', status: 400 })
  })

  it('401 for nobody, with the way to sign in', async () => {
    const answer = await server.anyone.get('/api/keys')
    expectProblem(answer, 401, 'unauthenticated', 'Unauthenticated')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  it('403 for a key that lacks a scope, naming it', async () => {
    const key = await ada.withKey('monitors:read')
    const answer = await key.post('/api/keys', { name: 'more', scopes: ['monitors:write'] })
    expectProblem(answer, 403, 'missing_scope', 'Missing scope')
    expect(answer.body.detail).toContain('monitors:write')
  })

  it('403 for what needs a person', async () => {
    expectProblem(await (await ada.withKey()).get('/api/users'), 403, 'forbidden', 'Forbidden')
  })

  it('404 for a path that is not there', async () => {
    expectProblem(await server.anyone.get('/api/nothing'), 404, 'not_found', 'Not found')
    expectProblem(await server.anyone.get('/nothing/here?at=all'), 404, 'not_found', 'Not found')
  })

  it.each(['0', '-1', 'abc', '1.5', '1e3', '9'.repeat(20), '9'.repeat(400), '%00'])('404 for the id %s', async (id) =>
    expectProblem(await ada.session.get(`/api/keys/${id}`), 404, 'not_found', 'Not found'),
  )

  it('405 with the methods that a path takes', async () => {
    const answer = await ada.session.call('PATCH', '/api/keys')
    expectProblem(answer, 405, 'method_not_allowed', 'Method not allowed')
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST')
    const one = await ada.session.call('PUT', '/api/keys/12')
    expect(one.headers.get('allow')).toBe('DELETE, GET, HEAD')
  })

  it('409 for what cannot be done now', async () => {
    expectProblem(await ada.session.delete(`/api/users/${ada.id}`), 409, 'conflict', 'Conflict')
  })

  it('413 for a body over 1 MiB, and not for one of just that', async () => {
    const padded = (size: number) => {
      const json = JSON.stringify({ name: '', scopes: ['monitors:read'] })
      return json.replace('""', JSON.stringify('n'.repeat(size - json.length)))
    }
    const headers = { 'content-type': 'application/json' }
    const over = await ada.session.call('POST', '/api/keys', { body: padded(1_048_577), headers })
    expectProblem(over, 413, 'too_large', 'Too large')
    const just = await ada.session.call('POST', '/api/keys', { body: padded(1_048_576), headers })
    expectProblem(just, 422, 'validation_failed', 'Validation failed')
  })

  it.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', ''])(
    '415 for a body of type "%s"',
    async (type) => {
      const answer = await ada.session.call('POST', '/api/keys', {
        body: new TextEncoder().encode('name=x'),
        headers: type === '' ? {} : { 'content-type': type },
      })
      expectProblem(answer, 415, 'unsupported_media_type', 'Unsupported media type')
    },
  )

  it('422 with sentences by field', async () => {
    const answer = await ada.session.post('/api/keys', { scopes: ['monitors:read', 'moon:read'], colour: 'red' })
    expectProblem(answer, 422, 'validation_failed', 'Validation failed')
    expect(answer.body.errors).toEqual({
      name: ['`name` is required.'],
      colour: ['`colour` is not a known field.'],
      'scopes.1': [
        '`scopes.1` must be one of monitors:read, monitors:write, providers:read, providers:write, websites:read, websites:write.',
      ],
    })
    expect(Object.values(answer.body.errors).flat()).toContain(answer.body.detail)
  })

  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', '__proto__', '__defineGetter__'])(
    '422 also for a field that is called %s',
    async (field) => {
      const form = { email: 'ada@example.com', password: 'x', [field]: '1' }
      const answers = [await server.anyone.call('POST', '/api/session', { form })]
      if (field !== '__proto__') answers.push(await server.anyone.post('/api/session', form))
      for (const answer of answers) {
        expectProblem(answer, 422, 'validation_failed', 'Validation failed')
        expect(Object.entries(answer.body.errors)).toEqual([[field, [`\`${field}\` is not a known field.`]]])
      }
    },
  )

  it('500 for a bug of ours, with nothing of its inside, and the log has it', async () => {
    const broken = await startTestServer()
    try {
      const eve = await broken.person('eve')
      const client = new pg.Client(broken.database.connection)
      await client.connect()
      await client.query('alter table belfry.api_keys rename column name to title')
      await client.end()
      const answer = await eve.session.get('/api/keys')
      expectProblem(answer, 500, 'internal', 'Internal error')
      expect(answer.text).not.toMatch(/column|select|api_keys|\.ts/)
      const line = broken.logged.find((text) => text.includes(answer.body.request_id) && text.includes('"error"'))
      expect(line).toContain('column \\"name\\" does not exist')
    } finally {
      await broken.close()
    }
  })

  it('503 with Retry-After while the database is away, and all is well when it is back', async () => {
    const lonely = await startTestServer()
    const eve = await lonely.person('eve')
    const { database, ...elsewhere } = lonely.database.connection
    const client = new pg.Client({ ...elsewhere, database: 'postgres' })
    await client.connect()
    try {
      await client.query(`alter database ${database} allow_connections false`)
      await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = user',
        [database],
      )
      const answer = await eve.session.get('/api/keys')
      expectProblem(answer, 503, 'unavailable', 'Unavailable')
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expectProblem(await lonely.anyone.get('/readyz'), 503, 'unavailable', 'Unavailable')
      expect((await lonely.anyone.get('/healthz')).status).toBe(200)
      await client.query(`alter database ${database} allow_connections true`)
      expect((await eve.session.get('/api/keys')).status).toBe(200)
      expect((await lonely.anyone.get('/readyz')).status).toBe(200)
    } finally {
      await client.end()
      await lonely.close()
    }
  })
})

describe('every answer', () => {
  it('has a request id of its own, also in the log', async () => {
    const first = await ada.session.get('/api/keys')
    const second = await ada.session.get('/api/keys')
    const id = first.headers.get('x-request-id') ?? 'none'
    expect(id).not.toBe(second.headers.get('x-request-id'))
    expect(server.logged.some((line) => line.includes(id) && line.includes('GET /api/keys'))).toBe(true)
  })

  it('is not stored when it is somebody’s', async () => {
    expect((await ada.session.get('/api/keys')).headers.get('cache-control')).toBe('no-store')
  })

  it('is JSON, whatever the caller accepts', async () => {
    const answer = await ada.session.get('/api/keys', { headers: { accept: 'text/html' } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('carries headers that keep browsers from running it', async () => {
    const { headers } = await ada.session.get('/api/keys')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; frame-ancestors 'none'")
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  it('comes to HEAD as to GET, without a body', async () => {
    const answer = await ada.session.call('HEAD', '/api/keys')
    expect(answer.status).toBe(200)
    expect(answer.text).toBe('')
  })

  it('has no word of secrets in the log', async () => {
    const key = await ada.withKey()
    await key.get('/api/keys?token=hush', { headers: { 'x-forwarded-for': '203.0.113.9' } })
    await server.anyone.post('/api/session', { email: ada.email, password: ada.password })
    const log = server.logged.join('')
    for (const secret of [key.credentials.key, ada.session.credentials.cookie, ada.password, 'hush', '203.0.113.9']) {
      expect(log).not.toContain(secret)
    }
  })
})
