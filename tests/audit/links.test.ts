/** Invitations, password resets and changes of the address, in the audit log. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { belfry, toConnectionUrl } from '../cli/support.ts'
import { type MailingServer, readToken, startMailingServer } from '../support/mailed-links.ts'
import type { TestServer, TestUser } from '../support/server.ts'
import { recordEntries, recordRequest, toActor } from './support.ts'

const password = 'a long enough password'

let mailing: MailingServer
let server: TestServer
let ada: TestUser
let count = 0

beforeAll(async () => {
  mailing = await startMailingServer()
  server = mailing.server
  // The log of expired invitations depends on the clock of the database.
  server.clock.advance({ seconds: (Date.now() - server.clock.now().getTime()) / 1000 })
})
afterAll(() => mailing.close())
beforeEach(async () => {
  ada = await server.createUser(`ada${++count}`)
})

const newAddress = () => `new${++count}@example.com`
const invite = (email: string) =>
  recordRequest(server, ada.session, 'POST', `/api/teams/${ada.id}/invitations`, { email, role: 'viewer' })

describe('an invitation', () => {
  it('is recorded when it is created and revoked, without its tokens', async () => {
    const { data, entries } = await invite(newAddress())
    expect(entries.map(toActor)).toEqual([['user', ada.id, ada.email]])
    expect(entries).toMatchObject([{ action: 'invitation.created', object_id: data.id, object_name: data.email }])
    expect(JSON.stringify(entries)).not.toContain(data.url.split('/').at(-1))
    const revoked = await recordRequest(server, ada.session, 'DELETE', `/api/teams/${ada.id}/invitations/${data.id}`)
    expect(revoked.entries).toMatchObject([{ action: 'invitation.revoked', object_id: data.id }])
  })

  it('is accepted by the person who joins, with the address and id of the request', async () => {
    const grace = await server.createUser(`grace${count}`)
    const body = { token: (await invite(grace.email)).data.url.split('/').at(-1) }
    const accepted = await recordRequest(server, grace.session, 'POST', '/api/invitations/accept', body)
    const ofTeam = accepted.entries.filter(({ team_id }) => team_id === ada.id)
    expect(ofTeam.map(({ action }) => action)).toEqual(['invitation.accepted', 'member.joined'])
    for (const entry of ofTeam) {
      expect(toActor(entry)).toEqual(['user', grace.id, grace.email])
      expect(entry).toMatchObject({ ip: '127.0.0.1', request_id: accepted.requestId })
    }
  })

  it('is accepted by the new account that it creates', async () => {
    const email = newAddress()
    const body = { token: (await invite(email)).data.url.split('/').at(-1), password }
    const { data, entries } = await recordRequest(server, server.anyone, 'POST', '/api/invitations/accept', body)
    const ofTeam = entries.filter(({ team_id }) => team_id === ada.id)
    expect(ofTeam.map(({ action }) => action)).toEqual(['invitation.accepted', 'member.joined'])
    expect(ofTeam.map(toActor)).toEqual([0, 1].map(() => ['user', data.user.id, email]))
  })

  it('from the command line names the command', async () => {
    const env = { DATABASE_URL: toConnectionUrl(server.database.connection) }
    const words = `team invite ${ada.id} --email ${newAddress()} --role viewer`
    const entries = await recordEntries(server, async () => {
      const { code, stderr } = await belfry(words, { env })
      expect(code, stderr).toBe(0)
    })
    expect(entries.map(toActor)).toEqual([['command', null, 'belfry team invite']])
    expect(entries).toMatchObject([{ action: 'invitation.created', team_id: ada.id }])
  })
})

describe('a link to the own account', () => {
  it('records a new password and a new address, by the user', async () => {
    await server.anyone.post('/api/password-reset', { email: ada.email })
    const token = readToken(await mailing.receive(ada.email), 'reset-password')
    const body = { token, new_password: password }
    const reset = await recordRequest(server, server.anyone, 'POST', '/api/password-reset/confirm', body)
    expect(reset.entries.map(toActor)).toEqual([['user', ada.id, ada.email]])
    expect(reset.entries[0]?.request_id).toBe(reset.requestId)
    expect(JSON.stringify(reset.entries)).not.toContain('argon2')

    const email = newAddress()
    const bob = await server.createUser(`bob${count}`)
    await bob.session.put('/api/account/email', { email, current_password: bob.password })
    const confirmToken = readToken(await mailing.receive(email), 'confirm-email')
    const changed = await recordRequest(server, bob.session, 'POST', '/api/confirm-email', { token: confirmToken })
    expect(changed.entries.map(({ action }) => action)).toContain('user.email_changed')
    for (const entry of changed.entries)
      expect(entry).toMatchObject({ actor_id: bob.id, request_id: changed.requestId })
  })
})
