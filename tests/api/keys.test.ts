import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { scopes } from '../../src/shared/scopes.ts'
import type { Client } from '../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { shareTestServer } from '../support/shared-server.ts'

let server: TestServer
let stranger: TestUser
let ownerCount = 0
let owner: TestUser

beforeAll(async () => {
  server = await shareTestServer()
  stranger = await server.createUser('stranger')
})
afterAll(() => server.close())
beforeEach(async () => {
  owner = await server.createUser(`owner${ownerCount++}`)
})

async function isAccepted(client: Client): Promise<boolean> {
  const { status } = await client.get('/api/keys')
  expect([200, 401]).toContain(status)
  return status === 200
}

describe('POST /api/keys', () => {
  it('returns the key itself only once', async () => {
    const response = await owner.session.post('/api/keys', { name: 'deploy', scopes: ['monitors:read'] })
    expect(response.status).toBe(201)
    const { id, key, ...fields } = response.body.data
    expect(response.headers.get('location')).toBe(`${server.address}/api/keys/${id}`)
    expect(key).toMatch(/^bf_[A-Za-z0-9_-]{43}$/)
    expect(fields).toEqual({
      name: 'deploy',
      scopes: ['monitors:read'],
      prefix: key.slice(0, 7),
      created_by_key: null,
      created_at: '2026-01-05T10:00:00.000Z',
      last_used_at: null,
    })
    const getResponse = await owner.session.get(`/api/keys/${id}`)
    expect(getResponse.body.data).toEqual({ id, ...fields })
    expect((await owner.session.get('/api/keys')).text).not.toContain(key)
  })

  it('accepts a form in which a list repeats its field name', async () => {
    const twoScopesResponse = await owner.session.call('POST', '/api/keys', {
      form: { name: 'two', scopes: ['monitors:read', 'providers:read'] },
    })
    expect(twoScopesResponse.body.data.scopes).toEqual(['monitors:read', 'providers:read'])
    const oneScopeResponse = await owner.session.call('POST', '/api/keys', {
      form: { name: 'one', scopes: 'monitors:read' },
    })
    expect(oneScopeResponse.body.data.scopes).toEqual(['monitors:read'])
  })

  it.each([
    [{ scopes: ['monitors:read'] }, 'name', '`name` is required.'],
    [{ name: '', scopes: ['monitors:read'] }, 'name', '`name` must not be empty.'],
    [{ name: 'n'.repeat(101), scopes: ['monitors:read'] }, 'name', '`name` must have at most 100 characters.'],
    [{ name: 7, scopes: ['monitors:read'] }, 'name', '`name` must be a string.'],
    [{ name: 'a\0b', scopes: ['monitors:read'] }, 'name', '`name` must not contain a null character.'],
    [{ name: 'x' }, 'scopes', '`scopes` is required.'],
    [{ name: 'x', scopes: [] }, 'scopes', '`scopes` must not be empty.'],
    [{ name: 'x', scopes: 'monitors:read' }, 'scopes', '`scopes` must be a list.'],
    [{ name: 'x', scopes: null }, 'scopes', '`scopes` must be a list.'],
    [{ name: 'x', scopes: ['monitors:read', 'monitors:read'] }, 'scopes', '`scopes` must not contain duplicates.'],
    [{ name: 'x', scopes: ['monitors:read'], user_id: 1 }, 'user_id', '`user_id` is not a known field.'],
  ])('rejects %j', async (body, field, message) => {
    const response = await owner.session.post('/api/keys', body)
    expect(response.status).toBe(422)
    expect(response.body.errors[field]).toEqual([message])
    expect((await owner.session.get('/api/keys')).body.meta.total).toBe(0)
  })

  it.each([[[]], ['text'], [7], [null]])('rejects a body that is %j', async (body) => {
    expect((await owner.session.post('/api/keys', body)).status).toBe(422)
  })

  it('accepts a name of 100 characters and every scope', async () => {
    const response = await owner.session.post('/api/keys', { name: 'n'.repeat(100), scopes })
    expect(response.body.data.scopes).toEqual(scopes)
  })

  it('lets a key create keys within its scopes, and records which key created them', async () => {
    const keyClient = await owner.withKey('monitors:read', 'monitors:write')
    const childResponse = await keyClient.post('/api/keys', { name: 'child', scopes: ['monitors:read'] })
    expect(childResponse.status).toBe(201)
    expect(childResponse.body.data.created_by_key).toBe(keyClient.keyId)
    const refusedResponse = await keyClient.post('/api/keys', {
      name: 'more',
      scopes: ['monitors:read', 'websites:read'],
    })
    expect(refusedResponse.status).toBe(403)
    expect(refusedResponse.body.code).toBe('missing_scope')
    expect(refusedResponse.body.detail).toContain('websites:read')
  })

  it('ignores Idempotency-Key, because a key is never stored in plain text', async () => {
    const headers = { 'idempotency-key': 'once' }
    const firstResponse = await owner.session.post('/api/keys', { name: 'a', scopes: ['monitors:read'] }, { headers })
    const secondResponse = await owner.session.post('/api/keys', { name: 'a', scopes: ['monitors:read'] }, { headers })
    expect(secondResponse.body.data.id).not.toBe(firstResponse.body.data.id)
  })
})

