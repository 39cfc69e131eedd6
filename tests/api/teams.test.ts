/** Teams, their members, and the team in which a session acts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestServer, TestUser } from '../support/server.ts'
import { shareTestServer } from '../support/shared-server.ts'

let server: TestServer
let ada: TestUser
let grace: TestUser

beforeAll(async () => {
  server = await shareTestServer()
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
