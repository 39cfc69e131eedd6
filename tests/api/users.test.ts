import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addMember } from '../support/authorization/things.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

let server: TestServer
let admin: TestUser
let owner: TestUser

beforeAll(async () => {
  server = await startTestServer()
  admin = await server.createUser('admin', { isAdmin: true })
  owner = await server.createUser('owner')
})
afterAll(() => server.close())

const validUser = { email: 'new@example.com', password: 'correct horse battery' }

describe('POST /api/users', () => {
  it('creates an account that can sign in', async () => {
    const response = await admin.session.post('/api/users', { ...validUser, is_admin: true })
    expect(response.status).toBe(201)
    const { id } = response.body.data
    expect(response.body.data).toEqual({
      id,
      email: validUser.email,
      is_admin: true,
      created_at: '2026-01-05T10:00:00.000Z',
    })
    expect(response.headers.get('location')).toBe(`${server.address}/api/users/${id}`)
    expect((await admin.session.get(`/api/users/${id}`)).body).toEqual(response.body)
    expect((await server.anyone.post('/api/session', validUser)).status).toBe(200)
  })

  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('accepts is_admin=%s in a form and in JSON', async (text, is_admin) => {
    const formResponse = await admin.session.call('POST', '/api/users', {
      form: { ...validUser, email: `form-${text}@example.com`, is_admin: text },
    })
    expect(formResponse.body.data.is_admin).toBe(is_admin)
    const jsonResponse = await admin.session.post('/api/users', {
      ...validUser,
      email: `json-${text}@example.com`,
      is_admin: text,
    })
    expect(jsonResponse.body.data.is_admin).toBe(is_admin)
    const numberResponse = await admin.session.post('/api/users', {
      ...validUser,
      email: `number-${text}@example.com`,
      is_admin: Number(is_admin),
    })
    expect(numberResponse.body.data.is_admin).toBe(is_admin)
  })

  it('sets is_admin to false by default', async () => {
    const response = await admin.session.post('/api/users', { ...validUser, email: 'plain@example.com' })
    expect(response.body.data.is_admin).toBe(false)
  })

  it.each([
    [{ ...validUser, email: 'no address' }, 'email', '`email` must be an email address.'],
    [{ ...validUser, email: `${'a'.repeat(250)}@example.com` }, 'email', '`email` must have at most 254 characters.'],
    [{ password: validUser.password }, 'email', '`email` is required.'],
    [{ ...validUser, email: 'ADMIN@example.com' }, 'email', '`email` has already been taken.'],
    [{ ...validUser, password: 'n'.repeat(9) }, 'password', '`password` must have at least 10 characters.'],
    [{ ...validUser, password: 'n'.repeat(201) }, 'password', '`password` must have at most 200 characters.'],
    [{ ...validUser, is_admin: 'yes' }, 'is_admin', '`is_admin` must be true or false.'],
    [{ ...validUser, is_admin: 2 }, 'is_admin', '`is_admin` must be true or false.'],
    [{ ...validUser, is_admin: null }, 'is_admin', '`is_admin` must be true or false.'],
    [{ ...validUser, id: 7 }, 'id', '`id` is not a known field.'],
  ])('rejects %j', async (body, field, message) => {
    const response = await admin.session.post('/api/users', body)
    expect(response.status).toBe(422)
    expect(response.body.errors[field]).toContain(message)
  })

  it('creates one of two concurrent users with the same email', async () => {
    const twin = { ...validUser, email: 'twin@example.com' }
    const responses = await Promise.all([1, 2].map(() => admin.session.post('/api/users', twin)))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 422])
  })
})

describe('GET /api/users', () => {
  it('returns the users in pages, newest first', async () => {
    const newUsers = [await server.createUser('page-1'), await server.createUser('page-2')]
    const listResponse = await admin.session.get('/api/users')
    const { total } = listResponse.body.meta
    expect(listResponse.body.data).toHaveLength(total)
    expect(listResponse.body.data.slice(0, 2).map(({ id }: { id: number }) => id)).toEqual([
      newUsers[1]?.id,
      newUsers[0]?.id,
    ])
    const pageResponse = await admin.session.get('/api/users?page=2&pageSize=2')
    expect(pageResponse.body.data).toHaveLength(2)
    expect(pageResponse.body.data).toEqual(listResponse.body.data.slice(2, 4))
    expect(pageResponse.body.meta).toEqual({ page: 2, pageSize: 2, total, totalPages: Math.ceil(total / 2) })
    expect((await admin.session.get('/api/users?page=999')).body.data).toEqual([])
    expect(listResponse.text).not.toContain('argon2')
  })

  it.each(['page=0', 'page=x', 'pageSize=0', 'pageSize=1001', 'page=1&page=2', 'page='])(
    'rejects %s',
    async (query) => {
      expect((await admin.session.get(`/api/users?${query}`)).status).toBe(422)
    },
  )
})

