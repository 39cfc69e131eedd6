import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cookieOf } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { belfry, type Env, urlOf } from './support.ts'

const password = 'correct horse battery'

/** One server for all of them: each tells the next part of its story. */
describe('user commands beside a running server', () => {
  let server: TestServer
  let env: Env

  beforeAll(async () => {
    server = await startTestServer()
    env = { DATABASE_URL: urlOf(server.database.connection) }
  })
  afterAll(() => server.close())

  const signIn = (email: string, secret: string) => server.anyone.post('/api/session', { email, password: secret })

  it('have nobody to list at first', async () => {
    const { code, stdout } = await belfry('user list', { env })
    expect(code).toBe(0)
    expect(stdout).toContain('No accounts yet.')
  })

  it.each([
    ['a short password', 'ada@example.com --password-stdin', 'short\n', '`password` must have at least 10 characters.'],
    ['a long one', 'ada@example.com --password -', 'x'.repeat(201), '`password` must have at most 200 characters.'],
    ['what is no e-mail', 'ada@localhost', '', '`email` must be an email address.'],
  ])('refuse %s as the API does', async (_what, words, input, sentence) => {
    const { code, stderr } = await belfry(`user create ${words}`, { env, input })
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${sentence}\n` })
  })

  it('take no password that others can see, and need to know whose it is', async () => {
    const visible = await belfry('user create ada@example.com --password hunter2hunter2', { env })
    expect(visible.code).toBe(2)
    expect(visible.stderr).toContain('Other users can see a password')
    expect((await belfry('user create', { env })).code).toBe(2)
  })

  it('make the first account an administrator, whereupon the set-up link dies', async () => {
    const { code, stdout } = await belfry('user create ada@example.com --password-stdin', {
      env,
      input: `${password}\n`,
    })
    expect(code).toBe(0)
    expect(stdout).toContain('Created administrator ada@example.com (id 1).')
    expect(stdout).toContain('The setup link no longer works.')
    expect(stdout).not.toContain(password)
    expect((await server.anyone.get(server.setupPath ?? '')).status).toBe(410)
    const { status, body } = await signIn('ada@example.com', password)
    expect(status).toBe(200)
    expect(body.data.user.is_admin).toBe(true)
  })

  it('make a password where none is given, and show it once', async () => {
    const { code, stdout } = await belfry('user create bob@example.com', { env })
    expect(code).toBe(0)
    expect(stdout).toContain('Created user bob@example.com')
    expect(stdout).not.toContain('setup link')
    const made = /^Password: (\S+)$/m.exec(stdout)?.[1] ?? ''
    expect((await signIn('bob@example.com', made)).body.data.user.is_admin).toBe(false)
  })

  it('refuse an e-mail that is taken, however it is written', async () => {
    const { code, stderr } = await belfry('user create BOB@example.com', { env })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '`email` has already been taken.\n' })
  })

  it('list who there is, aligned and as JSON', async () => {
    const { stdout } = await belfry('user list', { env })
    const [head = '', ...rows] = stdout.trimEnd().split('\n')
    expect(head).toMatch(/^ID +EMAIL +ROLE +CREATED$/)
    expect(rows.map((row) => row.indexOf(row.includes('ada') ? 'administrator' : 'user'))).toEqual(
      rows.map(() => head.indexOf('ROLE')),
    )
    const json = await belfry('user list --json', { env })
    expect(JSON.parse(json.stdout).map(({ email }: { email: string }) => email)).toEqual([
      'bob@example.com',
      'ada@example.com',
    ])
  })

  it('set a password, which ends every session of that user', async () => {
    const cookie = cookieOf(await signIn('ada@example.com', password)) ?? ''
    const session = server.anyone.as({ cookie })
    expect((await session.get('/api/session')).status).toBe(200)
    const changed = await belfry('user password ADA@example.com --password-stdin', { env, input: 'another battery' })
    expect(changed.code).toBe(0)
    expect(changed.stdout).toContain('Changed the password of ada@example.com.')
    expect((await session.get('/api/session')).status).toBe(401)
    expect((await signIn('ada@example.com', password)).status).toBe(401)
    expect((await signIn('ada@example.com', 'another battery')).status).toBe(200)
    const unknown = await belfry('user password eve@example.com', { env })
    expect(unknown.code).toBe(1)
    expect(unknown.stderr).toContain('There is no user eve@example.com.')
  })

  it('delete only what was meant, and never the last administrator', async () => {
    const unsure = await belfry('user delete bob@example.com', { env })
    expect(unsure.code).toBe(2)
    expect(unsure.stderr).toContain('Add --yes to confirm.')
    const last = await belfry('user delete ada@example.com --yes', { env })
    expect(last.code).toBe(1)
    expect(last.stderr).toContain('The last administrator cannot be deleted.')
    const unknown = await belfry('user delete eve@example.com --yes', { env })
    expect(unknown.code).toBe(1)
    const deleted = await belfry('user delete bob@example.com --yes', { env })
    expect(deleted.code).toBe(0)
    const { stdout } = await belfry('user list', { env })
    expect(stdout).toContain('ada@example.com')
    expect(stdout).not.toContain('bob@example.com')
  })
})
