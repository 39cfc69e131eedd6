/** Headers of monitors are secrets: Belfry stores them encrypted, and the API shows only their last characters. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { createMonitor, getMonitor, monitorsPath, postMonitor, shareMonitorFixture } from '../../support/monitors.ts'
import type { TestServer, TestUser } from '../../support/server.ts'

let server: TestServer
let owner: TestUser
let keyClient: Client

beforeAll(async () => {
  ;({ server, owner, keyClient } = await shareMonitorFixture())
})
afterAll(() => server.close())

const createTestMonitor = (headers: object) => createMonitor(keyClient, { http: { headers } })
const updateHeaders = (id: number, headers: object | null) =>
  keyClient.put(`${monitorsPath}/${id}`, { http: { headers } })

async function readEncryptedHeaders(id: number): Promise<Buffer | null> {
  const [row] = await server.services.db.query('select http_headers from monitors where id = $1', [id])
  return row?.['http_headers']
}

/** Returns the decrypted headers. */
async function readHeaders(id: number): Promise<object> {
  const encryptedHeaders = await readEncryptedHeaders(id)
  return encryptedHeaders === null
    ? {}
    : JSON.parse(server.services.secret.unseal('monitor headers', owner.id, encryptedHeaders))
}

describe('a header', () => {
  it('does not appear in responses, tables or logs', async () => {
    const value = 'Bearer opensesame1234'
    const headers = { 'idempotency-key': 'with-a-secret' }
    const createResponse = await postMonitor(keyClient, { http: { headers: { Authorization: value } } }, { headers })
    const { id } = createResponse.body.data
    expect(createResponse.body.data.http.headers).toEqual({ Authorization: '1234' })
    const responses = [
      createResponse,
      await keyClient.get(`${monitorsPath}/${id}`),
      await keyClient.get(monitorsPath),
      await keyClient.put(`${monitorsPath}/${id}`, {}),
    ]
    for (const { text } of responses) expect(text).not.toContain('sesame')
    const { db } = server.services
    for (const table of ['monitors', 'idempotency_keys']) {
      const [dump] = await db.query(`select count(*) as all, string_agg(t::text, ' ') as text from ${table} t`)
      expect(dump?.['all']).toBeGreaterThan(0)
      // PostgreSQL prints bytea values in hex.
      for (const text of ['sesame', Buffer.from('sesame').toString('hex')]) expect(dump?.['text']).not.toContain(text)
    }
    expect(server.logLines.join('\n')).not.toContain('sesame')
    expect(await readHeaders(id)).toEqual({ Authorization: value })
  })

  it('is encrypted differently each time, and only its owner can decrypt it', async () => {
    const firstMonitor = await createTestMonitor({ 'X-Token': 'the same value' })
    const secondMonitor = await createTestMonitor({ 'X-Token': 'the same value' })
    const encryptedHeaders = (await readEncryptedHeaders(firstMonitor.id)) as Buffer
    expect(encryptedHeaders.equals((await readEncryptedHeaders(secondMonitor.id)) as Buffer)).toBe(false)
    expect(() => server.services.secret.unseal('monitor headers', owner.id + 1, encryptedHeaders)).toThrow()
  })

  it.each([
    ['', ''],
    ['1', ''],
    ['1234567', ''],
    ['12345678', '5678'],
    ['  12345678 ', '5678'],
    ['tab\there: ÿ é', ' ÿ é'],
  ])('%j is displayed as %j', async (value, hint) => {
    const { id, http } = await createTestMonitor({ 'X-Token': value })
    expect(http?.headers).toEqual({ 'X-Token': hint })
    expect(await readHeaders(id)).toEqual({ 'X-Token': value.trim() })
  })

  it('keeps its value if its displayed characters are sent, and is removed if it is left out', async () => {
    const secrets = { Authorization: 'Bearer abcdef', 'X-Pin': '1234', 'X-Old': 'to be removed' }
    const { id, http } = await createTestMonitor(secrets)
    const { 'X-Old': _, ...remainingHeaders } = secrets
    const displayedHeaders = Object.fromEntries(
      Object.keys(remainingHeaders).map((name) => [name, http?.headers[name]]),
    )
    const response = await updateHeaders(id, { ...displayedHeaders, 'X-New': 'brand new one' })
    expect(response.body.data.http.headers).toEqual({ Authorization: 'cdef', 'X-Pin': '', 'X-New': ' one' })
    expect(await readHeaders(id)).toEqual({ ...remainingHeaders, 'X-New': 'brand new one' })
  })

  it('keeps its value if the case of its name changes', async () => {
    const { id } = await createTestMonitor({ Authorization: 'Bearer abcdef' })
    await updateHeaders(id, { authorization: 'cdef' })
    expect(await readHeaders(id)).toEqual({ authorization: 'Bearer abcdef' })
  })

  it('keeps its value if other fields change', async () => {
    const { id } = await createTestMonitor({ Authorization: 'Bearer abcdef' })
    await keyClient.put(`${monitorsPath}/${id}`, { friendly_name: 'Other', http: { method: 'POST' } })
    await keyClient.put(`${monitorsPath}/${id}`, await readEditableFields(id))
    expect(await readHeaders(id)).toEqual({ Authorization: 'Bearer abcdef' })
  })

  it('can get a new value, even one that equals the displayed characters of another header', async () => {
    const { id } = await createTestMonitor({ 'X-One': 'first value', 'X-Two': 'second thing' })
    await updateHeaders(id, { 'X-One': 'hing', 'X-Two': 'hing' })
    expect(await readHeaders(id)).toEqual({ 'X-One': 'hing', 'X-Two': 'second thing' })
  })

  it.each([
    ['an empty object', { http: { headers: {} } }],
    ['null', { http: { headers: null } }],
    ['http: null', { http: null }],
    ['type ping', { type: 'ping' }],
  ])('is removed by %s', async (_case, fields) => {
    const { id } = await createTestMonitor({ Authorization: 'Bearer abcdef' })
    expect((await keyClient.put(`${monitorsPath}/${id}`, fields)).status).toBe(200)
    expect(await readEncryptedHeaders(id)).toBe(null)
  })
})

