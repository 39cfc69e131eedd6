import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let admin: Person
let owner: Person

beforeAll(async () => {
  server = await startTestServer()
  admin = await server.person('admin', { isAdmin: true })
  owner = await server.person('owner')
})
afterAll(() => server.close())

const fine = { email: 'new@example.com', password: 'correct horse battery' }

describe('POST /api/users', () => {
  it('makes an account that can sign in', async () => {
    const answer = await admin.session.post('/api/users', { ...fine, is_admin: true })
    expect(answer.status).toBe(201)
    const { id } = answer.body.data
    expect(answer.body.data).toEqual({ id, email: fine.email, is_admin: true, created_at: '2026-01-05T10:00:00.000Z' })
    expect(answer.headers.get('location')).toBe(`${server.address}/api/users/${id}`)
    expect((await admin.session.get(`/api/users/${id}`)).body).toEqual(answer.body)
    expect((await server.anyone.post('/api/session', fine)).status).toBe(200)
  })

  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('reads is_admin=%s in a form, and the same in JSON', async (text, is_admin) => {
    const form = await admin.session.call('POST', '/api/users', {
      form: { ...fine, email: `form-${text}@example.com`, is_admin: text },
    })
    expect(form.body.data.is_admin).toBe(is_admin)
    const json = await admin.session.post('/api/users', { ...fine, email: `json-${text}@example.com`, is_admin: text })
    expect(json.body.data.is_admin).toBe(is_admin)
    const number = await admin.session.post('/api/users', {
      ...fine,
      email: `number-${text}@example.com`,
      is_admin: Number(is_admin),
    })
    expect(number.body.data.is_admin).toBe(is_admin)
  })

  it('is_admin is false unless said', async () => {
    const answer = await admin.session.post('/api/users', { ...fine, email: 'plain@example.com' })
    expect(answer.body.data.is_admin).toBe(false)
  })

  it.each([
    [{ ...fine, email: 'no address' }, 'email', '`email` must be an email address.'],
    [{ ...fine, email: `${'a'.repeat(250)}@example.com` }, 'email', '`email` must have at most 254 characters.'],
    [{ password: fine.password }, 'email', '`email` is required.'],
    [{ ...fine, email: 'ADMIN@example.com' }, 'email', '`email` has already been taken.'],
    [{ ...fine, password: 'n'.repeat(9) }, 'password', '`password` must have at least 10 characters.'],
    [{ ...fine, password: 'n'.repeat(201) }, 'password', '`password` must have at most 200 characters.'],
    [{ ...fine, is_admin: 'yes' }, 'is_admin', '`is_admin` must be true or false.'],
    [{ ...fine, is_admin: 2 }, 'is_admin', '`is_admin` must be true or false.'],
    [{ ...fine, is_admin: null }, 'is_admin', '`is_admin` must be true or false.'],
    [{ ...fine, id: 7 }, 'id', '`id` is not a known field.'],
  ])('refuses %j', async (body, field, sentence) => {
    const answer = await admin.session.post('/api/users', body)
    expect(answer.status).toBe(422)
    expect(answer.body.errors[field]).toContain(sentence)
  })

  it('of one e-mail twice at the same moment makes one', async () => {
    const twin = { ...fine, email: 'twin@example.com' }
    const answers = await Promise.all([1, 2].map(() => admin.session.post('/api/users', twin)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422])
  })
})

describe('GET /api/users', () => {
  it('pages, newest first', async () => {
    const all = await admin.session.get('/api/users')
    const { total } = all.body.meta
    expect(all.body.data).toHaveLength(total)
    const page = await admin.session.get('/api/users?page=2&pageSize=2')
    expect(page.body.data).toEqual(all.body.data.slice(2, 4))
    expect(page.body.meta).toEqual({ page: 2, pageSize: 2, total, totalPages: Math.ceil(total / 2) })
    expect((await admin.session.get('/api/users?page=999')).body.data).toEqual([])
    expect(all.text).not.toContain('argon2')
  })

  it.each(['page=0', 'page=x', 'pageSize=0', 'pageSize=1001', 'page=1&page=2', 'page='])(
    'refuses %s',
    async (query) => {
      expect((await admin.session.get(`/api/users?${query}`)).status).toBe(422)
    },
  )
})

describe('only an administrator’s session', () => {
  it.each([
    ['GET', '/api/users'],
    ['POST', '/api/users'],
    ['GET', '/api/users/1'],
    ['DELETE', '/api/users/1'],
  ])('%s %s', async (method, path) => {
    for (const client of [owner.session, await owner.withKey(), await admin.withKey()]) {
      expect((await client.call(method, path)).status).toBe(403)
    }
    expect((await server.anyone.call(method, path)).status).toBe(401)
  })
})

