import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { passwordScript } from '../../src/lib/password-field.ts'
import { parseSessionCookie } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const account = { email: 'first@example.com', password: 'correct horse battery' }

describe('a new server', () => {
  let server: TestServer
  let token: string

  beforeAll(async () => {
    server = await startTestServer()
    token = new URL(server.setupPath ?? '', server.address).searchParams.get('token') ?? ''
  })
  afterAll(() => server.close())
  /** Undoes the setup, which takes less time than a new server for each test. */
  beforeEach(async () => {
    await server.services.db.query('delete from users')
    await server.services.db.query('update instance set claimed_at = null')
  })

  it('creates the first admin through its setup link and signs them in', async () => {
    const response = await server.anyone.post('/api/setup', { token, ...account })
    expect(response.status).toBe(201)
    expect(response.body.data.user).toMatchObject({ email: account.email, is_admin: true })
    const client = server.anyone.as({ cookie: parseSessionCookie(response) ?? '' })
    expect((await client.get('/api/users')).body.meta.total).toBe(1)
  })

  it('accepts the link only once', async () => {
    await server.anyone.post('/api/setup', { token, ...account })
    const secondResponse = await server.anyone.post('/api/setup', { token, ...account, email: 'second@example.com' })
    expect(secondResponse.status).toBe(409)
    expect((await server.anyone.get(`/setup?token=${token}`)).status).toBe(410)
  })

  it('accepts the link only once from concurrent requests', async () => {
    const responses = await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        server.anyone.post('/api/setup', { token, ...account, email: `e${n}@example.com` }),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    expect((await server.services.db.query('select count(*) as n from users'))[0]?.['n']).toBe(1)
  })

  it('refuses a wrong token', async () => {
    for (const wrongToken of ['', 'x', `${token}x`, token.toLowerCase()]) {
      const response = await server.anyone.post('/api/setup', { token: wrongToken, ...account })
      expect(response.status).toBe(403)
    }
    expect((await server.anyone.get('/setup?token=wrong')).status).toBe(403)
    expect((await server.anyone.get('/setup')).status).toBe(403)
    expect((await server.anyone.post('/api/setup', { token, ...account })).status).toBe(201)
  })

  it('rejects a weak password, after which the link still works', async () => {
    const response = await server.anyone.post('/api/setup', { token, email: account.email, password: 'short' })
    expect(response.status).toBe(422)
    expect((await server.anyone.post('/api/setup', { token, ...account })).status).toBe(201)
  })

  it('has the same link on another node, and none after the setup', async () => {
    const otherServer = await startTestServer({ database: server.database })
    expect(otherServer.setupPath).toBe(server.setupPath)
    await server.anyone.post('/api/setup', { token, ...account })
    await otherServer.close()
    const laterServer = await startTestServer({ database: server.database })
    expect(laterServer.setupPath).toBe(undefined)
    await laterServer.close()
  })

  it('refuses a secret other than the secret that the database was created with', async () => {
    const otherServer = startTestServer({
      database: server.database,
      env: { BELFRY_SECRET: 'another secret, which is long enough' },
    })
    await expect(otherServer).rejects.toThrow('This database was created with a different secret')
  })

  it('shows a form that works without scripts', async () => {
    const page = await server.anyone.get(`/setup?token=${token}`)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('cache-control')).toBe('no-store')
    const rejectedForm = await server.anyone.call('POST', '/setup', {
      form: { token, email: '"><script>', password: 'x' },
    })
    expect(rejectedForm.status).toBe(422)
    expect(rejectedForm.text.replace(passwordScript.html, '')).not.toContain('<script>')
    const response = await server.anyone.call('POST', '/setup', { form: { token, ...account } })
    expect(response.status).toBe(303)
    expect((await server.anyone.as({ cookie: parseSessionCookie(response) ?? '' }).get('/api/session')).status).toBe(
      200,
    )
  })
})

describe('a server with an admin in its environment', () => {
  it('creates that account on first start and prints no link', async () => {
    const env = { BELFRY_ADMIN_EMAIL: account.email, BELFRY_ADMIN_PASSWORD: account.password }
    const server = await startTestServer({ env })
    expect(server.setupPath).toBe(undefined)
    expect((await server.anyone.post('/api/session', account)).body.data.user.is_admin).toBe(true)
    // Later starts don't change the account.
    const restartedServer = await startTestServer({
      database: server.database,
      env: { ...env, BELFRY_ADMIN_PASSWORD: 'something else entirely' },
    })
    expect((await restartedServer.anyone.post('/api/session', account)).status).toBe(200)
    await restartedServer.close()
    await server.close()
  })
})
