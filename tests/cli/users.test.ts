import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { setUpTotp } from '../support/totp.ts'
import { belfry, belfryProcess, type Env, toConnectionUrl } from './support.ts'

const password = 'correct horse battery'

const signIn = (server: TestServer, email: string, secret: string) =>
  server.anyone.post('/api/session', { email, password: secret })

describe('user commands on a new server', () => {
  it('list no accounts, and create the first one as an admin, which disables the setup link', async () => {
    const server = await startTestServer()
    onTestFinished(() => server.close())
    const env = { DATABASE_URL: toConnectionUrl(server.database.connection) }
    const listResult = await belfry('user list', { env })
    expect(listResult.code).toBe(0)
    expect(listResult.stdout).toContain('No accounts yet.')

    const { code, stdout } = await belfryProcess('user create ada@example.com --password-stdin', {
      env,
      input: `${password}\n`,
    })
    expect(code).toBe(0)
    expect(stdout).toContain('Created admin ada@example.com (id 1).')
    expect(stdout).toContain('The setup link no longer works.')
    expect(stdout).not.toContain(password)
    expect((await server.anyone.get(server.setupPath ?? '')).status).toBe(410)
    const { status, body } = await signIn(server, 'ada@example.com', password)
    expect(status).toBe(200)
    expect(body.data.user.is_admin).toBe(true)
  })
})

describe('user commands', () => {
  let server: TestServer
  let env: Env

  beforeAll(async () => {
    server = await startTestServer()
    env = { DATABASE_URL: toConnectionUrl(server.database.connection) }
    // The command line makes the first account an admin.
    expect((await belfry('user create admin@example.com', { env })).code).toBe(0)
  })
  afterAll(() => server.close())

  it.each([
    ['a short password', 'new@example.com --password-stdin', 'short\n', '`password` must have at least 10 characters.'],
    [
      'a long password',
      'new@example.com --password -',
      'x'.repeat(201),
      '`password` must have at most 200 characters.',
    ],
    ['an invalid email address', 'new@localhost', '', '`email` must be an email address.'],
  ])('reject %s like the API', async (_what, words, input, message) => {
    const { code, stderr } = await belfry(`user create ${words}`, { env, input })
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${message}\n` })
  })

  it('reject a password on the command line', async () => {
    const result = await belfry('user create new@example.com --password hunter2hunter2', { env })
    expect(result.code).toBe(2)
    expect(result.stderr).toContain('Other users can see a password')
  })

  it('require an email address', async () => {
    expect((await belfry('user create', { env })).code).toBe(2)
  })

  it('generate a password if none is given, and print it once', async () => {
    const { code, stdout } = await belfry('user create bob@example.com', { env })
    expect(code).toBe(0)
    expect(stdout).toContain('Created user bob@example.com')
    expect(stdout).not.toContain('setup link')
    const generatedPassword = /^Password: (\S+)$/m.exec(stdout)?.[1] ?? ''
    expect((await signIn(server, 'bob@example.com', generatedPassword)).body.data.user.is_admin).toBe(false)
  })

  it('reject an email address in use, in upper or lower case', async () => {
    const { code, stderr } = await belfry('user create ADMIN@example.com', { env })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '`email` has already been taken.\n' })
  })

  it('list all users as a table and as JSON, newest first', async () => {
    await server.createUser('listed')
    const { stdout } = await belfry('user list', { env })
    const [header = '', ...rows] = stdout.trimEnd().split('\n')
    expect(header).toMatch(/^ID +EMAIL +ROLE +CREATED$/)
    expect(rows.map((row) => row.indexOf(row.includes('admin@') ? 'admin ' : 'user '))).toEqual(
      rows.map(() => header.indexOf('ROLE')),
    )
    const jsonResult = await belfry('user list --json', { env })
    const emails = JSON.parse(jsonResult.stdout).map(({ email }: { email: string }) => email)
    expect(emails).toHaveLength(rows.length)
    expect([emails.at(0), emails.at(-1)]).toEqual(['listed@example.com', 'admin@example.com'])
  })

  it('change a password and end all sessions of the user', async () => {
    const { session, password: oldPassword } = await server.createUser('carol')
    expect((await session.get('/api/session')).status).toBe(200)
    const result = await belfry('user password CAROL@example.com --password-stdin', {
      env,
      input: 'another battery',
    })
    expect(result.code).toBe(0)
    expect(result.stdout).toContain('Changed the password of carol@example.com.')
    expect((await session.get('/api/session')).status).toBe(401)
    expect((await signIn(server, 'carol@example.com', oldPassword)).status).toBe(401)
    expect((await signIn(server, 'carol@example.com', 'another battery')).status).toBe(200)
  })

  it('remove all second factors and end all sessions of the user', async () => {
    const frank = await server.createUser('frank')
    const { recoveryCodes } = await setUpTotp(server, frank)
    await server.services.db.query(
      `insert into passkeys (user_id, credential_id, public_key, counter, transports, is_backed_up, name, created_at)
       values ($1, '\\x01', '', 0, '{}', false, 'Phone', now())`,
      [frank.id],
    )
    const waiting = await signIn(server, frank.email, password)
    expect(waiting.status).toBe(202)
    const result = await belfry('user disable-2fa FRANK@example.com', { env })
    expect(result).toEqual({
      code: 0,
      stdout:
        'Removed the authenticator app and 1 passkey of frank@example.com. All sessions were ended; API keys still work.\n',
      stderr: '',
    })
    expect((await frank.session.get('/api/session')).status).toBe(401)
    const { token } = waiting.body.data.second_factor
    const late = await server.anyone.post('/api/session/second-factor', { token, code: recoveryCodes[0] })
    expect(late.status).toBe(422)
    expect((await signIn(server, frank.email, password)).status).toBe(200)
    const again = await belfry('user disable-2fa frank@example.com', { env })
    expect(again.stdout).toBe('frank@example.com has no second factor. All sessions were ended.\n')
  })

  it.each(['password', 'disable-2fa', 'delete'])('reject an unknown user: %s', async (name) => {
    const result = await belfry(`user ${name} eve@example.com ${name === 'delete' ? '--yes' : ''}`.trim(), { env })
    expect(result.code).toBe(1)
    expect(result.stderr).toContain('There is no user eve@example.com.')
  })

  it('delete a user only after confirmation', async () => {
    await server.createUser('dave')
    const unconfirmedResult = await belfry('user delete dave@example.com', { env })
    expect(unconfirmedResult.code).toBe(2)
    expect(unconfirmedResult.stderr).toContain('Add --yes to confirm.')
    const confirmedResult = await belfry('user delete dave@example.com --yes', { env })
    expect(confirmedResult.code).toBe(0)
    const { stdout } = await belfry('user list', { env })
    expect(stdout).toContain('admin@example.com')
    expect(stdout).not.toContain('dave@example.com')
  })

  it('never delete the last admin', async () => {
    const result = await belfry('user delete admin@example.com --yes', { env })
    expect(result.code).toBe(1)
    expect(result.stderr).toContain("The last admin can't be deleted.")
  })
})
