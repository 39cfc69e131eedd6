import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyPassword } from '../../../src/lib/password-hash.ts'
import type { Client } from '../../support/client.ts'
import type { TestServer } from '../../support/server.ts'
import { shareTestServer } from '../../support/shared-server.ts'

let server: TestServer
let keyClient: Client
let siteCount = 0
let path: string
let id: number

beforeAll(async () => {
  server = await shareTestServer()
  keyClient = await (await server.createUser('owner')).withKey('websites:read', 'websites:write')
})
afterAll(() => server.close())
beforeEach(async () => {
  const { body } = await keyClient.post('/api/v1/websites', {
    domain: `site-${siteCount++}.example.com`,
    exclude_ips: '192.0.2.1',
  })
  id = body.data.id
  path = `/api/v1/websites/${id}`
})

const readWebsite = async () => (await keyClient.get(path)).body.data

async function hasPassword(password: string): Promise<boolean> {
  const [row] = await server.services.db.query('select password_hash from websites where id = $1', [id])
  return verifyPassword(row?.['password_hash'], password)
}

describe.each(['PUT', 'PATCH'])('%s /api/v1/websites/{id}', (method) => {
  describe.each(['form', 'json'])('as %s', (encoding) => {
    const update = (fields: Record<string, string>) => keyClient.call(method, path, { [encoding]: fields })

    it.each([
      ['privacy', '1', 1],
      ['email', '1', 1],
      ['exclude_bots', '0', 0],
      ['exclude_params', 'ref\r\nref\r\n*', 'ref\n*'],
      ['exclude_ips', '10.9.8.7/8', '10.0.0.0/8'],
      ['exclude_ips', '', null],
      ['favorite', 'true', true],
      ['time_zone', 'America/New_York', 'America/New_York'],
    ])('changes %s to %j, and nothing else', async (field, sentValue, storedValue) => {
      const websiteBefore = await readWebsite()
      server.clock.advance({ seconds: 5 })
      const response = await update({ [field]: sentValue })
      expect(response.status).toBe(200)
      expect(response.body.data).toEqual({
        ...websiteBefore,
        [field]: storedValue,
        updated_at: server.clock.now().toISOString(),
      })
      expect(await readWebsite()).toEqual(response.body.data)
    })

    it('changes the password and never returns it', async () => {
      const response = await update({ password: 'open sesame' })
      expect(response.body.data).toMatchObject({ privacy: 0, has_password: true })
      expect(response.text).not.toContain('sesame')
      expect(await hasPassword('open sesame')).toBe(true)
      await update({ password: 'another' })
      expect(await hasPassword('open sesame')).toBe(false)
      expect(await hasPassword('another')).toBe(true)
    })

    it.each([
      ['privacy', '3', '`privacy` must be 0, 1 or 2.'],
      ['password', '', '`password` must not be empty.'],
      ['email', '7', '`email` must be 0 or 1.'],
      ['exclude_bots', 'x', '`exclude_bots` must be a whole number.'],
      ['exclude_params', 'a=b', /^`exclude_params` line 1 is not /],
      ['exclude_ips', '192.0.2.1\n\nfoo', /^`exclude_ips` line 3 is not /],
      ['favorite', '', '`favorite` must be true or false.'],
      ['time_zone', '', '`time_zone` must be a time zone such as Europe/Berlin.'],
      ['domain', 'other.example.com', '`domain` is not a known field.'],
      ['created_at', '2020-01-01T00:00:00Z', '`created_at` is not a known field.'],
    ])('rejects %s %j and changes nothing', async (field, sentValue, message) => {
      const websiteBefore = await readWebsite()
      const response = await update({ email: '1', [field]: sentValue })
      expect(response.status).toBe(422)
      expect(response.body.errors[field][0]).toMatch(message)
      expect(await readWebsite()).toEqual(websiteBefore)
    })

    it('accepts privacy 2 only with a password, sent or stored', async () => {
      const responseWithoutPassword = await update({ privacy: '2' })
      expect(responseWithoutPassword.status).toBe(422)
      expect(responseWithoutPassword.body.errors).toEqual({ password: ['`password` is required when `privacy` is 2.'] })
      expect((await update({ privacy: '2', password: 'sent' })).body.data).toMatchObject({
        privacy: 2,
        has_password: true,
      })
      expect((await update({ privacy: '0' })).body.data).toMatchObject({ privacy: 0, has_password: true })
      expect((await update({ privacy: '2' })).body.data).toMatchObject({ privacy: 2, has_password: true })
      expect(await hasPassword('sent')).toBe(true)
    })

    it('uses a password that was sent before privacy became 2', async () => {
      await update({ password: 'stored', privacy: '1' })
      expect((await update({ privacy: '2' })).body.data).toMatchObject({ privacy: 2, has_password: true })
      expect(await hasPassword('stored')).toBe(true)
    })
  })

  it('changes nothing if nothing is sent', async () => {
    const websiteBefore = await readWebsite()
    server.clock.advance({ seconds: 5 })
    expect((await keyClient.call(method, path, { json: {} })).body.data).toEqual(websiteBefore)
    expect((await keyClient.call(method, path)).body.data).toEqual(websiteBefore)
  })

  it('accepts null for an empty list', async () => {
    const response = await keyClient.call(method, path, { json: { exclude_ips: null } })
    expect(response.body.data.exclude_ips).toBe(null)
  })

  it('changes all fields in one request', async () => {
    const fields = { privacy: 2, email: 1, exclude_bots: 0, exclude_params: 'a', exclude_ips: '::1', favorite: true }
    const response = await keyClient.call(method, path, { json: { ...fields, password: 'x', time_zone: 'Asia/Tokyo' } })
    expect(response.body.data).toMatchObject({ ...fields, has_password: true, time_zone: 'Asia/Tokyo' })
  })
})