describe('only an admin’s session can call', () => {
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
  it('deletes all data of the user and signs them out immediately', async () => {
    const leaver = await server.createUser('leaver')
    const keyClient = await leaver.withKey()
    expect((await keyClient.get('/api/keys')).status).toBe(200)
    expect((await leaver.session.get('/api/session')).status).toBe(200)
    const response = await admin.session.delete(`/api/users/${leaver.id}`)
    expect(response.body).toEqual({ id: leaver.id, object: 'user', deleted: true })
    expect((await keyClient.get('/api/keys')).status).toBe(401)
    expect((await leaver.session.get('/api/session')).status).toBe(401)
    const [row] = await server.services.db.query(
      'select (select count(*) from api_keys where user_id = $1) + (select count(*) from sessions where user_id = $1) as remaining',
      [leaver.id],
    )
    expect(row?.['remaining']).toBe(0)
    expect((await admin.session.delete(`/api/users/${leaver.id}`)).status).toBe(404)
  })

  it('refuses to delete the last owner of a team with other members', async () => {
    const owner = await server.createUser('last-owner')
    const member = await server.createUser('left-behind')
    await addMember(server, owner, member.id, 'admin')
    const refused = await admin.session.delete(`/api/users/${owner.id}`)
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict'])
    expect((await owner.session.get('/api/session')).status).toBe(200)
  })

  it('never deletes the last admin, even with two concurrent requests', async () => {
    const separateServer = await startTestServer()
    try {
      const [firstAdmin, secondAdmin] = [
        await separateServer.createUser('one', { isAdmin: true }),
        await separateServer.createUser('two', { isAdmin: true }),
      ]
      const responses = await Promise.all([
        firstAdmin.session.delete(`/api/users/${secondAdmin.id}`),
        secondAdmin.session.delete(`/api/users/${firstAdmin.id}`),
      ])
      const statuses = responses.map(({ status }) => status)
      expect(statuses).toContain(200)
      // The other request fails, because its sender is already deleted or because it would delete the last admin.
      expect(statuses.some((status) => [401, 404, 409].includes(status))).toBe(true)
      const [row] = await separateServer.services.db.query('select count(*) as remaining from users where is_admin')
      expect(row?.['remaining']).toBe(1)
    } finally {
      await separateServer.close()
    }
  })
})

describe('an Idempotency-Key', () => {
  const postOnce = (idempotencyKey: string, body: object, caller = admin) =>
    caller.session.post('/api/users', body, { headers: { 'idempotency-key': idempotencyKey } })

  it('returns the first response again for the same body', async () => {
    const body = { ...validUser, email: 'idem@example.com' }
    const firstResponse = await postOnce('key-1', body)
    const secondResponse = await postOnce('key-1', { password: body.password, email: body.email })
    expect(secondResponse.status).toBe(201)
    expect(secondResponse.text).toBe(firstResponse.text)
    expect(secondResponse.headers.get('location')).toBe(firstResponse.headers.get('location'))
    expect(firstResponse.headers.get('idempotent-replayed')).toBe(null)
    expect(secondResponse.headers.get('idempotent-replayed')).toBe('true')
  })

  it('rejects a different body', async () => {
    await postOnce('key-2', { ...validUser, email: 'idem2@example.com' })
    const response = await postOnce('key-2', { ...validUser, email: 'idem3@example.com' })
    expect(response.status).toBe(422)
    expect(response.body.errors).toEqual({
      'Idempotency-Key': ['This `Idempotency-Key` was used for a different request.'],
    })
  })

  it('can be reused after a failed request', async () => {
    expect((await postOnce('key-3', { ...validUser, email: 'admin@example.com' })).status).toBe(422)
    expect((await postOnce('key-3', { ...validUser, email: 'idem4@example.com' })).status).toBe(201)
  })

  it('is separate for each caller', async () => {
    const otherAdmin = await server.createUser('other-admin', { isAdmin: true })
    await postOnce('key-4', { ...validUser, email: 'idem5@example.com' })
    expect((await postOnce('key-4', { ...validUser, email: 'idem6@example.com' }, otherAdmin)).status).toBe(201)
  })

  it('runs one of many concurrent requests; the other requests conflict or get the same response', async () => {
    const body = { ...validUser, email: 'idem7@example.com' }
    const responses = await Promise.all(Array.from({ length: 8 }, () => postOnce('key-5', body)))
    const createdResponses = responses.filter(({ status }) => status === 201)
    expect(createdResponses.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
    expect(new Set(createdResponses.map(({ body }) => body.data.id)).size).toBe(1)
    for (const { status, body } of responses.filter(({ status }) => status !== 201)) {
      expect([status, body.code]).toEqual([409, 'conflict'])
    }
  })

  it('can be reused after 24 hours', async () => {
    onTestFinished(() => server.clock.reset())
    await postOnce('key-6', { ...validUser, email: 'idem8@example.com' })
    server.clock.advance({ hours: 24, seconds: 1 })
    expect((await postOnce('key-6', { ...validUser, email: 'idem9@example.com' })).status).toBe(201)
  })

  it.each(['', ' ', 'k'.repeat(256), 'with space', 'with\ttab'])('rejects the key "%s"', async (idempotencyKey) => {
    const response = await postOnce(idempotencyKey, { ...validUser, email: 'idem10@example.com' })
    expect(response.status).toBe(422)
  })

  it('does not store the request body', async () => {
    await postOnce('key-7', { ...validUser, email: 'idem11@example.com', password: 'a very telling password' })
    const rows = await server.services.db.query('select i::text as text from idempotency_keys i')
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain('telling')
  })
})
