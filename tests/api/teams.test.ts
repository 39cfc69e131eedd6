/** Teams, their members, and the team in which a session acts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addMember } from '../support/authorization/things.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { joinTeam } from '../support/teams.ts'

let server: TestServer
let ada: TestUser
let grace: TestUser

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.createUser('ada')
  grace = await server.createUser('grace')
})
afterAll(() => server.close())

describe('a team', () => {
  it('is renamed and deleted by its owner', async () => {
    const created = await ada.session.post('/api/teams', { name: ' Shop ' })
    expect(created.status, created.text).toBe(201)
    const { id } = created.body.data
    expect(created.body.data).toMatchObject({ name: 'Shop', role: 'owner', is_current: false })
    const renamed = await ada.session.call('PATCH', `/api/teams/${id}`, { json: { name: 'Shop 2' } })
    expect(renamed.body.data, renamed.text).toMatchObject({ id, name: 'Shop 2' })
    const members = await ada.session.get(`/api/teams/${id}/members`)
    expect(members.body.data, members.text).toMatchObject([{ email: 'ada@example.com', role: 'owner', access: null }])
    const changed = await ada.session.call('PATCH', `/api/teams/${id}/members/${ada.id}`, { json: { role: 'owner' } })
    expect(changed.status, changed.text).toBe(200)
    expect((await ada.session.delete(`/api/teams/${id}/members/${ada.id}`)).status).toBe(409)
    const chosen = await ada.session.put('/api/session', { team_id: id })
    expect(chosen.status, chosen.text).toBe(200)
    const deleted = await ada.session.delete(`/api/teams/${id}`)
    expect(deleted.status, deleted.text).toBe(200)
    expect((await ada.session.get('/api/teams')).body.data).toMatchObject([{ id: ada.id, is_current: true }])
    expect((await grace.session.get(`/api/teams/${ada.id}`)).status).toBe(404)
  })
})

describe('new teams', () => {
  it('are limited to 20 per person and day, including deleted teams and replacements of the last team', async () => {
    const eve = await server.createUser('eve')
    // 18 earlier teams.
    for (let n = 0; n < 18; n++) {
      server.services.counter.take(`teams:user:${eve.id}`, { count: 20, windowSeconds: 86_400 })
    }
    const create = () => eve.session.post('/api/teams', { name: 'Short-lived' })
    const created = await create()
    expect((await eve.session.delete(`/api/teams/${created.body.data.id}`)).status).toBe(200)
    // It is her last team, so she gets a new one.
    expect((await eve.session.delete(`/api/teams/${eve.id}`)).status).toBe(200)
    const refused = await create()
    expect([refused.status, refused.body.detail]).toEqual([429, expect.stringContaining('20 new teams')])
    const [{ id }] = (await eve.session.get('/api/teams')).body.data
    expect((await eve.session.delete(`/api/teams/${id}`)).status).toBe(429)
    await addMember(server, { ...eve, id }, grace.id, 'owner')
    expect((await eve.session.delete(`/api/teams/${id}/members/${eve.id}`)).status).toBe(429)
    expect((await grace.session.delete(`/api/teams/${id}/members/${eve.id}`)).status).toBe(200)
  })
})

describe('the name of a team', () => {
  it.each(['   ', '\u200b', 'a\nb'])('can not be %j', async (name) => {
    const created = await ada.session.post('/api/teams', { name })
    expect([created.status, Object.keys(created.body.errors)]).toEqual([422, ['name']])
    const renamed = await ada.session.call('PATCH', `/api/teams/${ada.id}`, { json: { name } })
    expect(renamed.status).toBe(422)
  })
})

describe('a member', () => {
  it('can leave a team that requires a second factor, without having one', async () => {
    const { db } = server.services
    const { id } = (await ada.session.post('/api/teams', { name: 'Strict' })).body.data
    await addMember(server, { ...ada, id }, grace.id, 'admin')
    await db.query('update teams set requires_second_factor = true where id = $1', [id])
    expect((await grace.session.get(`/api/teams/${id}/members`)).status).toBe(403)
    expect((await grace.session.delete(`/api/teams/${id}/members/${ada.id}`)).status).toBe(403)
    expect((await grace.session.delete(`/api/teams/${id}/members/${grace.id}`)).status).toBe(200)
    expect((await grace.session.delete(`/api/teams/${id}/members/${grace.id}`)).status).toBe(404)
  })
})

describe('a guest who may edit', () => {
  it('arranges the monitors of a status page, and cannot change settings of the team', async () => {
    const { db } = server.services
    const guest = await server.createUser('guest')
    const create = async (path: string, body: object): Promise<number> =>
      (await ada.session.post(path, body)).body.data.id
    const shown = await create('/api/monitors', { friendly_name: 'Shown', url: 'https://shown.example/' })
    const hidden = await create('/api/monitors', { friendly_name: 'Hidden', url: 'https://hidden.example/' })
    const website = await create('/api/v1/websites', { domain: 'guests.example' })
    const page = await create('/api/status-pages', {
      slug: 'guests',
      title: 'Guests',
      groups: [{ name: 'All', monitors: [{ monitor_id: shown }] }],
    })
    await addMember(server, ada, guest.id, 'guest')
    await db.query('update team_members set guest_can_edit = true where user_id = $1 and role = $2', [
      guest.id,
      'guest',
    ])
    await db.query('insert into guest_websites (team_id, user_id, website_id) values ($1, $2, $3)', [
      ada.id,
      guest.id,
      website,
    ])
    await db.query('insert into guest_status_pages (team_id, user_id, page_id) values ($1, $2, $3)', [
      ada.id,
      guest.id,
      page,
    ])
    expect((await guest.session.put('/api/session', { team_id: ada.id })).status).toBe(200)

    const save = (groups: object[]) => guest.session.call('PATCH', `/api/status-pages/${page}`, { json: { groups } })
    const arranged = await save([
      { name: 'First', monitors: [{ monitor_id: shown }] },
      { name: 'Second', monitors: [] },
    ])
    expect(arranged.status, arranged.text).toBe(200)
    expect(arranged.body.data.groups).toMatchObject([
      { name: 'First', monitors: [{ monitor_id: shown, label: 'Shown' }] },
      { name: 'Second', monitors: [] },
    ])
    expect((await save([{ name: 'Other', monitors: [{ monitor_id: hidden }] }])).status).toBe(422)
    const alarms = await guest.session.call('PATCH', `/api/v1/websites/${website}`, {
      json: { silence_alarms_a_year: 2 },
    })
    expect([alarms.status, alarms.body.code]).toEqual([403, 'forbidden'])
    expect((await ada.session.delete(`/api/status-pages/${page}`)).status).toBe(200)
    expect((await ada.session.delete(`/api/teams/${ada.id}/members/${guest.id}`)).status).toBe(200)
  })
})

describe('a viewer', () => {
  it('gets 403 for deleting a monitor, but 404 if the monitor does not exist', async () => {
    const monitor = { friendly_name: 'Shop', url: 'https://shop.example.org/' }
    const { id } = (await ada.session.post('/api/monitors', monitor)).body.data
    const viewer = await server.createUser('viewer')
    await joinTeam(server, ada.id, viewer, 'viewer')
    const statusOf = async (path: string) => (await viewer.session.delete(`/api/monitors/${path}`)).status
    expect(await statusOf(id)).toBe(403)
    expect(await statusOf(`${id + 1}`)).toBe(404)
    expect(await statusOf('abc')).toBe(404)
    expect((await ada.session.delete(`/api/teams/${ada.id}/members/${viewer.id}`)).status).toBe(200)
    expect((await ada.session.delete(`/api/monitors/${id}`)).status).toBe(200)
  })
})
