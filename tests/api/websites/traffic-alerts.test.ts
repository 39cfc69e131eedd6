/** The settings `watch_traffic`, `watch_spikes` and `silence_alarms_a_year`, and the monitor that belongs to them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defaultMonitor, monitorsPath } from '../../support/monitors.ts'
import { createSeededRandom, drawVisits, insertPastVisits } from '../../support/past-visits.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { createWatchedWebsite, findTrafficMonitor } from '../../support/traffic-monitors.ts'
import { websitesPath } from '../../support/websites.ts'

let server: TestServer
let owner: TestUser
let stranger: TestUser

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
  stranger = await server.createUser('stranger')
})
afterAll(() => server.close())
beforeEach(() => server.clock.reset())

const createWebsite = (user = owner, fields: object = {}) => createWatchedWebsite(user, fields)

const patch = (id: number, fields: object, user = owner) =>
  user.session.call('PATCH', `${websitesPath}/${id}`, { json: fields })

const findMonitor = (websiteId: number, user = owner) => findTrafficMonitor(user, websiteId)

describe('a new website', () => {
  it('has no traffic alerts', async () => {
    const { id } = await createWebsite()
    const { body } = await owner.session.get(`${websitesPath}/${id}`)
    expect(body.data).toMatchObject({ watch_traffic: false, watch_spikes: false, silence_alarms_a_year: 1 })
    expect(await findMonitor(id)).toBeUndefined()
    const list = await owner.session.get(websitesPath)
    expect(list.body.data[0]).toEqual(body.data)
  })

  it('can be created with traffic alerts', async () => {
    const { id } = await createWebsite(stranger, {
      watch_traffic: true,
      watch_spikes: true,
      silence_alarms_a_year: 2.5,
    })
    const { body } = await stranger.session.get(`${websitesPath}/${id}`)
    expect(body.data).toMatchObject({ watch_traffic: true, watch_spikes: true, silence_alarms_a_year: 2.5 })
    expect(await findMonitor(id, stranger)).toMatchObject({ type: 'traffic' })
  })

  it('accepts the settings of traffic alerts in a form', async () => {
    const { id } = await createWebsite(stranger)
    const form = { watch_spikes: '1', silence_alarms_a_year: '0.5' }
    const response = await stranger.session.call('PATCH', `${websitesPath}/${id}`, { form })
    expect(response.body.data).toMatchObject({ watch_spikes: true, silence_alarms_a_year: 0.5 })
  })
})

describe('turning on a traffic alert', () => {
  it.each(['watch_traffic', 'watch_spikes'])('creates the monitor of the website: %s', async (field) => {
    const { id, domain } = await createWebsite()
    server.clock.advance({ minutes: 1 })
    const response = await patch(id, { [field]: true })
    expect(response.status).toBe(200)
    expect(response.body.data).toMatchObject({ [field]: true, updated_at: '2026-01-05T10:01:00.000Z' })
    expect(await findMonitor(id)).toEqual({
      ...defaultMonitor,
      id: expect.any(Number),
      friendly_name: domain,
      url: `https://${domain}/`,
      type: 'traffic',
      watched_website_id: id,
      retries: 0,
      http: null,
      status_changed_at: '2026-01-05T10:01:00.000Z',
      created_at: '2026-01-05T10:01:00.000Z',
      updated_at: '2026-01-05T10:01:00.000Z',
    })
  })

  it('creates only one monitor for both alerts, even from concurrent requests', async () => {
    const { id } = await createWebsite()
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, n) => patch(id, n % 2 === 0 ? { watch_traffic: true } : { watch_spikes: true })),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(200))
    const rows = await server.services.db.query('select id from monitors where website_id = $1', [id])
    expect(rows).toHaveLength(1)
  })

  it('assigns the channels that are assigned by default', async () => {
    const user = await server.createUser('provided')
    const channel = { provider_type: 'email', recipient_email: 'ops@example.org', assign_by_default: true }
    const channelId = (await user.session.post('/api/providers', channel)).body.data.id
    const { id } = await createWebsite(user, { watch_traffic: true })
    const { id: monitorId } = await findMonitor(id, user)
    const { body } = await user.session.get(`${monitorsPath}/${monitorId}/notifications`)
    expect(body.data).toMatchObject([{ provider_id: channelId, enabled: true }])
  })

  it('needs only the scope websites:write', async () => {
    const { id } = await createWebsite()
    const keyClient = await owner.withKey('websites:write')
    expect((await keyClient.call('PATCH', `${websitesPath}/${id}`, { json: { watch_traffic: true } })).status).toBe(200)
    const reader = await owner.withKey('websites:read', 'monitors:write')
    expect((await reader.call('PATCH', `${websitesPath}/${id}`, { json: { watch_traffic: false } })).status).toBe(403)
  })

  it('for a website of another user responds with 404', async () => {
    const { id } = await createWebsite()
    expect((await patch(id, { watch_traffic: true }, stranger)).status).toBe(404)
    expect(await findMonitor(id)).toBeUndefined()
  })

  it('is refused until all checkers and workers run a version that supports it', async () => {
    const { id } = await createWebsite()
    const { cluster } = server.services
    for (const role of ['checker', 'worker'] as const) {
      cluster.recordHeartbeat([{ processId: 1, roles: [role], schemaVersion: 11 }])
      const response = await patch(id, { watch_traffic: true })
      expect(response.status).toBe(503)
      expect(response.body.detail).toContain('Finish the upgrade first.')
      const newWebsite = { domain: `late-${role}.example.com`, watch_spikes: true }
      expect((await owner.session.post(websitesPath, newWebsite)).status).toBe(503)
      expect((await patch(id, { watch_traffic: false, favorite: true })).status).toBe(200)
    }
    cluster.recordHeartbeat([{ processId: 1, roles: ['checker', 'worker'], schemaVersion: 12 }])
    expect((await patch(id, { watch_traffic: true })).status).toBe(200)
  })

  it('is refused for the sample website', async () => {
    const { id } = await createWebsite()
    await server.services.db.query('update websites set is_sample = true where id = $1', [id])
    const response = await patch(id, { watch_traffic: true })
    expect(response.status).toBe(422)
    expect(response.body.errors).toEqual({
      watch_traffic: ["The sample shop can't have traffic alerts. Turn them on for a website of your own instead."],
    })
    expect((await patch(id, { watch_spikes: true })).body.errors).toHaveProperty('watch_spikes')
    await server.services.db.query('update websites set is_sample = false where id = $1', [id])
  })

  it('is refused if the visits are so irregular that it would have sent too many alerts', async () => {
    const user = await server.createUser('irregular')
    const { id } = await createWebsite(user)
    const random = createSeededRandom(1)
    // Visits stop for half a day at random, about once in five days. Nothing predicts when.
    let remainingStopSlots = 0
    const countAt = () => {
      if (remainingStopSlots === 0 && random() < 1 / (5 * 288)) remainingStopSlots = 144
      if (remainingStopSlots > 0) remainingStopSlots--
      return remainingStopSlots > 0 ? 0 : drawVisits(2, random)
    }
    await insertPastVisits(server.services.db, id, { days: 200, to: server.clock.now(), countAt })
    const replayPath = `${websitesPath}/${id}/silence/replay`
    const { data } = (await user.session.post(replayPath, { silence_alarms_a_year: 0.1 })).body
    const response = await patch(id, { watch_traffic: true, silence_alarms_a_year: 0.1 }, user)
    // The page requests the replay before it saves the setting. The server must refuse the setting exactly if the
    // replay says that there would be too many alerts.
    expect(response.status).toBe(data.exceeds_budget ? 422 : 200)
    expect(data.exceeds_budget).toBe(true)
    expect(response.body.errors.watch_traffic[0]).toMatch(
      /^Over the last \d\d weeks, you would have received \d+ alerts about this website, but its share of `silence_alarms_a_year` is 0\.1\./,
    )
    expect((await user.session.get(`${websitesPath}/${id}`)).body.data).toMatchObject({
      watch_traffic: false,
      silence_alarms_a_year: 1,
    })
    expect((await patch(id, { watch_spikes: true }, user)).status).toBe(200)
  })
})

describe('the number of false alarms allowed a year', () => {
  it('belongs to the account, whichever website it is sent to', async () => {
    const user = await server.createUser('careful')
    const [firstWebsite, secondWebsite] = [await createWebsite(user), await createWebsite(user)]
    expect((await patch(firstWebsite.id, { silence_alarms_a_year: 0.25 }, user)).body.data.silence_alarms_a_year).toBe(
      0.25,
    )
    expect((await user.session.get(`${websitesPath}/${secondWebsite.id}`)).body.data.silence_alarms_a_year).toBe(0.25)
    const { id } = await createWebsite()
    expect((await owner.session.get(`${websitesPath}/${id}`)).body.data.silence_alarms_a_year).toBe(1)
  })

  it.each([
    [0.09, 'must be between 0.1 and 12'],
    [0, 'must be between 0.1 and 12'],
    [12.5, 'must be between 0.1 and 12'],
    ['often', 'must be a number'],
    [null, 'must be a number'],
  ])('is refused if it is %s', async (value, rule) => {
    const { id } = await createWebsite()
    const response = await patch(id, { silence_alarms_a_year: value })
    expect(response.status).toBe(422)
    expect(response.body.errors).toEqual({ silence_alarms_a_year: [`\`silence_alarms_a_year\` ${rule}.`] })
  })
})

describe('turning off traffic alerts', () => {
  it('deletes the monitor only when alerts about missing visits and about spikes are both off', async () => {
    const { id } = await createWebsite(owner, { watch_traffic: true, watch_spikes: true })
    expect((await patch(id, { watch_traffic: false })).body.data).toMatchObject({ watch_traffic: false })
    expect(await findMonitor(id)).toBeDefined()
    expect((await patch(id, { watch_spikes: false })).body.data).toMatchObject({ watch_spikes: false })
    expect(await findMonitor(id)).toBeUndefined()
  })

  it('ends an incident of missing visits, even if alerts about spikes stay on', async () => {
    const { id } = await createWebsite(owner, { watch_traffic: true, watch_spikes: true })
    const { db } = server.services
    const { id: monitorId } = await findMonitor(id)
    await db.query(`update monitors set status = 'down' where id = $1`, [monitorId])
    await db.query(
      `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at)
       values ($1, $2, 'silence', 'No visits', $3, $3)`,
      [owner.id, monitorId, server.clock.now()],
    )
    await db.query(
      `insert into traffic_watches (user_id, website_id, fit, fitted_at, last_visit_at, silent_since, spike_day)
       values ($1, $2, '{}', $3, $3, $3, '2026-01-05')`,
      [owner.id, id, server.clock.now()],
    )
    await patch(id, { watch_traffic: false })
    expect(await findMonitor(id)).toMatchObject({ status: 'pending', is_active: true })
    const { body } = await owner.session.get(`${monitorsPath}/${monitorId}/incidents`)
    expect(body.data).toMatchObject([{ cause: 'silence', status: 'resolved', resolution: 'paused' }])
    const readWatch = async () => (await db.query('select * from traffic_watches where website_id = $1', [id]))[0]
    const endedWatch = { silent_since: null, last_visit_at: null, spike_day: expect.anything() }
    expect(await readWatch()).toMatchObject({ ...endedWatch, fit: {}, fitted_at: server.clock.now() })
    await patch(id, { watch_spikes: false })
    expect(await readWatch()).toMatchObject({ ...endedWatch, fit: null, fitted_at: null })
  })

  it('at the same time as turning traffic alerts on leaves a monitor only if they are on afterwards', async () => {
    const { id } = await createWebsite()
    for (let round = 0; round < 5; round++) {
      const changes = [true, false, true, false].map((isOn) => patch(id, { watch_traffic: isOn }))
      for (const { status } of await Promise.all(changes)) expect(status).toBe(200)
      const { watch_traffic } = (await owner.session.get(`${websitesPath}/${id}`)).body.data
      expect((await findMonitor(id)) !== undefined).toBe(watch_traffic)
    }
  })

  it('happens when the monitor is deleted, alone or in a bulk request', async () => {
    for (const remove of [
      (id: number) => owner.session.delete(`${monitorsPath}/${id}`),
      (id: number) => owner.session.post(`${monitorsPath}/bulk`, { ids: [id], action: 'delete' }),
    ]) {
      const { id } = await createWebsite(owner, { watch_traffic: true, watch_spikes: true })
      expect((await remove((await findMonitor(id)).id)).status).toBe(200)
      const { body } = await owner.session.get(`${websitesPath}/${id}`)
      expect(body.data).toMatchObject({ watch_traffic: false, watch_spikes: false })
      await server.services.db.query(
        `insert into traffic_watches (user_id, website_id, fit, silent_since) values ($1, $2, '{}', $3)`,
        [owner.id, id, server.clock.now()],
      )
      await patch(id, { watch_traffic: true })
      const [watch] = await server.services.db.query('select * from traffic_watches where website_id = $1', [id])
      expect(watch).toMatchObject({ fit: null, silent_since: null })
    }
  })

  it('is part of deleting the website, also while its monitor is deleted', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await createWebsite(owner, { watch_traffic: true })
      const monitor = await findMonitor(id)
      const responses = await Promise.all([
        owner.session.delete(`${websitesPath}/${id}`),
        owner.session.delete(`${monitorsPath}/${monitor.id}`),
        patch(id, { watch_traffic: false }),
      ])
      expect(responses[0].status).toBe(200)
      for (const { status } of responses) expect([200, 404]).toContain(status)
      expect((await owner.session.get(`${monitorsPath}/${monitor.id}`)).status).toBe(404)
    }
  })

  it('is part of deleting the user', async () => {
    const admin = await server.createUser('admin', { isAdmin: true })
    const leaver = await server.createUser('leaver')
    await createWebsite(leaver, { watch_traffic: true })
    expect((await admin.session.delete(`/api/users/${leaver.id}`)).status).toBe(200)
    expect(await server.services.db.query('select from monitors where user_id = $1', [leaver.id])).toEqual([])
  })
})
