import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { channelsPath, getSample, sampleWebhook } from '../../support/channels.ts'
import type { Client } from '../../support/client.ts'
import type { TestServer } from '../../support/server.ts'
import { shareTestServer } from '../../support/shared-server.ts'

let server: TestServer
let keyClient: Client
let slack: { id: number; [field: string]: unknown }
let channelPath: string

beforeAll(async () => {
  server = await shareTestServer()
  keyClient = await (await server.createUser('ada')).withKey()
})
afterAll(() => server.close())

beforeEach(async () => {
  slack = (await keyClient.post(channelsPath, { ...getSample('slack'), name: 'Ops' })).body.data
  channelPath = `${channelsPath}/${slack.id}`
  server.clock.advance({ seconds: 1 })
})

const update = (method: string, json: object) => keyClient.call(method, channelPath, { json })

describe.each(['PUT', 'PATCH'])('%s /api/providers/{id}', (method) => {
  it('changes only the fields that are sent', async () => {
    const { status, body } = await update(method, { name: 'Dev', channel: null })
    expect(status).toBe(200)
    expect(body.data).toEqual({
      ...slack,
      name: 'Dev',
      channel: null,
      updated_at: server.clock.now().toISOString(),
    })
    expect((await keyClient.get(channelPath)).body).toEqual(body)
  })

  it('replaces a secret only if it is sent', async () => {
    expect((await update(method, { username: 'Bell' })).body.data.webhook_url_hint).toBe('Path')
    expect((await update(method, { webhook_url: `${sampleWebhook}-next` })).body.data.webhook_url_hint).toBe('next')
  })

  it('changes nothing without fields', async () => {
    expect((await update(method, {})).body.data).toEqual(slack)
    expect((await update(method, { provider_type: 'slack' })).status).toBe(200)
  })

  it.each([
    ['provider_type', { provider_type: 'sms' }],
    ['phone_number', { phone_number: '+1234567' }],
    ['webhook_url', { webhook_url: null }],
    ['webhook_url', { webhook_url: 'ftp://hooks.example.com' }],
    ['webhook_url_hint', { webhook_url_hint: 'Path' }],
    ['name', { name: ' ' }],
    ['id', { id: 4 }],
  ])('rejects %s in %j, and changes nothing', async (field, input) => {
    const { status, body } = await update(method, { username: 'Changed', ...input })
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]])
    expect((await keyClient.get(channelPath)).body.data).toEqual(slack)
  })
})

describe('DELETE /api/providers/{id}', () => {
  it('deletes the channel and its assignments', async () => {
    const monitor = (await keyClient.post('/api/monitors', { friendly_name: 'Shop', url: 'https://example.com' })).body
      .data
    const assignmentsPath = `/api/monitors/${monitor.id}/notifications`
    await keyClient.post(assignmentsPath, { provider_id: slack.id })
    const response = await keyClient.delete(channelPath)
    expect([response.status, response.body]).toEqual([200, { id: slack.id, object: 'provider', deleted: true }])
    expect((await keyClient.get(assignmentsPath)).body).toEqual({ data: [], meta: { total: 0 } })
    expect((await keyClient.delete(channelPath)).status).toBe(404)
    expect((await keyClient.get(channelPath)).status).toBe(404)
  })

  it('is not needed if the user is deleted, which deletes the channels too', async () => {
    const deletedUser = await server.createUser('leaver')
    await deletedUser.session.post(channelsPath, { ...getSample('sms'), assign_by_default: true })
    await deletedUser.session.post('/api/monitors', { friendly_name: 'Shop', url: 'https://example.com' })
    await (await server.createUser('admin', { isAdmin: true })).session.delete(`/api/users/${deletedUser.id}`)
    for (const table of ['providers', 'monitors', 'monitor_counts', 'assignments']) {
      const rows = await server.services.db.query(`select 1 from ${table} where user_id = $1`, [deletedUser.id])
      expect([table, rows]).toEqual([table, []])
    }
  })
})
