import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { atTerminal, belfry, type Env, hasTerminal, urlOf } from './support.ts'

describe.skipIf(!hasTerminal)('at a terminal', () => {
  let server: TestServer
  let env: Env

  beforeAll(async () => {
    server = await startTestServer()
    await server.person('ada', { isAdmin: true })
    env = { DATABASE_URL: urlOf(server.database.connection) }
  })
  afterAll(() => server.close())

  const create = (first: string, second: string) =>
    atTerminal('user create bob@example.com', {
      env,
      answers: [
        ['New password: ', `${first}\r`],
        ['Repeat password: ', `${second}\r`],
      ],
    })

  it('a password is asked for twice, and not shown', async () => {
    const typo = await create('correct horse battery', 'correct horse batteyr')
    expect(typo.code).toBe(1)
    expect(typo.shown).toContain("The passwords don't match. Nothing was changed.")
    const { code, shown } = await create('correct horse battery', 'correct horse battery')
    expect(code).toBe(0)
    expect(shown).toMatch(/Made the \w+ bob@example\.com/)
    expect(shown).not.toContain('horse')
    const json = { email: 'bob@example.com', password: 'correct horse battery' }
    expect((await server.anyone.post('/api/session', json)).status).toBe(200)
  })

  it('an account is deleted when its e-mail is typed, and only then', async () => {
    const words = 'user delete bob@example.com'
    const wrong = await atTerminal(words, { env, answers: [['to confirm: ', 'y\r']] })
    expect(wrong.code).toBe(1)
    expect(wrong.shown).toContain('Nothing was changed.')
    const closed = await atTerminal(words, { env, answers: [['to confirm: ', '\x04']] })
    expect(closed.code).toBe(1)
    const right = await atTerminal(words, { env, answers: [['to confirm: ', 'bob@example.com\r']] })
    expect(right.code).toBe(0)
    expect((await belfry('user list', { env })).stdout).not.toContain('bob@example.com')
  })

  it('a backup is not poured over the screen', async () => {
    const { code, shown } = await atTerminal('backup -', { env, answers: [] })
    expect(code).toBe(2)
    expect(shown).toContain("A backup can't be written to a terminal.")
  })
})
