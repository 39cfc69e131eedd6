/** Admins set the public URL and the mail server through the API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createJob } from '../../src/app/jobs.ts'
import { ServerSettings } from '../../src/server-settings/server-settings.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../support/smtp-receiver.ts'

const PASSWORD = 'hunter2-and-more'
const urlPath = '/api/server/settings/url'
const mailPath = '/api/server/settings/mail'

let server: TestServer
/** The environment sets its mail server, and it may not connect to private addresses. */
let otherServer: TestServer
let admin: TestUser
let otherAdmin: TestUser
let mailbox: SmtpReceiver
let foreignServer: HttpReceiver

beforeAll(async () => {
  mailbox = await startSmtpReceiver({
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === PASSWORD ? done(null, { user: username }) : done(new Error(`no login with ${password}`)),
  })
  foreignServer = await startHttpReceiver()
  server = await startTestServer({ env: { BELFRY_PRIVATE_TARGETS: '127.0.0.0/8' } })
  admin = await server.createUser('admin', { isAdmin: true })
  const mailEnv = { BELFRY_SMTP_URL: `smtp://belfry:${PASSWORD}@127.0.0.1`, BELFRY_MAIL_FROM: 'belfry@example.com' }
  otherServer = await startTestServer({ env: mailEnv })
  otherAdmin = await otherServer.createUser('admin', { isAdmin: true })
})
afterAll(() => Promise.all([server.close(), otherServer.close(), mailbox.close(), foreignServer.close()]))

const getSettings = async ({ session }: TestUser) => (await session.get('/api/server/settings')).body.data

