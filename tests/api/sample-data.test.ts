import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createJob } from '../../src/app/jobs.ts'
import { measureDueIncidents } from '../../src/impact/measure.ts'
import type { AccountIncidentRecord } from '../../src/incident-response/schema.ts'
import { deleteRemovedTraffic } from '../../src/traffic/retention/removal.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { fetchOverview, sendView } from '../support/traffic.ts'

const path = '/api/sample-data'

let server: TestServer
let ada: TestUser
let eve: TestUser

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.createUser('ada')
  eve = await server.createUser('eve')
})
afterAll(() => server.close())

describe('sample data', () => {
  it('is a private website with 90 days of traffic and a paused monitor with history', {
    timeout: 60_000,
  }, async () => {
    const response = await ada.session.put(path, { time_zone: 'Europe/Berlin' })
    expect(response.status, response.text).toBe(200)
    const { id, domain } = response.body.data
    expect(response.body.data).toMatchObject({ is_sample: true, privacy: 1, email: 0, time_zone: 'Europe/Berlin' })
    expect(domain).toMatch(/^lantern-[a-z\d]{5}\.example$/)
    const { totals } = await fetchOverview(ada.session, id, 'from=2025-10-08&to=2026-01-05')
    expect(totals.visitors).toBeGreaterThan(3_500)
    expect(totals.bounce_rate).toBeGreaterThan(20)
    const { data: monitors } = (await ada.session.get('/api/monitors')).body
    expect(monitors).toMatchObject([
      { friendly_name: 'Lantern shop (sample)', status: 'paused', is_active: false, is_sample: true },
    ])
    const incidents = (await ada.session.get(`/api/monitors/${monitors[0].id}/incidents?window=6mo`)).body
    expect(incidents.data).toHaveLength(4)
    expect(incidents.meta.uptime_percent).toBeGreaterThan(99.9)
    await measureDueIncidents(server.services)
    const [latestIncident] = (await ada.session.get(`/api/monitors/${monitors[0].id}/incidents?window=6mo`)).body.data
    expect(latestIncident.impact).toMatchObject({ basis: 'profile', visits_seen: 0 })
    expect(latestIncident.impact.visits_missed).toBeGreaterThan(2)
    const { data: checkDays } = (await ada.session.get(`/api/monitors/${monitors[0].id}/checks?window=30d`)).body
    expect(checkDays.length).toBeGreaterThanOrEqual(30)
    expect(checkDays.every(({ p50_ms }: { p50_ms: number }) => p50_ms > 50 && p50_ms < 400)).toBe(true)

    const { data: hours, meta } = (await ada.session.get(`/api/monitors/${monitors[0].id}/checks?window=24h`)).body
    expect(hours.every(({ total }: { total: number }) => total > 0)).toBe(true)
    expect(meta.recent).toHaveLength(60)
    const listIncidents = async (query: string) => (await ada.session.get(`/api/incidents?${query}`)).body
    const all = await listIncidents('')
    expect(all.meta).toMatchObject({ total: 4, open: 0, resolved: 4, sample: 4 })
    expect(all.data.map(({ monitor }: AccountIncidentRecord) => monitor.is_sample)).toEqual([true, true, true, true])
    expect((await listIncidents('is_sample=true&state=resolved')).meta).toMatchObject({ total: 4, sample: 4 })
    expect((await listIncidents('is_sample=false')).meta).toMatchObject({ total: 0, resolved: 0, sample: 0 })

    expect((await ada.session.post(`/api/monitors/${monitors[0].id}/check`)).body.errors.id[0]).toContain(
      "The monitor of the sample shop can't be checked.",
    )

    const { websites, summary } = (await ada.session.get('/api/overview')).body.data
    expect(websites).toMatchObject([{ id, is_sample: true, has_traffic: true }])
    expect(websites[0].visitors_today).toBeGreaterThan(0)
    expect(summary).toMatchObject({ visitors_today: 0, visitors_yesterday: 0, uptime_percent: null, paused: 0 })

    expect((await ada.session.put(path, {})).body.data.id).toBe(id)
    expect((await eve.session.get(`/api/v1/websites/${id}`)).status).toBe(404)
    expect((await eve.session.delete(path)).status).toBe(404)
    expect((await sendView(server, domain, '/')).headers.get('x-belfry-dropped')).toBe('unknown_site')
    const updateResponse = await ada.session.put(`/api/v1/websites/${id}`, { email: 1 })
    expect(updateResponse.body.errors).toEqual({
      email: ["The sample shop can't have a weekly report. Turn it on for a website of your own instead."],
    })
    const resume = await ada.session.put(`/api/monitors/${monitors[0].id}`, { is_active: true })
    expect(resume.body.errors.is_active[0]).toContain("The monitor of the sample shop can't be resumed.")
    const bulk = await ada.session.post('/api/monitors/bulk', { ids: [monitors[0].id], action: 'resume' })
    expect(bulk.status).toBe(422)

    expect((await ada.session.delete(path)).body).toEqual({ id, object: 'website', deleted: true })
    expect((await ada.session.get('/api/monitors')).body.meta.total).toBe(0)
    expect((await ada.session.get('/api/v1/websites')).body.meta.total).toBe(0)
    await deleteRemovedTraffic({ db: server.services.db.on('background') })
    for (const table of [
      'events',
      'visits',
      'traffic_blocks',
      'traffic_days',
      'traffic_counts',
      'traffic_values',
      'check_days',
      'incidents',
    ]) {
      expect(await server.services.db.query(`select from ${table}`), table).toEqual([])
    }
    expect((await ada.session.delete(path)).status).toBe(404)
  })

  it('gets its traffic from a job if the server stopped before it was added', { timeout: 60_000 }, async () => {
    const bob = await server.createUser('bob')
    const { id } = (await bob.session.post('/api/v1/websites', { domain: 'bob.example' })).body.data
    await server.services.db.query('update websites set is_sample = true, email = 0 where id = $1', [id])
    const job = createJob('add missing visits of sample websites', server.services)
    await job.run()
    const readOverview = () => fetchOverview(bob.session, id, 'from=2025-10-08&to=2026-01-05')
    // The request that created the website may still add the traffic.
    expect((await readOverview()).totals.visitors).toBe(0)
    server.clock.advance({ minutes: 2 })
    await job.run()
    const { totals } = await readOverview()
    expect(totals.visitors).toBeGreaterThan(3_500)
    await job.run()
    expect((await readOverview()).totals).toEqual(totals)
  })

  it('rejects an unknown time zone', async () => {
    const response = await eve.session.put(path, { time_zone: 'Mars/Olympus' })
    expect(response.status).toBe(422)
    expect(response.body.errors.time_zone[0]).toContain('`time_zone` must be a time zone')
    expect((await eve.session.get('/api/v1/websites')).body.meta.total).toBe(0)
  })
})
