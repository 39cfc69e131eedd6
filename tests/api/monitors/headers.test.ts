/** Headers of a check are secrets: kept encrypted, and shown by their ends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { makeMonitor, path, postMonitor, showMonitor, startMonitoring } from '../../support/monitors.ts'
import type { Person, TestServer } from '../../support/server.ts'

let server: TestServer
let owner: Person
let key: Client

beforeAll(async () => {
  ;({ server, owner, key } = await startMonitoring())
})
afterAll(() => server.close())

const make = (headers: object) => makeMonitor(key, { http: { headers } })
const update = (id: number, headers: object | null) => key.put(`${path}/${id}`, { http: { headers } })

async function sealedOf(id: number): Promise<Buffer | null> {
  const [row] = await server.services.db.query('select http_headers from monitors where id = $1', [id])
  return row?.['http_headers']
}

/** As the checker will send them. */
async function storedIn(id: number): Promise<object> {
  const sealed = await sealedOf(id)
  return sealed === null ? {} : JSON.parse(server.services.secret.unseal('monitor headers', owner.id, sealed))
}

describe('a header', () => {
  it('is known to nobody but the check', async () => {
    const value = 'Bearer opensesame1234'
    const headers = { 'idempotency-key': 'with-a-secret' }
    const made = await postMonitor(key, { http: { headers: { Authorization: value } } }, { headers })
    const { id } = made.body.data
    expect(made.body.data.http.headers).toEqual({ Authorization: '1234' })
    const answers = [made, await key.get(`${path}/${id}`), await key.get(path), await key.put(`${path}/${id}`, {})]
    for (const { text } of answers) expect(text).not.toContain('sesame')
    const { db } = server.services
    for (const table of ['monitors', 'idempotency_keys']) {
      const [found] = await db.query(`select count(*) as all, string_agg(t::text, ' ') as text from ${table} t`)
      expect(found?.['all']).toBeGreaterThan(0)
      // Bytes are written as hex.
      for (const text of ['sesame', Buffer.from('sesame').toString('hex')]) expect(found?.['text']).not.toContain(text)
    }
    expect(server.logged.join('\n')).not.toContain('sesame')
    expect(await storedIn(id)).toEqual({ Authorization: value })
  })

  it('is sealed anew each time, for its owner alone', async () => {
    const one = await make({ 'X-Token': 'the same value' })
    const two = await make({ 'X-Token': 'the same value' })
    const sealed = (await sealedOf(one.id)) as Buffer
    expect(sealed.equals((await sealedOf(two.id)) as Buffer)).toBe(false)
    expect(() => server.services.secret.unseal('monitor headers', owner.id + 1, sealed)).toThrow()
  })

  it.each([
    ['', ''],
    ['1', ''],
    ['1234567', ''],
    ['12345678', '5678'],
    ['  12345678 ', '5678'],
    ['tab\there: ÿ é', ' ÿ é'],
  ])('%j is shown as %j', async (value, hint) => {
    const { id, http } = await make({ 'X-Token': value })
    expect(http?.headers).toEqual({ 'X-Token': hint })
    expect(await storedIn(id)).toEqual({ 'X-Token': value.trim() })
  })

  it('stays when what is shown of it is sent back, and is gone when it is left out', async () => {
    const secrets = { Authorization: 'Bearer abcdef', 'X-Pin': '1234', 'X-Old': 'to be removed' }
    const { id, http } = await make(secrets)
    const { 'X-Old': _, ...kept } = secrets
    const shown = Object.fromEntries(Object.keys(kept).map((name) => [name, http?.headers[name]]))
    const answer = await update(id, { ...shown, 'X-New': 'brand new one' })
    expect(answer.body.data.http.headers).toEqual({ Authorization: 'cdef', 'X-Pin': '', 'X-New': ' one' })
    expect(await storedIn(id)).toEqual({ ...kept, 'X-New': 'brand new one' })
  })

  it('stays under a name that is written otherwise', async () => {
    const { id } = await make({ Authorization: 'Bearer abcdef' })
    await update(id, { authorization: 'cdef' })
    expect(await storedIn(id)).toEqual({ authorization: 'Bearer abcdef' })
  })

  it('stays while other fields change', async () => {
    const { id } = await make({ Authorization: 'Bearer abcdef' })
    await key.put(`${path}/${id}`, { friendly_name: 'Other', http: { method: 'POST' } })
    await key.put(`${path}/${id}`, await withoutOurs(id))
    expect(await storedIn(id)).toEqual({ Authorization: 'Bearer abcdef' })
  })

  it('takes another value, also one that is the hint of another header', async () => {
    const { id } = await make({ 'X-One': 'first value', 'X-Two': 'second thing' })
    await update(id, { 'X-One': 'hing', 'X-Two': 'hing' })
    expect(await storedIn(id)).toEqual({ 'X-One': 'hing', 'X-Two': 'second thing' })
  })

  it.each([
    ['an empty object', { http: { headers: {} } }],
    ['null', { http: { headers: null } }],
    ['http: null', { http: null }],
    ['type ping', { type: 'ping' }],
  ])('is gone after %s', async (_what, fields) => {
    const { id } = await make({ Authorization: 'Bearer abcdef' })
    expect((await key.put(`${path}/${id}`, fields)).status).toBe(200)
    expect(await sealedOf(id)).toBe(null)
  })
})