describe('the public URL', () => {
  it.each([
    ['stats.example.com', /^`url` must be an http or https URL.*did you mean https:\/\/stats\.example\.com\?/],
    ['https://ada:secret@example.com', /^`url` must be an http or https URL/],
    ['https://stats.example.com/api', /^`url` must not have the path \/api/],
  ])('must be valid: %s', async (url, message) => {
    const { status, body } = await admin.session.put(urlPath, { url })
    expect(status).toBe(422)
    expect(body.errors.url[0]).toMatch(message)
  })

  it('is not saved if another server answers there', async () => {
    const { address } = foreignServer
    const { status, body } = await admin.session.put(urlPath, { url: address })
    expect(status).toBe(422)
    expect(body.errors.url[0]).toContain(`Another server answers at ${address}, with status 200.`)
    expect(await getSettings(admin)).toMatchObject({ url: { source: null, value: null } })
  })

  it('is saved if it leads to this server, and then applies immediately', async () => {
    const url = `${server.address}/belfry`
    const { status, body } = await admin.session.put(urlPath, { url: `${url}/` })
    expect(status).toBe(200)
    expect(body.data.url).toEqual({ source: 'page', value: url })
    const { headers } = await admin.session.post('/api/users', { email: 'new@example.com', password: PASSWORD })
    expect(headers.get('location')).toMatch(`${url}/api/users/`)
    expect((await server.anyone.get('/belfry/healthz')).status).toBe(200)
    expect((await server.anyone.get('/api/openapi.json')).body.servers).toEqual([{ url }])
  })

  it('reaches the other nodes', async () => {
    const { services } = server
    const { config, secret, log } = services
    const serverSettings = new ServerSettings({ config: { ...config, url: undefined }, secret, log })
    await createJob('read the settings that admins saved', { ...services, serverSettings }).start()
    expect(serverSettings.config.url).toBe(`${server.address}/belfry`)
  })

  it('can be deleted', async () => {
    expect((await admin.session.delete(urlPath)).body).toEqual({ object: 'public_url', deleted: true })
    expect((await getSettings(admin)).url).toEqual({ source: null, value: null })
  })

  describe('of a server that cannot reach it', () => {
    it('is not saved, and the error says what to do', async () => {
      const url = otherServer.address
      const { status, body } = await otherAdmin.session.put(urlPath, { url })
      expect(status).toBe(422)
      expect(body.errors.url[0]).toMatch(/can't reach .* a loopback address.* BELFRY_PRIVATE_TARGETS/)
      expect(body.errors.url[0]).toContain(`open ${url}/account/server in your browser`)
    })

    it('is saved from a page at this URL', async () => {
      const url = otherServer.address
      expect((await otherAdmin.session.put(urlPath, { url }, { headers: { origin: url } })).status).toBe(200)
      expect((await getSettings(otherAdmin)).url).toEqual({ source: 'page', value: url })
    })
  })
})

describe('the mail server', () => {
  const input = () => ({
    host: '127.0.0.1',
    port: mailbox.port,
    security: 'none',
    username: 'belfry',
    password: PASSWORD,
    from: 'Belfry <belfry@example.com>',
  })

  it.each([
    [{ host: 'mail.example.com:25' }, 'host'],
    [{ port: 0 }, 'port'],
    [{ security: 'ssl' }, 'security'],
    [{ from: 'nobody' }, 'from'],
    [{ password: '' }, 'password'],
    [{ username: '' }, 'username'],
  ])('must be valid: %o', async (change, field) => {
    const { status, body } = await admin.session.put(mailPath, { ...input(), ...change })
    expect(status).toBe(422)
    expect(Object.keys(body.errors)).toEqual([field])
  })

  it.each([
    ['rejects the password', () => ({ password: 'wrong-password-1' }), /rejected Belfry's login/],
    ['refuses the connection', () => ({ port: 9 }), /could not be reached: connection refused/],
    ['does not use TLS', () => ({ security: 'tls' }), /TLS/],
  ])('is not saved if it %s, and the error contains no password', async (_, change, message) => {
    const { status, body, text } = await admin.session.put(mailPath, { ...input(), ...change() })
    expect(status).toBe(502)
    expect(body.detail).toMatch(message)
    expect(text).not.toMatch(/wrong-password|hunter2/)
    expect((await getSettings(admin)).mail.source).toBeNull()
  })

  it('is saved after it has sent a test email to the admin', async () => {
    const { status, body } = await admin.session.put(mailPath, input())
    expect(status).toBe(200)
    expect(mailbox.received).toHaveLength(1)
    expect(mailbox.received[0]).toMatchObject({ to: [admin.email], user: 'belfry' })
    expect(mailbox.received[0]?.mail.subject).toBe('Test email from Belfry')
    expect(body.data.mail).toEqual({
      source: 'page',
      host: '127.0.0.1',
      port: mailbox.port,
      security: 'none',
      username: 'belfry',
      has_password: true,
      from: 'Belfry <belfry@example.com>',
      tested_at: expect.any(String),
      test_error: null,
    })
  })

  it('is stored encrypted, and its password is neither returned nor logged', async () => {
    const rows = await server.services.db.query<{ value: Buffer }>('select value from server_settings')
    expect(rows.some(({ value }) => value.includes('hunter2') || value.includes('127.0.0.1'))).toBe(false)
    const { text } = await admin.session.get('/api/server/settings')
    expect(text + server.logLines.join()).not.toContain('hunter2')
  })

  it('sends the emails of notification channels after it was saved', async () => {
    const channel = { provider_type: 'email', recipient_email: 'ops@example.com' }
    const { body } = await admin.session.post('/api/providers', channel)
    expect((await admin.session.post(`/api/providers/${body.data.id}/test`)).status).toBe(200)
    expect(mailbox.received.at(-1)?.to).toEqual(['ops@example.com'])
  })

  it('keeps its password if only other fields change, but not for another host', async () => {
    const { password: _, ...withoutPassword } = input()
    const changed = await admin.session.put(mailPath, { ...withoutPassword, from: 'alerts@example.com' })
    expect(changed.body.data.mail).toMatchObject({ from: 'alerts@example.com', has_password: true })
    const moved = await admin.session.put(mailPath, { ...withoutPassword, host: 'localhost' })
    expect(Object.keys(moved.body.errors)).toEqual(['password'])
  })

  it('can be tested again, with an email to the admin', async () => {
    expect((await admin.session.post(`${mailPath}/test`)).status).toBe(200)
    expect(mailbox.received.at(-1)?.to).toEqual([admin.email])
  })

  it('can be deleted', async () => {
    expect((await admin.session.delete(mailPath)).body).toEqual({ object: 'mail_server', deleted: true })
    expect((await getSettings(admin)).mail).toMatchObject({ source: null, host: null, has_password: false })
  })

  it('of the environment applies, and cannot be changed', async () => {
    const { status, body } = await otherAdmin.session.put(mailPath, input())
    expect(status).toBe(409)
    expect(body.detail).toContain('BELFRY_SMTP_URL')
    const { mail } = await getSettings(otherAdmin)
    expect(mail).toMatchObject({ source: 'environment', host: '127.0.0.1', username: null, has_password: true })
  })

  it('of the environment can be tested, and is not done before a test succeeds', async () => {
    const getState = async () =>
      (await otherAdmin.session.get('/api/server/go-live')).body.data.find(({ key }: { key: string }) => key === 'mail')
    expect(await getState()).toMatchObject({ is_done: false, state: expect.stringContaining('not tested yet') })
    const { status, body, text } = await otherAdmin.session.post(`${mailPath}/test`)
    expect(status).toBe(502)
    expect(body.detail).toMatch(/could not be reached: connection refused/)
    expect(text).not.toContain('hunter2')
    expect((await getSettings(otherAdmin)).mail).toMatchObject({
      tested_at: expect.any(String),
      test_error: body.detail,
    })
    expect(await getState()).toMatchObject({
      is_done: false,
      instruction: null,
      state: expect.stringContaining(body.detail),
    })
  })

  it('cannot be tested if none is set', async () => {
    expect((await admin.session.post(`${mailPath}/test`)).status).toBe(409)
  })
})

describe('an admin who signed in more than ten minutes ago', () => {
  it.each([
    [urlPath, { url: 'stats.example.com' }, 'url'],
    [mailPath, { host: 'a b', port: 25, security: 'none', from: 'belfry@example.com' }, 'host'],
  ])('needs the password for PUT %s', async (path, input, wrongField) => {
    const other = await server.createUser(`admin${path.replaceAll('/', '-')}`, { isAdmin: true })
    await server.services.db.query(
      `update sessions set created_at = created_at - interval '1 hour' where user_id = $1`,
      [other.id],
    )
    const save = (proof: object) => other.session.put(path, { ...input, ...proof })
    expect((await save({})).body.errors).toEqual({ current_password: ['`current_password` is required.'] })
    expect(Object.keys((await save({ current_password: 'wrong' })).body.errors)).toEqual(['current_password'])
    expect(Object.keys((await save({ current_password: other.password })).body.errors)).toEqual([wrongField])
  })
})

describe('the list of what to set before going live', () => {
  it('says what is missing, and which lines to set', async () => {
    const { status, body } = await admin.session.get('/api/server/go-live')
    expect(status).toBe(200)
    expect(body.data).toMatchObject([
      { key: 'url', is_done: false, instruction: { lines: ['BELFRY_URL=https://stats.example.com'] } },
      { key: 'https', is_done: false },
      { key: 'mail', is_done: false },
      { key: 'backups', is_done: false, state: 'There is no backup yet.' },
    ])
  })

  it('accepts that backups are made in another way', async () => {
    const { status, body } = await admin.session.put('/api/server/settings/backups', { made_elsewhere: true })
    expect(status).toBe(200)
    expect(body.data.backups.made_elsewhere).toBe(true)
    const { body: list } = await admin.session.get('/api/server/go-live')
    expect(list.data.at(-1)).toMatchObject({ key: 'backups', is_done: true, instruction: null })
  })
})
