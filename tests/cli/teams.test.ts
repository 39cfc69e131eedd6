/** Links and teams on the command line, for servers without a mail server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { belfry, type Env, toConnectionUrl } from './support.ts'

const password = 'a long enough password'

let server: TestServer
let env: Env
let ada: TestUser

beforeAll(async () => {
  server = await startTestServer()
  env = {
    DATABASE_URL: toConnectionUrl(server.database.connection),
    BELFRY_URL: 'https://stats.example.com',
    BELFRY_SECRET: 'a secret that is only good for tests',
  }
  ada = await server.createUser('ada')
  // The command line uses the clock of the machine.
  server.clock.advance({ seconds: (Date.now() - server.clock.now().getTime()) / 1000 })
})
afterAll(() => server.close())

const readToken = (stdout: string, path: string) =>
  new RegExp(`^https://stats\\.example\\.com/${path}/([\\w-]{43})\n$`).exec(stdout)?.[1] ?? ''

describe('user reset-link', () => {
  it('prints a link that sets the password once, and does not confirm the address', async () => {
    const { code, stdout, stderr } = await belfry('user reset-link ADA@example.com', { env })
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'ada@example.com can choose a new password with this link, once, within 30 minutes.\n',
    })
    const body = { token: readToken(stdout, 'reset-password'), new_password: password }
    expect((await server.anyone.post('/api/password-reset/confirm', body)).status).toBe(200)
    expect((await server.anyone.post('/api/password-reset/confirm', body)).status).toBe(404)
    const signedIn = await server.anyone.post('/api/session', { email: ada.email, password })
    expect(signedIn.status).toBe(200)
    const [row] = await server.services.db.query('select email_confirmed_at from users where id = $1', [ada.id])
    expect(row).toEqual({ email_confirmed_at: null })
  })

  it('rejects an unknown user and a missing address', async () => {
    const unknown = await belfry('user reset-link eve@example.com', { env })
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no user eve@example.com.') })
    expect((await belfry('user reset-link', { env })).code).toBe(2)
  })

  it('refuses if the server would refuse the link', async () => {
    const onlySingleSignOn = {
      BELFRY_OIDC_ISSUER: 'http://127.0.0.1:9',
      BELFRY_OIDC_CLIENT_ID: 'belfry',
      BELFRY_OIDC_CLIENT_SECRET: 'a secret',
      BELFRY_OIDC_LABEL: 'Keycloak',
      BELFRY_OIDC_ONLY: 'on',
    }
    const result = await belfry('user reset-link ada@example.com', { env: { ...env, ...onlySingleSignOn } })
    expect(result).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'This server allows only single sign-on, so it would refuse the link. People sign in with "Keycloak". If that fails, start the server with BELFRY_OIDC_ONLY=off first.\n',
    })
  })

  it('says if the server has no public URL', async () => {
    const { BELFRY_URL: _, ...withoutUrl } = env
    const { stdout, stderr } = await belfry('user reset-link ada@example.com', { env: { ...withoutUrl, PORT: '3000' } })
    expect(stdout).toMatch(/^http:\/\/localhost:3000\/reset-password\/[\w-]{43}\n$/)
    expect(stderr).toContain('This server has no public URL')
  })
})

describe('team', () => {
  it('list and members show the teams, as tables and as JSON', async () => {
    const bob = await server.createUser('bob')
    await server.services.db.query(
      `insert into team_members (team_id, user_id, role, joined_at) values ($1, $2, 'guest', now())`,
      [ada.id, bob.id],
    )
    const list = await belfry('team list', { env })
    expect(list.code, list.stderr).toBe(0)
    expect(list.stdout).toMatch(/^ID +NAME +MEMBERS +OWNERS +CREATED\n/)
    expect(list.stdout).toMatch(new RegExp(`^${ada.id} +ada@example.com +2 +ada@example.com `, 'm'))
    expect(JSON.parse((await belfry('team list --json', { env })).stdout)).toMatchObject([
      { id: bob.id, members: 1, owners: [bob.email] },
      { id: ada.id, members: 2, owners: [ada.email] },
    ])
    const members = await belfry(`team members ${ada.id}`, { env })
    expect(members.stdout).toMatch(/^USER +EMAIL +ROLE +JOINED\n/)
    expect(members.stdout).toMatch(/ada@example\.com +owner [\s\S]*bob@example\.com +guest /)
    const json = await belfry(`team members ${ada.id} --json`, { env })
    expect(JSON.parse(json.stdout)).toMatchObject([{ role: 'owner' }, { role: 'guest', website_ids: [] }])
  })

  it('invite prints a link that creates an account in the team', async () => {
    const { code, stdout, stderr } = await belfry(`team invite ${ada.id} --email grace@example.com --role owner`, {
      env,
    })
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'grace@example.com can join the team "ada@example.com" with this link, once, within 48 hours.\n',
    })
    const token = readToken(stdout, 'invitations')
    const shown = await server.anyone.post('/api/invitations/preview', { token })
    expect(shown.body.data, shown.text).toMatchObject({ team_name: ada.email, role: 'owner', invited_by: null })
    const accepted = await server.anyone.post('/api/invitations/accept', { token, password })
    expect(accepted.status, accepted.text).toBe(201)
    const members = await belfry(`team members ${ada.id} --json`, { env })
    expect(JSON.parse(members.stdout)).toMatchObject([
      { role: 'owner' },
      { email: 'grace@example.com', role: 'owner' },
      {},
    ])
  })

  it('invite shares things with a guest', async () => {
    const carol = await server.createUser('carol')
    const created = await carol.session.post('/api/v1/websites', { domain: 'shop.example.org' })
    const websiteId = created.body.data.id
    const words = `team invite ${carol.id} --email guest@example.com --role guest --access edit --websites ${websiteId}`
    expect((await belfry(words, { env })).code).toBe(0)
    const [row] = await server.services.db.query(
      `select role, guest_can_edit, website_ids from invitations where email = 'guest@example.com'`,
    )
    expect(row).toEqual({ role: 'guest', guest_can_edit: true, website_ids: [websiteId] })
    const foreign = await belfry(words.replace(String(carol.id), String(ada.id)), { env })
    expect(foreign.stderr).toBe(`The team has no website ${websiteId}.\n`)
  })

  it.each([
    ['invite', 2, 'Missing argument: <team id>'],
    ['members x', 2, 'Missing argument: <team id>'],
    ['members 900000000', 1, 'There is no team 900000000.'],
    ['invite 900000000 --email a@example.com --role viewer', 1, 'There is no team 900000000.'],
    ['invite 1 --role viewer', 2, 'Missing option: --email'],
    ['invite 1 --email a@example.com', 2, 'Missing option: --role'],
    ['invite 1 --email a@example.com --role king', 1, '`role` must be one of'],
    ['invite 1 --email nowhere --role viewer', 1, '`email` must be an email address'],
    ['invite 1 --email a@example.com --role guest --websites a,b', 2, '--websites must be ids'],
    ['invite 1 --email a@example.com --role editor --access read', 1, '`access` is only for the role `guest`.'],
    ['invite 1 --email ada@example.com --role viewer', 1, 'ada@example.com is already a member'],
  ])('%s is rejected', async (words, code, message) => {
    const result = await belfry(`team ${words.replace(/ 1 /, ` ${ada.id} `)}`, { env })
    expect(result.stderr).toContain(message)
    expect(result.code).toBe(code)
  })
})