describe('GET /api/keys', () => {
  it('lists the caller’s keys, newest first, without the secret parts', async () => {
    await owner.withKey('monitors:read')
    const newestKeyClient = await owner.withKey('providers:read')
    await stranger.withKey('monitors:read')
    const response = await newestKeyClient.get('/api/keys')
    expect(response.body.meta).toEqual({ total: 2 })
    expect(response.body.data.map((key: { name: string }) => key.name)).toEqual(['providers:read', 'monitors:read'])
    expect(Object.keys(response.body.data[0])).not.toContain('key')
  })

  it('returns an empty list to a user without keys', async () => {
    expect((await owner.session.get('/api/keys')).body).toEqual({ data: [], meta: { total: 0 } })
  })

  it('reports when a key was last used, without a write per request', async () => {
    const keyClient = await owner.withKey()
    await keyClient.get('/api/keys')
    const responseBefore = await owner.session.get(`/api/keys/${keyClient.keyId}`)
    expect(responseBefore.body.data.last_used_at).toBe(null)
    await server.services.lastUsedTimes.flush(server.services.db)
    const responseAfter = await owner.session.get(`/api/keys/${keyClient.keyId}`)
    expect(responseAfter.body.data.last_used_at).toBe('2026-01-05T10:00:00.000Z')
  })
})

describe('another user’s key', () => {
  it('is not found', async () => {
    const strangersKeyClient = await stranger.withKey()
    const missingResponse = await owner.session.get('/api/keys/999999')
    for (const response of [
      await owner.session.get(`/api/keys/${strangersKeyClient.keyId}`),
      await owner.session.delete(`/api/keys/${strangersKeyClient.keyId}`),
    ]) {
      expect(response.status).toBe(404)
      expect({ ...response.body, request_id: '' }).toEqual({ ...missingResponse.body, request_id: '' })
    }
    expect(await isAccepted(strangersKeyClient)).toBe(true)
  })
})

