import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '../support/client.ts'
import { createMonitor } from '../support/monitors.ts'
import { OutageFixture } from '../support/outage.ts'
import type { TestServer, TestUser } from '../support/server.ts'

interface Slot {
  starts_at: string
  seen: number
  expected: number
  low: number
  high: number
}

let fixture: OutageFixture
let server: TestServer
let owner: TestUser

beforeAll(async () => {
  fixture = await OutageFixture.start()
  ;({ server, owner } = fixture)
})
afterAll(() => server?.close())
beforeEach(() => server.clock.reset())

const visitsPath = (monitorId: number, incidentId: number) =>
  `/api/monitors/${monitorId}/incidents/${incidentId}/visits`

async function readVisits(monitorId: number, incidentId: number, client: Client = owner.session) {
  const { status, body, text } = await client.get(visitsPath(monitorId, incidentId))
  expect(status, text).toBe(200)
  return body.data as { from: string; to: string; slot_seconds: number; basis: string; slots: Slot[] }
}

describe('GET /api/monitors/{id}/incidents/{incident_id}/visits', () => {
  it('has the visits before, during and after the incident', async () => {
    const { monitorId } = await fixture.createOutage()
    const incidentId = await fixture.addIncident(monitorId, '10:01:30', '10:58:00')
    const { slots, ...range } = await readVisits(monitorId, incidentId)
    expect(range).toEqual({
      from: '2026-03-02T08:00:00.000Z',
      to: '2026-03-02T12:00:00.000Z',
      slot_seconds: 300,
      basis: 'profile',
    })
    expect(slots.map(({ starts_at }) => starts_at).slice(0, 2)).toEqual([
      '2026-03-02T08:00:00.000Z',
      '2026-03-02T08:05:00.000Z',
    ])
    expect(slots).toHaveLength(48)
    const sumSeen = (from: number, to: number) => slots.slice(from, to).reduce((sum, { seen }) => sum + seen, 0)
    expect(sumSeen(0, 24)).toBeGreaterThan(20)
    expect(sumSeen(24, 36)).toBe(0)
    expect(sumSeen(36, 48)).toBeGreaterThan(10)
    const hourOfOutage = slots.slice(24, 36)
    expect(hourOfOutage.reduce((sum, { expected }) => sum + expected, 0)).toBeGreaterThan(16)
    for (const { expected, low, high } of slots) {
      expect(low).toBeLessThanOrEqual(expected)
      expect(high).toBeGreaterThanOrEqual(expected)
    }
  })

  it('ends with the last slot that is over', async () => {
    const { monitorId } = await fixture.createOutage()
    const incidentId = await fixture.addIncident(monitorId, '11:30:00')
    server.clock.advance({ minutes: 7 })
    expect((await readVisits(monitorId, incidentId)).to).toBe('2026-03-02T12:05:00.000Z')
  })

  it.each([
    [{ hours: 13 }, 300],
    [{ days: 1 }, 900],
    [{ days: 40 }, 28_800],
    [{ days: 300 }, 172_800],
  ])('has longer slots for an incident of %j', async (duration, slotSeconds) => {
    const { monitorId } = await fixture.createOutage()
    const incidentId = await fixture.addIncident(monitorId, '11:30:00')
    const keyClient = await owner.withKey('monitors:read')
    server.clock.advance(duration)
    const { slot_seconds, slots } = await readVisits(monitorId, incidentId, keyClient)
    expect(slot_seconds).toBe(slotSeconds)
    expect(slots.length).toBeLessThanOrEqual(200)
    expect(slots.length).toBeGreaterThan(50)
  })

  it('has no slots without enough history', async () => {
    const { monitorId } = await fixture.createOutage({ perHour: 24, since: '2026-02-25T00:00:00Z' })
    const incidentId = await fixture.addIncident(monitorId, '10:00:00', '11:00:00')
    expect(await readVisits(monitorId, incidentId)).toMatchObject({ basis: 'too_little_history', slots: [] })
  })

  it('responds with 404 if the monitor has no website, and to other users', async () => {
    const monitor = await createMonitor(owner.session, { url: 'https://unregistered.example.org/' })
    const incidentId = await fixture.addIncident(monitor.id, '10:00:00', '11:00:00')
    expect((await owner.session.get(visitsPath(monitor.id, incidentId))).status).toBe(404)

    const { monitorId } = await fixture.createOutage()
    const path = visitsPath(monitorId, await fixture.addIncident(monitorId, '10:00:00', '11:00:00'))
    const stranger = await server.createUser('stranger')
    expect((await stranger.session.get(path)).status).toBe(404)
    expect((await owner.session.get(visitsPath(monitor.id, incidentId + 1))).status).toBe(404)
    expect((await (await owner.withKey('websites:read')).get(path)).status).toBe(403)
    expect((await (await owner.withKey('monitors:read')).get(path)).status).toBe(200)
  })
})