describe('a stored header value', () => {
  const secrets = { Authorization: 'Bearer abcdef', 'X-Pin': '1234' }
  const hints = { Authorization: 'cdef', 'X-Pin': '' }
  const createWithSecrets = (fields: object = {}) =>
    createMonitor(keyClient, { url: 'https://127.0.0.1/health', http: { headers: secrets }, ...fields })
  /** Two requests that save a change, and one that only tries it. */
  const attempts = {
    PUT: (id: number, fields: object) => keyClient.put(`${monitorsPath}/${id}`, fields),
    PATCH: (id: number, fields: object) => keyClient.call('PATCH', `${monitorsPath}/${id}`, { json: fields }),
    try: (id: number, fields: object) => keyClient.post(`${monitorsPath}/try`, { monitor_id: id, ...fields }),
  }
  const otherOrigin = 'stored values are sent only to https://127.0.0.1'
  const notVerified = 'stored values are not sent to a server whose certificate is not verified'

  it.each([
    ['another host', { url: 'https://127.0.0.2/health' }, otherOrigin],
    ['another port', { url: 'https://127.0.0.1:444/health' }, otherOrigin],
    ['another scheme', { url: 'http://127.0.0.1/health' }, otherOrigin],
    ['another host, with the hints', { url: 'https://127.0.0.2/', http: { headers: hints } }, otherOrigin],
    ['a server whose certificate is not verified', { http: { verify_tls: false } }, notVerified],
    [
      'a server whose certificate is not verified, with the hints',
      { http: { verify_tls: false, headers: hints } },
      notVerified,
    ],
  ])('is not sent to %s', async (_case, fields, reason) => {
    const { id } = await createWithSecrets()
    for (const [name, attempt] of Object.entries(attempts)) {
      const { status, body } = await attempt(id, fields)
      expect([name, status, body.errors]).toEqual([
        name,
        422,
        { 'http.headers': [`\`http.headers\` must contain the full value of Authorization, X-Pin: ${reason}.`] },
      ])
    }
    expect(await getMonitor(keyClient, id)).toMatchObject({ url: 'https://127.0.0.1/health' })
  })

  it('must be sent in full with a new origin, unless the request replaces the value', async () => {
    const { id } = await createWithSecrets()
    const fields = { url: 'https://127.0.0.2/', http: { headers: { ...hints, Authorization: 'Bearer other' } } }
    for (const attempt of Object.values(attempts)) {
      expect((await attempt(id, fields)).body.errors['http.headers'][0]).toContain('the full value of X-Pin:')
    }
  })

  it('is sent to another origin if the request contains it in full, and can be removed', async () => {
    const { id } = await createWithSecrets()
    const move = (fields: object) => keyClient.put(`${monitorsPath}/${id}`, fields)
    expect((await move({ url: 'https://new.example.com/', http: { headers: secrets } })).status).toBe(200)
    expect(await readHeaders(id)).toEqual(secrets)
    expect((await move({ http: { headers: secrets, verify_tls: false } })).status).toBe(200)
    // The certificate was not verified before either, so the stored values are no less safe than before.
    expect((await move({ http: { verify_tls: false, headers: hints } })).status).toBe(200)
    expect((await move({ url: 'https://newer.example.com/', http: { headers: null } })).status).toBe(200)
    expect(await readHeaders(id)).toEqual({})
  })

  it('is lost if the type of the monitor changes and changes back', async () => {
    const { id } = await createWithSecrets()
    await keyClient.put(`${monitorsPath}/${id}`, { type: 'ping', url: 'evil.example.com' })
    await keyClient.put(`${monitorsPath}/${id}`, { type: 'http', url: 'https://evil.example.com/' })
    expect(await readHeaders(id)).toEqual({})
  })

  it('stays if only the path, method or body changes', async () => {
    const { id } = await createWithSecrets({ url: 'https://shop.example.com/health' })
    const fields = {
      url: 'https://SHOP.example.com:443/other?x=1',
      http: { method: 'POST', body: 'x', headers: hints },
    }
    for (const attempt of [attempts.PUT, attempts.PATCH]) expect((await attempt(id, fields)).status).toBe(200)
    expect(await readHeaders(id)).toEqual(secrets)
  })
})

