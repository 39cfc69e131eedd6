/** Commands on the server, in the audit log. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { belfry, type Env, toConnectionUrl } from '../cli/support.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { addMember, recordEntries, toActor } from './support.ts'

let server: TestServer
let ada: TestUser
let grace: TestUser
let env: Env

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.createUser('ada', { isAdmin: true })
  grace = await server.createUser('grace')
  await addMember(server, ada.id, grace.id, 'editor')
  env = { DATABASE_URL: toConnectionUrl(server.database.connection) }
})
afterAll(() => server.close())

async function record(command: string | string[], input = '') {
  const entries = await recordEntries(server, async () => {
    const { code, stderr } = await belfry(command, { env, input })
    expect(code, stderr).toBe(0)
  })
  return entries
}

describe('commands', () => {
  it('that create and revoke keys are actors', async () => {
    const [created, ...others] = await record([
      'key',
      'create',
      '--user',
      ada.email,
      '--name',
      'deploy',
      '--scopes',
      'all',
    ])
    expect(others).toEqual([])
    expect(created).toMatchObject({ action: 'api_key.created', team_id: ada.id, ip: null, request_id: null })
    expect(created && toActor(created)).toEqual(['command', null, 'belfry key create'])
    const revoked = await record(`key revoke ${created?.object_id}`)
    expect(revoked.map(toActor)).toEqual([['command', null, 'belfry key revoke']])
    expect(revoked).toMatchObject([{ action: 'api_key.revoked', object_id: created?.object_id }])
  })

  it('that set a password are recorded in all teams of the user', async () => {
    const entries = await record(`user password ${grace.email}`)
    expect(entries.map(({ team_id, action }) => [team_id, action])).toEqual([
      [ada.id, 'user.password_reset'],
      [grace.id, 'user.password_reset'],
    ])
    expect(entries.map(toActor)[0]).toEqual(['command', null, 'belfry user password'])
  })

  it('that create users add no entry, and those that delete users one in each team that remains', async () => {
    expect(await record('user create new@example.org')).toEqual([])
    const entries = await record(`user delete ${grace.email} --yes`)
    expect(entries).toMatchObject([{ action: 'member.removed', team_id: ada.id, object_name: grace.email }])
    expect(entries.map(toActor)).toEqual([['command', null, 'belfry user delete']])
  })
})