describe('DELETE /api/keys/:id', () => {
  it('revokes the key immediately', async () => {
    const keyClient = await owner.withKey()
    expect(await isAccepted(keyClient)).toBe(true)
    const response = await owner.session.delete(`/api/keys/${keyClient.keyId}`)
    expect(response.body).toEqual({ id: keyClient.keyId, object: 'api_key', deleted: true })
    expect(await isAccepted(keyClient)).toBe(false)
    expect((await owner.session.delete(`/api/keys/${keyClient.keyId}`)).status).toBe(404)
  })

  it('refuses a key that lacks a scope of the deleted key', async () => {
    const broadKeyClient = await owner.withKey('monitors:read', 'monitors:write')
    const narrowKeyClient = await owner.withKey('monitors:read')
    const response = await narrowKeyClient.delete(`/api/keys/${broadKeyClient.keyId}`)
    expect(response.status).toBe(403)
    expect(await isAccepted(broadKeyClient)).toBe(true)
    expect((await broadKeyClient.delete(`/api/keys/${narrowKeyClient.keyId}`)).status).toBe(200)
  })

  it('lets a key revoke itself', async () => {
    const keyClient = await owner.withKey('monitors:read')
    expect((await keyClient.delete(`/api/keys/${keyClient.keyId}`)).status).toBe(200)
    expect(await isAccepted(keyClient)).toBe(false)
  })

  async function createKeyFamily() {
    const parent = await owner.withKey('monitors:read')
    const createChild = async (parent: Client) => {
      const { id, key } = (await parent.post('/api/keys', { name: 'x', scopes: ['monitors:read'] })).body.data
      return Object.assign(server.anyone.as({ key }), { keyId: id as number })
    }
    const child = await createChild(parent)
    const grandchild = await createChild(child)
    return { parent, child, grandchild }
  }

  it('by a session also deletes the keys that the deleted key created', async () => {
    const { parent, child, grandchild } = await createKeyFamily()
    await owner.session.delete(`/api/keys/${parent.keyId}`)
    expect(await isAccepted(child)).toBe(false)
    expect(await isAccepted(grandchild)).toBe(false)
  })

  it('by a session keeps the keys that the deleted key created, on request', async () => {
    const { parent, child, grandchild } = await createKeyFamily()
    await owner.session.delete(`/api/keys/${parent.keyId}?descendants=keep`)
    expect(await isAccepted(parent)).toBe(false)
    expect(await isAccepted(child)).toBe(true)
    expect(await isAccepted(grandchild)).toBe(true)
  })

  it('by a key keeps the keys that the deleted key created, so that keys can be rotated', async () => {
    const { parent, child, grandchild } = await createKeyFamily()
    await child.delete(`/api/keys/${child.keyId}`)
    expect(await isAccepted(grandchild)).toBe(true)
    // The grandchild becomes a child of the parent, so that revoking the parent still revokes the grandchild.
    expect((await grandchild.get(`/api/keys/${grandchild.keyId}`)).body.data.created_by_key).toBe(parent.keyId)
    await owner.session.delete(`/api/keys/${parent.keyId}`)
    expect(await isAccepted(grandchild)).toBe(false)
  })

  it('by a key deletes the keys that the deleted key created, on request', async () => {
    const { parent, child, grandchild } = await createKeyFamily()
    await parent.delete(`/api/keys/${parent.keyId}?descendants=revoke`)
    expect(await isAccepted(child)).toBe(false)
    expect(await isAccepted(grandchild)).toBe(false)
  })

  it('rejects a value of `descendants` other than revoke and keep', async () => {
    const { parent } = await createKeyFamily()
    const response = await owner.session.delete(`/api/keys/${parent.keyId}?descendants=maybe`)
    expect(response.status).toBe(422)
    expect(response.body.errors.descendants).toEqual(['`descendants` must be revoke or keep.'])
  })

  it('accepts an empty body with a JSON content type', async () => {
    const keyClient = await owner.withKey()
    const response = await owner.session.delete(`/api/keys/${keyClient.keyId}`, {
      headers: { 'content-type': 'application/json' },
    })
    expect(response.status).toBe(200)
  })
})

describe('a key on several nodes', () => {
  it('stops working on all nodes immediately after it is revoked, even while in use', async () => {
    const otherNode = await startTestServer({ database: server.database })
    try {
      const keyClient = await owner.withKey()
      const clientOnOtherNode = otherNode.anyone.as(keyClient.credentials)
      expect(await isAccepted(keyClient)).toBe(true)
      expect(await isAccepted(clientOnOtherNode)).toBe(true)
      let isRevoked = false
      const lastStatuses = [keyClient, clientOnOtherNode].map(async (client) => {
        for (;;) {
          const wasRevoked = isRevoked
          const { status } = await client.get('/api/keys')
          if (wasRevoked) return status
        }
      })
      await owner.session.delete(`/api/keys/${keyClient.keyId}`)
      isRevoked = true
      expect(await Promise.all(lastStatuses)).toEqual([401, 401])
    } finally {
      await otherNode.close()
    }
  })
})

describe('an invalid credential', () => {
  it.each([
    'Bearer nonsense',
    `Bearer bf_${'A'.repeat(43)}`,
    `Bearer bf_${'A'.repeat(42)}`,
    'Basic YWRhOnB3',
    'Bearer',
  ])('such as %s is refused', async (authorization) => {
    const response = await server.anyone.get('/api/keys', { headers: { authorization } })
    expect(response.status).toBe(401)
  })

  it('such as an API key in the session cookie is refused, even if the key is cached', async () => {
    const keyClient = await owner.withKey()
    expect(await isAccepted(keyClient)).toBe(true)
    expect(await isAccepted(server.anyone.as({ cookie: keyClient.credentials.key ?? '' }))).toBe(false)
  })

  it('is refused despite a valid session cookie', async () => {
    const response = await owner.session.get('/api/keys', { headers: { authorization: 'Bearer nonsense' } })
    expect(response.status).toBe(401)
  })
})
