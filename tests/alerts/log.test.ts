/** GET /api/monitors/:id/notifications/log */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectMissingScope, expectNotFound } from '../support/access.ts'
import { type AlertFixture, type NewAlert, startAlertFixture } from '../support/alerts.ts'
import type { Client } from '../support/client.ts'

let fixture: AlertFixture
let keyClient: Client
let path: string
let channelId: number
const alertIds: string[] = []

beforeAll(async () => {
  fixture = await startAlertFixture()
  keyClient = await fixture.owner.withKey('monitors:read', 'providers:read')
  path = `/api/monitors/${fixture.monitorId}/notifications/log`
  channelId = await fixture.createChannel({ name: 'Ops' })
  const { outbox } = await fixture.startNode()
  alertIds.push(await fixture.addAlert(channelId))
  await outbox.runOnce()
  fixture.receiver.respondWith(404, 'no_service')
  alertIds.push(await fixture.addAlert(channelId, { event: 'recovered', title: 'Shop is up again' }))
  await outbox.runOnce()
  alertIds.push(await fixture.addAlert(channelId, { event: 'reminder', title: 'Shop is still down' }))
})
afterAll(() => fixture.close())

describe('the log of alerts', () => {
  it('lists alerts with channel, times and response, newest first', async () => {
    const { status, body } = await keyClient.get(path)
    expect(status).toBe(200)
    const at = '2026-01-05T10:00:00.000Z'
    const commonFields = {
      incident_id: 1,
      provider_id: channelId,
      provider_type: 'slack',
      provider_name: 'Ops',
      created_at: at,
      message_alerts: 1,
      details: null,
    }
    expect(body).toEqual({
      data: [
        {
          ...commonFields,
          id: alertIds[2],
          message_id: alertIds[2],
          event: 'reminder',
          state: 'waiting',
          attempts: 0,
          last_attempt_at: null,
          next_attempt_at: at,
          title: 'Shop is still down',
          answer: null,
        },
        {
          ...commonFields,
          id: alertIds[1],
          message_id: alertIds[1],
          event: 'recovered',
          state: 'failed',
          attempts: 1,
          last_attempt_at: at,
          next_attempt_at: null,
          title: 'Shop is up again',
          answer: 'Slack responded with 404: no_service.',
        },
        {
          ...commonFields,
          id: alertIds[0],
          message_id: alertIds[0],
          event: 'down',
          state: 'sent',
          attempts: 1,
          last_attempt_at: at,
          next_attempt_at: null,
          title: 'Shop is down',
          answer: 'ok',
        },
      ],
      meta: { page: 1, pageSize: 20, total: 3, totalPages: 1 },
    })
  })

  it('is paginated', async () => {
    const { body } = await keyClient.get(`${path}?page=2&pageSize=2`)
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([alertIds[0]])
    expect(body.meta).toEqual({ page: 2, pageSize: 2, total: 3, totalPages: 2 })
    expect((await keyClient.get(`${path}?page=9`)).body.data).toEqual([])
  })

  it.each(['page=0', 'pageSize=101', 'pageSize=x'])('rejects %s', async (query) => {
    const { status, body } = await keyClient.get(`${path}?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([422, [query.split('=')[0]]])
  })

  it('can be filtered by one or several incidents', async () => {
    const monitorId = await fixture.createMonitor()
    const namesById = new Map<string, string>()
    const add = async (name: string, alert: NewAlert) =>
      namesById.set(await fixture.addAlert(channelId, { monitorId, ...alert }), name)
    await add('down 21', { incidentId: 21 })
    await add('reminder 21', { incidentId: 21, event: 'reminder' })
    await add('certificate', { incidentId: null, event: 'certificate' })
    await add('recovered 21', { incidentId: 21, event: 'recovered' })
    await add('down 22', { incidentId: 22 })
    await add('down 23', { incidentId: 23 })
    const readNamesAndTotal = async (parameters: string) => {
      const { body } = await keyClient.get(`/api/monitors/${monitorId}/notifications/log?${parameters}`)
      return [body.data.map(({ id }: { id: string }) => namesById.get(id)), body.meta.total]
    }
    expect(await readNamesAndTotal('incident_id=21')).toEqual([['recovered 21', 'reminder 21', 'down 21'], 3])
    expect(await readNamesAndTotal('incident_id=21&pageSize=1&page=2')).toEqual([['reminder 21'], 3])
    expect(await readNamesAndTotal('incident_id=22&incident_id=23&incident_id=99')).toEqual([['down 23', 'down 22'], 2])
    expect(await readNamesAndTotal('incident_id=99')).toEqual([[], 0])
    // Incident 1 has only alerts about the other monitor.
    expect(await readNamesAndTotal('incident_id=1')).toEqual([[], 0])
    const hundredIncidentsQuery = Array.from({ length: 100 }, (_, n) => `incident_id=${n + 1}`).join('&')
    expect((await readNamesAndTotal(hundredIncidentsQuery))[1]).toBe(5)
    const response = await keyClient.get(`${path}?${hundredIncidentsQuery}&incident_id=101`)
    expect([response.status, Object.keys(response.body.errors)]).toEqual([422, ['incident_id']])
  })

  it.each(['0', 'x', ''])('rejects the incident id %j', async (id) => {
    const { status, body } = await keyClient.get(`${path}?incident_id=${id}`)
    expect([status, Object.keys(body.errors)]).toEqual([422, ['incident_id.0']])
  })

  it('needs the scopes monitors:read and providers:read', async () => {
    expectMissingScope(await (await fixture.owner.withKey('monitors:read')).get(path), 'providers:read')
    expectMissingScope(await (await fixture.owner.withKey('providers:read')).get(path), 'monitors:read')
    expect((await fixture.server.anyone.get(path)).status).toBe(401)
  })

  it('of another user’s monitor looks like the log of a monitor that does not exist', async () => {
    const stranger = await fixture.server.createUser('stranger')
    for (const client of [await stranger.withKey(), stranger.session]) {
      expectNotFound(await client.get(path), await client.get('/api/monitors/999999/notifications/log'))
    }
  })

  it('is protected by row level security', async () => {
    const stranger = await fixture.server.createUser('another')
    const { keyId } = await stranger.withKey()
    const tenant = fixture.server.services.db.as({ teamId: stranger.id, userId: stranger.id, keyId, sessionId: null })
    expect(await tenant.query('select * from alerts')).toEqual([])
  })

  it('does not contain alerts of a deleted channel', async () => {
    const otherChannelId = await fixture.createChannel()
    await fixture.addAlert(otherChannelId)
    await fixture.owner.session.delete(`/api/providers/${otherChannelId}`)
    expect((await keyClient.get(path)).body.meta.total).toBe(3)
  })
})
