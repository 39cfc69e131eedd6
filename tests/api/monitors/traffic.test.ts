/** The monitor of a website with traffic alerts. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createMonitor, monitorsPath } from '../../support/monitors.ts'
import { readOverview } from '../../support/overview.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { createWatchedWebsite, findTrafficMonitor } from '../../support/traffic-monitors.ts'

let server: TestServer
let owner: TestUser

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
})
afterAll(() => server.close())
beforeEach(() => server.clock.reset())

describe('a monitor of type traffic', () => {
  it('can be renamed, tagged, paused and resumed', async () => {
    const { id } = await createWatchedWebsite(owner, { watch_traffic: true })
    const monitor = await findTrafficMonitor(owner, id)
    const path = `${monitorsPath}/${monitor.id}`
    const fields = { friendly_name: 'Visitors', tags: ['web'], remind_every: 60, is_active: false }
    expect((await owner.session.put(path, fields)).body.data).toMatchObject({ ...fields, status: 'paused' })
    const resumeResponse = await owner.session.post(`${monitorsPath}/bulk`, { ids: [monitor.id], action: 'resume' })
    expect(resumeResponse.status).toBe(200)
    const otherMonitor = await createMonitor(owner.session)
    expect((await owner.session.put(path, { depends_on: otherMonitor.id })).body.data.depends_on).toBe(otherMonitor.id)
  })

  it('is in the overview below its website, and can be on a status page', async () => {
    const user = await server.createUser('overseer')
    const { id } = await createWatchedWebsite(user, { watch_spikes: true })
    const monitor = await findTrafficMonitor(user, id)
    const { monitors } = await readOverview(user)
    expect(monitors).toMatchObject([{ id: monitor.id, type: 'traffic', website_id: id, status: 'pending' }])
    const groups = [{ name: 'Website', monitors: [{ monitor_id: monitor.id, label: 'Visits' }] }]
    const page = { slug: 'overseer', title: 'Status', groups }
    expect((await user.session.post('/api/status-pages', page)).status).toBe(201)
    const status = await server.anyone.get('/status/overseer.json')
    expect(status.status).toBe(200)
    expect(status.text).toContain('Visits')
    expect(status.text).not.toContain('site-')
  })

  it('can be checked at any time, but has no result without two weeks of visits', async () => {
    const { id } = await createWatchedWebsite(owner, { watch_traffic: true })
    const { id: monitorId } = await findTrafficMonitor(owner, id)
    const response = await owner.session.post(`${monitorsPath}/${monitorId}/check`, {})
    expect(response.status).toBe(200)
    expect(response.body.data).toMatchObject({ ok: null, status: 'pending', cause: null, response_ms: null })
  })

  it('accepts the fields that a client has read and sends back', async () => {
    const { id } = await createWatchedWebsite(owner, { watch_traffic: true })
    const monitor = await findTrafficMonitor(owner, id)
    const { url, type, interval, timeout, retries, retry_interval, friendly_name } = monitor
    const fields = { url, type, interval, timeout, retries, retry_interval, friendly_name }
    const response = await owner.session.put(`${monitorsPath}/${monitor.id}`, fields)
    expect(response.status).toBe(200)
    expect(response.body.data).toEqual(monitor)
  })

  it.each([
    ['type', 'http', "can't be changed: the monitor belongs to the traffic alerts of a website"],
    ['type', 'heartbeat', "can't be changed: the monitor belongs to the traffic alerts of a website"],
    ['url', 'https://other.example.com/', "can't be changed for type traffic"],
    ['interval', 300, "can't be changed for type traffic"],
    ['timeout', 5, "can't be changed for type traffic"],
    ['retries', 1, "can't be changed for type traffic"],
    ['retry_interval', 10, "can't be changed for type traffic"],
    ['http', { method: 'HEAD' }, 'is only allowed for type http'],
  ])('has a fixed %s (%s)', async (field, value, rule) => {
    const { id } = await createWatchedWebsite(owner, { watch_traffic: true })
    const monitor = await findTrafficMonitor(owner, id)
    for (const method of ['PUT', 'PATCH']) {
      const response = await owner.session.call(method, `${monitorsPath}/${monitor.id}`, { json: { [field]: value } })
      expect(response.status).toBe(422)
      expect(response.body.errors[field]).toEqual([`\`${field}\` ${rule}.`])
    }
    expect(await findTrafficMonitor(owner, id)).toEqual(monitor)
  })

  const rule = "`type` can't be traffic: set `watch_traffic` or `watch_spikes` of the website instead."

  it('cannot be created like other monitors', async () => {
    for (const fields of [{}, { url: 'https://example.com/' }, { url: 7 }]) {
      const response = await owner.session.post(monitorsPath, { friendly_name: 'Visits', type: 'traffic', ...fields })
      expect(response.status).toBe(422)
      expect(response.body.errors).toEqual({ type: [rule] })
    }
  })

  it('cannot be the new type of another monitor', async () => {
    const { id } = await createMonitor(owner.session)
    const response = await owner.session.put(`${monitorsPath}/${id}`, { type: 'traffic' })
    expect(response.status).toBe(422)
    expect(response.body.errors.type).toEqual([rule])
  })

  it('cannot be tried before it is saved', async () => {
    const { id } = await createWatchedWebsite(owner, { watch_traffic: true })
    const monitor = await findTrafficMonitor(owner, id)
    for (const fields of [{ type: 'traffic', url: 'https://example.com/' }, { monitor_id: monitor.id }]) {
      const response = await owner.session.post(`${monitorsPath}/try`, fields)
      expect(response.status).toBe(422)
      expect(response.body.errors).toEqual({
        type: ["A traffic monitor can't be tried. Replay the traffic alerts of its website instead."],
      })
    }
  })
})