/** Returns the fields that a client would send back after editing a monitor. */
async function readEditableFields(id: number) {
  const { friendly_name, url, type, interval, is_active, http } = await getMonitor(keyClient, id)
  return { friendly_name, url, type, interval, is_active, http }
}

describe('the headers of a monitor', () => {
  const createHeaders = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, `value ${n}`]))

  it.each([
    ['50 entries', createHeaders(50)],
    ['a name of every kind of character', { "aZ0!#$%&'*+-.^_`|~": 'x' }],
    ['a name of 100 characters', { ['n'.repeat(100)]: 'x' }],
    ['a value of 4096 characters', { 'X-Long': 'v'.repeat(4_096) }],
    ['names of built-in object properties', { constructor: 'x', toString: 'y', hasOwnProperty: 'z' }],
    ['common request headers', { Host: 'example.com', 'User-Agent': 'us', Cookie: 'a=b', 'Content-Type': 'x' }],
  ])('can have %s', async (_case, headers) => {
    const { id } = await createTestMonitor(headers)
    expect(await readHeaders(id)).toEqual(headers)
    expect((await updateHeaders(id, (await getMonitor(keyClient, id)).http?.headers as object)).status).toBe(200)
    expect(await readHeaders(id)).toEqual(headers)
  })

  it.each([
    ['51 entries', createHeaders(51), 'http.headers'],
    ['an empty name', { '': 'x' }, 'http.headers'],
    ['a space in a name', { 'X Token': 'x' }, 'http.headers'],
    ['a colon in a name', { 'X-Token:': 'x' }, 'http.headers'],
    ['a line break in a name', { 'X-Token\n': 'x' }, 'http.headers'],
    ['non-ASCII letters in a name', { 'X-Tökén': 'x' }, 'http.headers'],
    ['a name of 101 characters', { ['n'.repeat(101)]: 'x' }, 'http.headers'],
    ['a value of 4097 characters', { 'X-Long': 'v'.repeat(4_097) }, 'http.headers'],
    ['a line break in a value', { 'X-Token': 'a\r\nX-Other: b' }, 'http.headers'],
    ['a line break at the end of a value', { 'X-Token': 'a\n' }, 'http.headers'],
    ['a control character', { 'X-Token': 'a\x07b' }, 'http.headers'],
    ['characters outside of Latin-1', { 'X-Token': 'wörld 🔔' }, 'http.headers'],
    ['a null character', { 'X-Token': 'a\0b' }, 'http.headers.X-Token'],
    ['the same name twice', { 'X-Token': 'a', 'x-token': 'b' }, 'http.headers'],
    ['a number as value', { 'X-Token': 5 }, 'http.headers.X-Token'],
    ['null as value', { 'X-Token': null }, 'http.headers.X-Token'],
    ['a list instead of an object', ['X-Token: a'], 'http.headers'],
  ])('cannot have %s', async (_case, headers, field) => {
    const { id } = await createTestMonitor({ 'X-Existing': 'unchanged' })
    for (const response of [await postMonitor(keyClient, { http: { headers } }), await updateHeaders(id, headers)]) {
      expect(response.status).toBe(422)
      expect(Object.keys(response.body.errors)).toEqual([field])
    }
    expect(await readHeaders(id)).toEqual({ 'X-Existing': 'unchanged' })
  })

  it.each([
    ...['Connection', 'Content-Length', 'Expect', 'Keep-Alive', 'Proxy-Connection', 'TE', 'Trailer'],
    ...['Transfer-Encoding', 'transfer-encoding', 'Upgrade'],
  ])('cannot contain %s', async (name) => {
    const response = await postMonitor(keyClient, { http: { headers: { [name]: 'x' } } })
    expect(response.status).toBe(422)
    const sentence = `\`http.headers\` must not contain ${name}: Belfry sets this header.`
    expect(response.body.errors).toEqual({ 'http.headers': [sentence] })
  })
})
