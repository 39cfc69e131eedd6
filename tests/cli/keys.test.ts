import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { belfry, type Env, toConnectionUrl } from './support.ts'

describe('key commands', () => {
  let server: TestServer
  let ada: TestUser
  let env: Env

  beforeAll(async () => {
    server = await startTestServer()
    ada = await server.createUser('ada', { isAdmin: true })
    await server.createUser('bob')
    env = { DATABASE_URL: toConnectionUrl(server.database.connection) }
  })
  afterAll(() => server.close())

  async function createKey(name: string, scopes: string) {
    const result = await belfry(['key', 'create', '--user', ada.email, '--name', name, '--scopes', scopes], { env })
    const id = Number(/Created key (\d+)/.exec(result.stderr)?.[1])
    return { ...result, id, client: server.anyone.as({ key: result.stdout.trim() }) }
  }

  it('create a key that works immediately, and print only the key to standard output', async () => {
    const { code, stdout, stderr, client } = await createKey('deploy script', 'monitors:read, websites:read')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^bf_[\w-]{43}\n$/)
    expect(stderr).toContain('"deploy script" for ada@example.com with monitors:read, websites:read')
    const { status, body } = await client.get('/api/keys')
    expect(status).toBe(200)
    expect(body.data[0]).toMatchObject({ name: 'deploy script', scopes: ['monitors:read', 'websites:read'] })
  })

  it('accept `all` for all scopes, and list the scopes if one is unknown', async () => {
    const { client } = await createKey('everything', 'all')
    expect((await client.get('/api/keys')).body.data[0].scopes).toHaveLength(8)
    const unknownScopeResult = await createKey('x', 'monitors:read,monitors:dance')
    expect(unknownScopeResult.code).toBe(1)
    expect(unknownScopeResult.stderr).toContain('Unknown scope: monitors:dance. Use monitors:read, monitors:write,')
  })

  it('reject an invalid name, user or option', async () => {
    const [emptyName, longName, unknownUser, incomplete] = await Promise.all([
      createKey('', 'all'),
      createKey('x'.repeat(101), 'all'),
      belfry('key create --user eve@example.com --name x --scopes all', { env }),
      belfry('key create --user ada@example.com --name x', { env }),
    ])
    expect(emptyName).toMatchObject({ code: 1, stderr: '`name` must not be empty.\n' })
    expect(longName).toMatchObject({ code: 1, stderr: '`name` must have at most 100 characters.\n' })
    expect(unknownUser.code).toBe(1)
    expect(unknownUser.stderr).toContain('There is no user eve@example.com.')
    expect(incomplete.code).toBe(2)
    expect(incomplete.stderr).toContain('Missing option: --scopes')
  })

  it('list the keys of all users or of one user, and print no control characters', async () => {
    await ada.session.post('/api/keys', { name: 'red \u001b[31malert', scopes: ['monitors:read'] })
    const allKeysResult = await belfry('key list', { env })
    expect(allKeysResult.stdout).toMatch(/^ID +USER +TEAM +NAME +PREFIX +CREATED BY +CREATED +LAST USED +SCOPES$/m)
    expect(allKeysResult.stdout).toContain('red \u{fffd}[31malert')
    const bobsKeysResult = await belfry('key list --user bob@example.com', { env })
    expect(bobsKeysResult.stdout).toBe('No API keys.\n')
    const adasKeys = JSON.parse((await belfry('key list --user ada@example.com --json', { env })).stdout)
    expect(adasKeys[0]).toMatchObject({ email: 'ada@example.com', name: 'red \u001b[31malert' })
    expect(Object.keys(adasKeys[0])).not.toContain('key_hash')
  })

  it('create, list and revoke keys in any team of the user', async () => {
    const carol = await server.createUser('carol')
    const addTeam = async (name: string) => (await carol.session.post('/api/teams', { name })).body.data.id
    const [shopId, otherShopId, webId] = [await addTeam('Shop'), await addTeam('shop'), await addTeam('Web')]
    expect((await carol.session.delete(`/api/teams/${carol.id}`)).status).toBe(200)
    const create = (options: string) =>
      belfry(`key create --user ${carol.email} --name x --scopes monitors:read ${options}`.trim(), { env })

    const row = (id: number) => String(id).padEnd(4)
    const choices = `Choose a team with --team:\nID  NAME\n${row(shopId)}Shop\n${row(otherShopId)}shop\n${row(webId)}Web\n`
    const failures = [await create(''), await create(`--team ${ada.id}`), await create('--team SHOP')]
    expect(failures.map(({ code, stderr }) => [code, stderr])).toEqual([
      [1, `carol@example.com no longer has a team of their own. ${choices}`],
      [1, `carol@example.com is not in a team "${ada.id}". ${choices}`],
      [1, expect.stringMatching(/^carol@example\.com is in several teams called "SHOP"\. .*\n.*\n.* Shop\n.* shop\n$/)],
    ])
    const invalidTime = await create(`--team ${webId} --expires tomorrow`)
    expect(invalidTime.stderr).toContain('`expires_at` must be a time such as')

    const created = await create('--team web --expires 2099-01-31 --allow-ip 127.0.0.1 --allow-ip 203.0.113.0/24')
    expect(created.stderr).toContain('with monitors:read, in the team "Web".')
    const client = server.anyone.as({ key: created.stdout.trim() })
    const [key] = (await client.get('/api/keys')).body.data
    const limits = { expires_at: '2099-01-31T00:00:00.000Z', allowed_ips: ['127.0.0.1', '203.0.113.0/24'] }
    expect(key).toMatchObject(limits)
    const table = (await belfry('key list --user carol@example.com', { env })).stdout
    expect(table).toMatch(/ LAST USED +EXPIRES +ALLOWED IPS +SCOPES\n/)
    expect(table).toMatch(
      / carol@example\.com +Web +x .* 2099-01-31 00:00:00Z +127\.0\.0\.1,203\.0\.113\.0\/24 +monitors:read\n/,
    )
    const listed = JSON.parse((await belfry('key list --user carol@example.com --json', { env })).stdout)
    expect(listed).toMatchObject([{ id: key.id, team_id: webId, team_name: 'Web', ...limits }])
    expect(await belfry(`key revoke ${key.id}`, { env })).toMatchObject({ code: 0 })
    expect((await client.get('/api/keys')).status).toBe(401)

    for (const id of [shopId, otherShopId]) await carol.session.delete(`/api/teams/${id}`)
    expect((await create('')).stderr).toContain('in the team "Web".')
  })

  it('revoke a key immediately, together with the keys that it created', async () => {
    const { id, client } = await createKey('parent', 'monitors:read')
    const childClient = server.anyone.as({
      key: (await client.post('/api/keys', { name: 'child', scopes: ['monitors:read'] })).body.data.key,
    })
    expect((await childClient.get('/api/keys')).status).toBe(200)
    const revokeResult = await belfry(`key revoke ${id}`, { env })
    expect(revokeResult).toMatchObject({ code: 0, stdout: `Revoked key ${id} "parent".\n` })
    expect((await client.get('/api/keys')).status).toBe(401)
    expect((await childClient.get('/api/keys')).status).toBe(401)
  })

  it('keep the keys that a revoked key created, on request', async () => {
    const { id, client } = await createKey('old', 'monitors:read')
    const response = await client.post('/api/keys', { name: 'new', scopes: ['monitors:read'] })
    const successor = server.anyone.as({ key: response.body.data.key })
    expect((await belfry(`key revoke ${id} --descendants keep`, { env })).code).toBe(0)
    expect((await client.get('/api/keys')).status).toBe(401)
    expect((await successor.get('/api/keys')).status).toBe(200)
  })

  it('reject an unknown key or option', async () => {
    expect(await belfry('key revoke 999999', { env })).toMatchObject({ code: 1, stderr: 'There is no key 999999.\n' })
    expect((await belfry('key revoke first', { env })).code).toBe(2)
    expect((await belfry('key revoke 1 --descendants perhaps', { env })).code).toBe(2)
  })
})
