/** `GET /api/audit`: who reads the log, filters, pages, CSV, and how long entries are kept. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deleteExpired } from '../../src/app/delete-expired.ts'
import type { AuditRecord } from '../../src/audit/schema.ts'
import type { Role } from '../../src/shared/roles.ts'
import type { Client } from '../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { addMember, chooseTeam } from './support.ts'

let server: TestServer
let ada: TestUser
let key: Client & { keyId: number }
let monitorIds: number[]

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.createUser('ada')
  key = await ada.withKey()
  monitorIds = []
  for (const [client, name] of [
    [ada.session, 'Shop'],
    [key, 'Blog 50%'],
    [ada.session, '=HYPERLINK("x")'],
  ] as const) {
    const body = { friendly_name: name, url: 'https://example.org/' }
    monitorIds.push((await client.post('/api/monitors', body)).body.data.id)
  }
  await key.call('PATCH', `/api/monitors/${monitorIds[0]}`, { json: { is_active: false } })
})
afterAll(() => server.close())

const query = (sql: string, values: unknown[] = []) => server.services.db.query(sql, values)

async function list(parameters = '', { session } = ada): Promise<AuditRecord[]> {
  const { status, body, text } = await session.get(`/api/audit${parameters}`)
  if (status !== 200) throw new Error(text)
  return body.data
}

const toNames = (records: readonly AuditRecord[]) =>
  records.map(({ action, object_name }) => `${action} ${object_name}`)

describe('the list', () => {
  it('answers who paused a monitor', async () => {
    const [entry, ...others] = await list(`?action=monitor.paused&object_id=${monitorIds[0]}`)
    expect(others).toEqual([])
    expect(entry).toEqual({
      id: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      actor: { kind: 'key', id: key.keyId, name: 'all' },
      action: 'monitor.paused',
      object: 'monitor',
      object_id: monitorIds[0],
      object_name: 'Shop',
      before: { is_active: true },
      after: { is_active: false },
      ip: '127.0.0.1',
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it.each([
    [
      '',
      [
        'monitor.paused Shop',
        'monitor.created =HYPERLINK("x")',
        'monitor.created Blog 50%',
        'monitor.created Shop',
        'api_key.created all',
      ],
    ],
    ['?object=api_key', ['api_key.created all']],
    ['?action=monitor.created&actor_kind=key', ['monitor.created Blog 50%']],
    ['?action=api_key.paused', []],
    ['?search=50%25', ['monitor.created Blog 50%']],
    ['?search=%25', ['monitor.created Blog 50%']],
    ['?search=ADA&object=monitor', ['monitor.created =HYPERLINK("x")', 'monitor.created Shop']],
    ['?from=2000-01-01&to=2000-01-02', []],
    ['?from=2000-01-01&object=api_key', ['api_key.created all']],
  ])('with %j', async (parameters, names) => {
    expect(toNames(await list(parameters))).toEqual(names)
  })

  it('filters by actor', async () => {
    expect(await list(`?actor_kind=key&actor_id=${key.keyId}`)).toHaveLength(2)
    expect(await list(`?actor_kind=user&actor_id=${ada.id + 1_000}`)).toEqual([])
  })

  it('has pages', async () => {
    const { body } = await ada.session.get('/api/audit?page=2&pageSize=2')
    expect(toNames(body.data)).toEqual(['monitor.created Blog 50%', 'monitor.created Shop'])
    expect(body.meta).toEqual({ page: 2, pageSize: 2, total: 5, totalPages: 3 })
    expect((await ada.session.get('/api/audit?page=9')).body).toMatchObject({ data: [], meta: { total: 5 } })
  })

  it.each([
    'object=cat',
    'object_id=x',
    'actor_kind=cat',
    'from=yesterday',
    'pageSize=1000',
    'from=2026-02-01&to=2026-01-01',
  ])('rejects %s', async (parameters) => {
    expect((await ada.session.get(`/api/audit?${parameters}`)).status).toBe(422)
  })

  it.each<[Role, number]>([
    ['owner', 200],
    ['admin', 200],
    ['editor', 403],
    ['viewer', 403],
    ['guest', 403],
  ])('is for owners and admins: %s', async (role, status) => {
    const member = await server.createUser(`member-${role}`)
    await addMember(server, ada.id, member.id, role)
    await chooseTeam(member, ada.id)
    const csv = { headers: { accept: 'text/csv' } }
    for (const options of [{}, csv]) expect((await member.session.get('/api/audit', options)).status).toBe(status)
    if (status === 200) expect(toNames(await list('?object=api_key', member))).toEqual(['api_key.created all'])
    await query('delete from team_members where user_id = $1 and team_id = $2', [member.id, ada.id])
    await query(`delete from audit_log where object = 'member'`)
  })

  it('shows nothing of other teams, and nothing to API keys', async () => {
    const eve = await server.createUser('eve')
    expect(await list('', eve)).toEqual([])
    expect((await key.get('/api/audit')).status).toBe(403)
  })
})

describe('CSV', () => {
  it('has all entries that match, and no formulas', async () => {
    const response = await ada.session.get('/api/audit?object=monitor', { headers: { accept: 'text/csv' } })
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit-2026-01-05.csv"')
    const [header, ...lines] = response.text.split('\r\n')
    expect(header).toBe(
      'id,at,actor_kind,actor_id,actor_name,action,object,object_id,object_name,before,after,ip,request_id',
    )
    expect(lines).toHaveLength(5)
    expect(lines[0]).toContain(
      `,key,${key.keyId},all,monitor.paused,monitor,${monitorIds[0]},Shop,"{""is_active"":true}",`,
    )
    expect(lines[1]).toContain(`,"'=HYPERLINK(""x"")",`)
    expect(lines[4]).toBe('')
  })

  it('continues beyond one batch', async () => {
    const eve = await server.createUser('eve-with-many')
    await query(
      `insert into audit_log (team_id, actor_kind, actor_name, action, object, object_id)
       select $1, 'server', 'Belfry', 'monitor.paused', 'monitor', n from generate_series(1, 2500) n`,
      [eve.id],
    )
    const { text } = await eve.session.get('/api/audit', { headers: { accept: 'text/csv' } })
    const ids = text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => Number(line.split(',')[7]))
    expect(ids).toEqual(Array.from({ length: 2_500 }, (_, n) => 2_500 - n))
  })
})

describe('entries', () => {
  const asOwner = async () => {
    const [session] = await query('select id from sessions where user_id = $1', [ada.id])
    const caller = { teamId: ada.id, userId: ada.id, keyId: null, sessionId: session?.['id'] }
    return server.services.db.as(caller)
  }

  it.each([
    ['changed', `update audit_log set actor_name = 'eve'`],
    ['deleted', 'delete from audit_log'],
    [
      'forged',
      `insert into audit_log (team_id, actor_kind, actor_name, action, object) values (own_team(), 'user', 'eve', 'x', 'monitor')`,
    ],
    [
      'forged with the function of the triggers',
      `select add_audit_entry(own_team(), 'monitor', 1, 'x', 'created', null, '{"a": 1}')`,
    ],
  ])('can not be %s by a request', async (_what, sql) => {
    const countEntries = async () =>
      (await query('select count(*)::int as n, min(actor_name) as name from audit_log'))[0]
    const before = await countEntries()
    await expect((await asOwner()).transaction((q) => q.query(sql))).rejects.toThrow(/permission denied|forbidden|role/)
    expect(await countEntries()).toEqual(before)
  })

  it('are deleted after 400 days', async () => {
    const eve = await server.createUser('eve-with-old')
    const addEntry = (days: number) =>
      query(
        `insert into audit_log (team_id, at, actor_kind, actor_name, action, object)
         values ($1, $2::timestamptz - $3 * interval '1 day', 'server', 'Belfry', 'monitor.paused', 'monitor')`,
        [eve.id, server.clock.now(), days],
      )
    for (const days of [399, 401]) await addEntry(days)
    await deleteExpired(server.services)
    expect(await list('', eve)).toHaveLength(1)
  })
})