/** The record as somebody would send it back after editing. */
async function withoutOurs(id: number) {
  const { friendly_name, url, type, interval, is_active, http } = await showMonitor(key, id)
  return { friendly_name, url, type, interval, is_active, http }
}

describe('headers', () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, `value ${n}`]))

  it.each([
    ['fifty', many(50)],
    ['a name of every kind of character', { "aZ0!#$%&'*+-.^_`|~": 'x' }],
    ['a name of 100 characters', { ['n'.repeat(100)]: 'x' }],
    ['a value of 4096 characters', { 'X-Long': 'v'.repeat(4_096) }],
    ['names that objects have anyway', { constructor: 'x', toString: 'y', hasOwnProperty: 'z' }],
    ['those that a site is asked by', { Host: 'example.com', 'User-Agent': 'us', Cookie: 'a=b', 'Content-Type': 'x' }],
  ])('may be %s', async (_what, headers) => {
    const { id } = await make(headers)
    expect(await storedIn(id)).toEqual(headers)
    expect((await update(id, (await showMonitor(key, id)).http?.headers as object)).status).toBe(200)
    expect(await storedIn(id)).toEqual(headers)
  })

  it.each([
    ['fifty-one', many(51), 'http.headers'],
    ['without a name', { '': 'x' }, 'http.headers'],
    ['with a space in a name', { 'X Token': 'x' }, 'http.headers'],
    ['with a colon in a name', { 'X-Token:': 'x' }, 'http.headers'],
    ['with a line break in a name', { 'X-Token\n': 'x' }, 'http.headers'],
    ['with other letters in a name', { 'X-Tökén': 'x' }, 'http.headers'],
    ['with a name of 101 characters', { ['n'.repeat(101)]: 'x' }, 'http.headers'],
    ['with a value of 4097 characters', { 'X-Long': 'v'.repeat(4_097) }, 'http.headers'],
    ['with a line break in a value', { 'X-Token': 'a\r\nX-Other: b' }, 'http.headers'],
    ['with a line break at the end of a value', { 'X-Token': 'a\n' }, 'http.headers'],
    ['with a control character', { 'X-Token': 'a\x07b' }, 'http.headers'],
    ['with letters that no header can carry', { 'X-Token': 'wörld 🔔' }, 'http.headers'],
    ['with a null character', { 'X-Token': 'a\0b' }, 'http.headers.X-Token'],
    ['twice', { 'X-Token': 'a', 'x-token': 'b' }, 'http.headers'],
    ['with a number', { 'X-Token': 5 }, 'http.headers.X-Token'],
    ['with null', { 'X-Token': null }, 'http.headers.X-Token'],
    ['a list', ['X-Token: a'], 'http.headers'],
  ])('may not be %s', async (_what, headers, field) => {
    const { id } = await make({ Kept: 'as it was' })
    for (const answer of [await postMonitor(key, { http: { headers } }), await update(id, headers)]) {
      expect(answer.status).toBe(422)
      expect(Object.keys(answer.body.errors)).toEqual([field])
    }
    expect(await storedIn(id)).toEqual({ Kept: 'as it was' })
  })

  it.each([
    ...['Connection', 'Content-Length', 'Expect', 'Keep-Alive', 'Proxy-Connection', 'TE', 'Trailer'],
    ...['Transfer-Encoding', 'transfer-encoding', 'Upgrade'],
  ])('leave %s to the check', async (name) => {
    const answer = await postMonitor(key, { http: { headers: { [name]: 'x' } } })
    expect(answer.status).toBe(422)
    const sentence = `\`http.headers\` must not contain ${name}: the check sets it itself.`
    expect(answer.body.errors).toEqual({ 'http.headers': [sentence] })
  })
})