describe('DELETE /api/users/:id', () => {
  it('removes everything that is theirs, and they are out at once', async () => {
    const leaver = await server.person('leaver')
    const key = await leaver.withKey()
    expect((await key.get('/api/keys')).status).toBe(200)
    expect((await leaver.session.get('/api/session')).status).toBe(200)
    const answer = await admin.session.delete(`/api/users/${leaver.id}`)
    expect(answer.body).toEqual({ id: leaver.id, object: 'user', deleted: true })
    expect((await key.get('/api/keys')).status).toBe(401)
    expect((await leaver.session.get('/api/session')).status).toBe(401)
    const [row] = await server.services.db.query(
      'select (select count(*) from api_keys where user_id = $1) + (select count(*) from sessions where user_id = $1) as left',
      [leaver.id],
    )
    expect(row?.['left']).toBe(0)
    expect((await admin.session.delete(`/api/users/${leaver.id}`)).status).toBe(404)
  })

  it('spares the last administrator, also from two at the same moment', async () => {
    const alone = await startTestServer()
    try {
      const [one, two] = [await alone.person('one', { isAdmin: true }), await alone.person('two', { isAdmin: true })]
      const answers = await Promise.all([
        one.session.delete(`/api/users/${two.id}`),
        two.session.delete(`/api/users/${one.id}`),
      ])
      const statuses = answers.map(({ status }) => status)
      expect(statuses).toContain(200)
      // The loser is out already, or is the last one.
      expect(statuses.some((status) => [401, 404, 409].includes(status))).toBe(true)
      const [row] = await alone.services.db.query('select count(*) as left from users where is_admin')
      expect(row?.['left']).toBe(1)
    } finally {
      await alone.close()
    }
  })
})

describe('Idempotency-Key', () => {
  const once = (key: string, body: object, by = admin) =>
    by.session.post('/api/users', body, { headers: { 'idempotency-key': key } })

  it('returns the first answer again for the same body', async () => {
    const body = { ...fine, email: 'idem@example.com' }
    const first = await once('key-1', body)
    const again = await once('key-1', { password: body.password, email: body.email })
    expect(again.status).toBe(201)
    expect(again.text).toBe(first.text)
    expect(again.headers.get('location')).toBe(first.headers.get('location'))
    expect(first.headers.get('idempotent-replayed')).toBe(null)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })

  it('refuses another body', async () => {
    await once('key-2', { ...fine, email: 'idem2@example.com' })
    const answer = await once('key-2', { ...fine, email: 'idem3@example.com' })
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toEqual({ 'Idempotency-Key': ['The Idempotency-Key was used for another request.'] })
  })

  it('forgets a request that failed', async () => {
    expect((await once('key-3', { ...fine, email: 'admin@example.com' })).status).toBe(422)
    expect((await once('key-3', { ...fine, email: 'idem4@example.com' })).status).toBe(201)
  })

  it('belongs to the caller', async () => {
    const other = await server.person('other-admin', { isAdmin: true })
    await once('key-4', { ...fine, email: 'idem5@example.com' })
    expect((await once('key-4', { ...fine, email: 'idem6@example.com' }, other)).status).toBe(201)
  })

  it('lets one of many at the same moment through; the others wait or get its answer', async () => {
    const body = { ...fine, email: 'idem7@example.com' }
    const answers = await Promise.all(Array.from({ length: 8 }, () => once('key-5', body)))
    const made = answers.filter(({ status }) => status === 201)
    expect(made.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
    expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(1)
    for (const { status, body } of answers.filter(({ status }) => status !== 201)) {
      expect([status, body.code]).toEqual([409, 'conflict'])
    }
  })

  it('is free again after 24 hours', async () => {
    await once('key-6', { ...fine, email: 'idem8@example.com' })
    server.clock.advance({ hours: 24, seconds: 1 })
    expect((await once('key-6', { ...fine, email: 'idem9@example.com' })).status).toBe(201)
  })

  it.each(['', ' ', 'k'.repeat(256), 'with space', 'with\ttab'])('refuses the key "%s"', async (key) => {
    const answer = await once(key, { ...fine, email: 'idem10@example.com' })
    expect(answer.status).toBe(422)
  })

  it('keeps no body', async () => {
    await once('key-7', { ...fine, email: 'idem11@example.com', password: 'a very telling password' })
    const rows = await server.services.db.query('select i::text as text from idempotency_keys i')
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain('telling')
  })
})
