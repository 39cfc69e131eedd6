/** No secret gets into the audit log, wherever somebody enters it. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { channelSamples, createSmsEnv, sampleKinds } from '../support/channels.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { recordRequest } from './support.ts'

let server: TestServer
let ada: TestUser

beforeAll(async () => {
  server = await startTestServer({ env: createSmsEnv('http://127.0.0.1:9') })
  ada = await server.createUser('ada')
})
afterAll(() => server.close())

/** Everything that the log contains, as text, also in hexadecimal and base64. */
async function readWholeLog(): Promise<string> {
  const rows = await server.services.db.query<{ text: string }>('select audit_log::text as text from audit_log')
  expect(rows.length).toBeGreaterThan(0)
  return rows.map(({ text }) => text).join('\n')
}

async function expectSecretsMissing(secrets: readonly string[]): Promise<void> {
  const log = await readWholeLog()
  for (const secret of secrets) {
    for (const encoding of ['utf8', 'hex', 'base64'] as const) {
      expect(log.includes(Buffer.from(secret).toString(encoding)), `${secret} as ${encoding}`).toBe(false)
    }
  }
}

const send = async (method: string, path: string, json?: unknown) =>
  (await recordRequest(server, ada.session, method, path, json)).data

it.each(sampleKinds)('of a notification channel of type %s', async (kind) => {
  const sample: Record<string, unknown> = channelSamples[kind]
  const { id } = await send('POST', '/api/providers', { provider_type: kind, ...sample })
  const record = (await ada.session.get(`/api/providers/${id}`)).body.data
  // Of a secret, the API returns only a hint.
  const secretFields = Object.entries(sample).filter(([name]) => record[name] === undefined || name === 'headers')
  await send('PATCH', `/api/providers/${id}`, { name: 'Renamed' })
  await send('PATCH', `/api/providers/${id}`, sample)
  await send('DELETE', `/api/providers/${id}`)
  const secrets = secretFields.flatMap(([, value]) =>
    typeof value === 'string' ? [value] : Object.values(value as object),
  )
  expect(secrets.length > 0).toBe(!['email', 'sms'].includes(kind))
  await expectSecretsMissing(secrets)
})

it('of a monitor', async () => {
  const http = {
    method: 'POST',
    headers: { Authorization: 'Bearer header-mark-1', 'X-Key': 'header-mark-2' },
    body: '{"password": "body-mark-1"}',
  }
  const { id } = await send('POST', '/api/monitors', { friendly_name: 'Shop', url: 'https://example.org/', http })
  await send('PATCH', `/api/monitors/${id}`, { http: { headers: { 'X-Key': 'header-mark-3' }, body: 'body-mark-2' } })
  await send('DELETE', `/api/monitors/${id}`)
  const tcp = await send('POST', '/api/monitors', {
    friendly_name: 'Mail',
    url: 'mail.example.org:25',
    type: 'tcp',
    tcp: { send: 'AUTH send-mark' },
  })
  await send('DELETE', `/api/monitors/${tcp.id}`)
  const heartbeat = await send('POST', '/api/monitors', {
    friendly_name: 'Backup',
    type: 'heartbeat',
    heartbeat: { period: 60 },
  })
  const [, token] = /\/beat\/(.+)$/.exec(heartbeat.url) ?? []
  await send('DELETE', `/api/monitors/${heartbeat.id}`)
  await expectSecretsMissing(['header-mark', 'body-mark', 'send-mark', token as string])
})

it('of a website, a status page, a key and an account', async () => {
  const website = await send('POST', '/api/v1/websites', {
    domain: 'shop.example.org',
    privacy: 2,
    password: 'password-mark-1',
  })
  await send('PATCH', `/api/v1/websites/${website.id}`, { password: 'password-mark-2' })
  const page = await send('POST', '/api/status-pages', {
    slug: 'acme',
    title: 'A',
    privacy: 2,
    password: 'password-mark-3',
  })
  await send('PATCH', `/api/status-pages/${page.id}`, { password: 'password-mark-4' })
  const { key } = await send('POST', '/api/keys', { name: 'key', scopes: ['monitors:read'] })
  const passwords = { current_password: ada.password, new_password: 'password-mark-5' }
  await send('PUT', '/api/account/password', passwords)
  const log = await readWholeLog()
  expect(log).not.toMatch(/\$argon2/)
  const [feed] = await server.services.db.query<{ id: string }>('select feed_id::text as id from status_pages')
  await expectSecretsMissing(['password-mark', key, key.slice(7), ada.password, feed?.id as string])
})

it('of a URL', async () => {
  // Earlier versions accepted such URLs.
  const sql = `update monitors set url = 'postgres://belfry:url-mark@db.example.org/x', friendly_name = 'https://ada:url-mark@example.org/'
                where id = $1`
  const { id } = await send('POST', '/api/monitors', { friendly_name: 'Shop', url: 'https://example.org/' })
  await server.services.db.transaction(async (q) => {
    await q.query(`select set_config('belfry.audit', '{"ip": "192.0.2.1"}', true)`)
    await q.query(sql, [id])
  })
  const [entry] = await server.services.db.query('select after, object_name from audit_log order by id desc limit 1')
  expect(entry).toEqual({
    after: { url: 'postgres://belfry:[hidden]@db.example.org/x', friendly_name: 'https://ada:[hidden]@example.org/' },
    object_name: 'https://ada:[hidden]@example.org/',
  })
  await expectSecretsMissing(['url-mark'])
})

it('of the tables that only hold secrets', async () => {
  const { db } = server.services
  await db.query(`insert into totp_secrets (user_id, sealed_secret, confirmed_at) values ($1, 'totp-mark', now())`, [
    ada.id,
  ])
  await db.query(`insert into recovery_codes (user_id, code_hash) values ($1, 'code-mark')`, [ada.id])
  await db.query(
    `insert into passkeys (user_id, credential_id, public_key, counter, transports, is_backed_up, name, created_at)
     values ($1, 'credential-mark', 'public-mark', 0, '{}', false, 'Phone', now())`,
    [ada.id],
  )
  await db.query(
    `insert into account_links (token_hash, user_id, kind, is_mailed, created_at, expires_at)
     values ('link-mark', $1, 'reset_password', true, now(), now())`,
    [ada.id],
  )
  await db.query(
    `insert into invitations (team_id, email, role, guest_can_edit, website_ids, page_ids, token_hash, is_mailed, created_at, expires_at)
     values ($1, 'eve@example.org', 'viewer', false, '{}', '{}', 'invitation-mark', true, now(), now())`,
    [ada.id],
  )
  await db.query(`update sessions set id_token = 'id-token-mark' where user_id = $1`, [ada.id])
  await expectSecretsMissing([
    'totp-mark',
    'code-mark',
    'credential-mark',
    'public-mark',
    'link-mark',
    'invitation-mark',
    'id-token-mark',
  ])
})
