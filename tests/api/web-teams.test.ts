/** The teams of the user in the data that every page contains. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { joinTeam } from '../support/teams.ts'
import { createFakeWebBuild, type FakeWebBuild, parseBootData } from '../support/web-build.ts'

const browserHeaders = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let server: TestServer
let build: FakeWebBuild
let ada: TestUser
let eve: TestUser
let teamId: number

beforeAll(async () => {
  build = await createFakeWebBuild()
  server = await startTestServer({ webFolder: build.folder })
  ada = await server.createUser('ada')
  eve = await server.createUser('eve')
  teamId = (await ada.session.post('/api/teams', { name: 'Shop team' })).body.data.id
})
afterAll(async () => {
  await server.close()
  await build.remove()
})

const readBoot = async ({ session }: TestUser) =>
  parseBootData((await session.get('/monitors', { headers: browserHeaders })).text)

describe('the data of a page', () => {
  it('names the teams of the user, their role in each, and the current one', async () => {
    expect((await readBoot(eve)).teams).toBe(undefined)
    await joinTeam(server, teamId, eve, 'viewer')
    const { teams, user } = await readBoot(eve)
    expect(user.id).toBe(eve.id)
    expect(teams).toEqual([
      {
        id: eve.id,
        name: eve.email,
        role: 'owner',
        is_current: false,
        guest_can_edit: false,
        needs_second_factor: false,
      },
      {
        id: teamId,
        name: 'Shop team',
        role: 'viewer',
        is_current: true,
        guest_can_edit: false,
        needs_second_factor: false,
      },
    ])
  })

  it('returns to the own team of a user who was removed', async () => {
    await ada.session.delete(`/api/teams/${teamId}/members/${eve.id}`)
    const { teams, user } = await readBoot(eve)
    expect([user.id, teams]).toEqual([eve.id, undefined])
    expect((await eve.session.get('/api/monitors')).status).toBe(200)
  })
})
