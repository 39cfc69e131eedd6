import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { belfry, canRunAtTerminal, type Env, runAtTerminal, toConnectionUrl } from './support.ts'

describe.skipIf(!canRunAtTerminal)('at a terminal', () => {
  let server: TestServer
  let env: Env

  beforeAll(async () => {
    server = await startTestServer()
    await server.createUser('ada', { isAdmin: true })
    env = { DATABASE_URL: toConnectionUrl(server.database.connection) }
  })
  afterAll(() => server.close())

  const createUser = (email: string, password: string, repeatedPassword: string) =>
    runAtTerminal(`user create ${email}`, {
      env,
      answers: [
        ['New password: ', `${password}\r`],
        ['Repeat password: ', `${repeatedPassword}\r`],
      ],
    })

  it('a new password is entered twice and not displayed', async () => {
    const { code, screen } = await createUser('bob@example.com', 'correct horse battery', 'correct horse battery')
    expect(code).toBe(0)
    expect(screen).toMatch(/Created \w+ bob@example\.com/)
    expect(screen).not.toContain('horse')
    const json = { email: 'bob@example.com', password: 'correct horse battery' }
    expect((await server.anyone.post('/api/session', json)).status).toBe(200)
  })

  it('two different passwords create no account', async () => {
    const result = await createUser('eve@example.com', 'correct horse battery', 'correct horse batteyr')
    expect(result.code).toBe(1)
    expect(result.screen).toContain("The passwords don't match. Nothing was changed.")
    expect((await belfry('user list', { env })).stdout).not.toContain('eve@example.com')
  })

  it('a user is deleted only after their email address has been typed', async () => {
    await server.createUser('carol')
    const command = 'user delete carol@example.com'
    const wrongAnswer = await runAtTerminal(command, { env, answers: [['to confirm: ', 'y\r']] })
    expect(wrongAnswer.code).toBe(1)
    expect(wrongAnswer.screen).toContain('Nothing was changed.')
    const endOfInput = await runAtTerminal(command, { env, answers: [['to confirm: ', '\x04']] })
    expect(endOfInput.code).toBe(1)
    expect((await belfry('user list', { env })).stdout).toContain('carol@example.com')
    const rightAnswer = await runAtTerminal(command, { env, answers: [['to confirm: ', 'carol@example.com\r']] })
    expect(rightAnswer.code).toBe(0)
    expect((await belfry('user list', { env })).stdout).not.toContain('carol@example.com')
  })

  it('a backup is not printed', async () => {
    const { code, screen } = await runAtTerminal('backup -', { env, answers: [] })
    expect(code).toBe(2)
    expect(screen).toContain("A backup can't be written to a terminal.")
  })
})
