/** Moving websites and monitors, with their history, between teams. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addMember } from '../support/authorization/things.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { sendView } from '../support/traffic.ts'

let server: TestServer
let ada: TestUser
let target: number

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.createUser('ada')
  target = (await ada.session.post('/api/teams', { name: 'Other' })).body.data.id
})
afterAll(() => server.close())

const chooseTeam = (user: TestUser, teamId: number) => user.session.put('/api/session', { team_id: teamId })

async function inTarget<T>(work: () => Promise<T>): Promise<T> {
  await chooseTeam(ada, target)
  try {
    return await work()
  } finally {
    await chooseTeam(ada, ada.id)
  }
}

async function createId(path: string, body: object): Promise<number> {
  const response = await ada.session.post(path, body)
  expect(response.status, response.text).toBe(201)
  return response.body.data.id
}

/** Tables with rows of the monitor that still belong to the team. */
async function listTablesOf(teamId: number, column: string, id: number): Promise<string[]> {
  const { db } = server.services
  const tables = await db.query<{ name: string }>(
    `select table_name as name from information_schema.columns
      where table_schema = 'belfry' and column_name = $1
        and table_name in (select table_name from information_schema.columns where column_name = 'user_id') order by 1`,
    [column],
  )
  const counted = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await db.query(`select from ${name} where user_id = $1 and ${column} = $2 limit 1`, [teamId, id])
      return rows.length > 0 ? name : undefined
    }),
  )
  return counted.filter((name) => name !== undefined)
}

describe('a monitor', () => {
  it('moves with its history and its secrets', async () => {
    const { db } = server.services
    const id = await createId('/api/monitors', {
      friendly_name: 'Shop',
      url: 'https://shop.example/',
      http: { headers: { authorization: 'Bearer secret-1234' } },
    })
    const dependent = await createId('/api/monitors', {
      friendly_name: 'API',
      url: 'https://api.example/',
      depends_on: id,
    })
    const channel = await createId('/api/providers', { provider_type: 'email', recipient_email: 'ops@example.com' })
    await ada.session.post(`/api/monitors/${id}/notifications`, { provider_id: channel })
    await createId('/api/status-pages', {
      slug: 'moving',
      title: 'Moving',
      groups: [{ name: 'All', monitors: [{ monitor_id: id }, { monitor_id: dependent }] }],
    })
    await createId('/api/maintenances', { title: 'Work', duration_seconds: 600, monitor_ids: [id] })
    await db.query(
      `with incident as (
         insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at) values ($1, $2, 'timeout', 'x', $3, $3)
         returning id
       ), note as (
         insert into incident_notes (user_id, monitor_id, incident_id, text, author, created_at)
         select $1, $2, id, 'Disk full', 'ada', now() from incident
       ), hour as (
         insert into check_hours (user_id, monitor_id, starts_at, total, failed, sum_ms, buckets, counts)
         values ($1, $2, now(), 1, 0, 5, '{1}', '{1}')
       ), result as (
         insert into checks (user_id, monitor_id, checked_at, response_ms) values ($1, $2, now(), 5)
       )
       insert into watches (user_id, monitor_id, started_at) values ($1, $2, now())`,
      [ada.id, id, server.clock.now()],
    )
    await db.query(`update monitor_states set due_at = 'infinity', claimed_by = 1 where monitor_id = $1`, [id])

    const moved = await ada.session.post(`/api/monitors/${id}/move`, { team_id: target })
    expect([moved.status, moved.body], moved.text).toEqual([200, { data: { id, team_id: target } }])

    expect((await ada.session.get(`/api/monitors/${id}`)).status).toBe(404)
    expect(await listTablesOf(ada.id, 'monitor_id', id)).toEqual([])
    expect((await ada.session.get(`/api/monitors/${dependent}`)).body.data.depends_on).toBe(null)
    await inTarget(async () => {
      const { data } = (await ada.session.get(`/api/monitors/${id}`)).body
      expect(data).toMatchObject({ friendly_name: 'Shop', http: { headers: { authorization: '1234' } } })
      expect((await ada.session.get(`/api/monitors/${id}/incidents`)).body.data).toMatchObject([{ cause: 'timeout' }])
      expect((await ada.session.get(`/api/monitors?pageSize=1`)).body.meta.total).toBe(1)
    })
    expect(await listTablesOf(target, 'monitor_id', id)).toEqual(
      expect.arrayContaining(['check_hours', 'checks', 'incident_notes', 'incidents', 'monitor_states', 'watches']),
    )
    const [state] = await db.query(
      "select due_at < now() + interval '1 minute' as due, claimed_by from monitor_states where monitor_id = $1",
      [id],
    )
    expect(state).toEqual({ due: true, claimed_by: null })
  })

  it('keeps the address of its beats', async () => {
    const id = await createId('/api/monitors', {
      type: 'heartbeat',
      friendly_name: 'Backup',
      heartbeat: { period: 3_600 },
    })
    const { url } = (await ada.session.get(`/api/monitors/${id}`)).body.data
    expect((await ada.session.post(`/api/monitors/${id}/move`, { team_id: target })).status).toBe(200)
    await inTarget(async () => expect((await ada.session.get(`/api/monitors/${id}`)).body.data.url).toBe(url))
    expect((await server.anyone.get(new URL(url).pathname)).status).toBe(200)
  })
})

describe('a website', () => {
  it('moves with its traffic', async () => {
    const id = await createId('/api/v1/websites', { domain: 'moving.example', favorite: true })
    await sendView(server, 'moving.example', '/', { address: '81.2.69.7' })
    expect((await ada.session.post(`/api/v1/websites/${id}/move`, { team_id: target })).status).toBe(200)
    expect((await ada.session.get('/api/v1/websites')).body.meta.total).toBe(0)
    expect(await listTablesOf(ada.id, 'website_id', id)).toEqual([])
    await sendView(server, 'moving.example', '/two', { address: '81.2.69.8' })
    await inTarget(async () => {
      const websites = (await ada.session.get('/api/v1/websites?search=moving&favorite=true')).body
      expect(websites.data).toMatchObject([{ id, domain: 'moving.example' }])
      expect((await ada.session.get(`/api/v1/stats/${id}/overview`)).body.data.totals.visitors).toBe(2)
    })
  })
})

describe('a move', () => {
  it('needs an owner or admin of both teams', async () => {
    const grace = await server.createUser('grace')
    await addMember(server, ada, grace.id, 'editor')
    const id = await createId('/api/monitors', { friendly_name: 'Own', url: 'https://own.example/' })
    await chooseTeam(grace, ada.id)
    const move = (teamId: number) => grace.session.post(`/api/monitors/${id}/move`, { team_id: teamId })
    expect((await move(grace.id)).status).toBe(403)
    await ada.session.call('PATCH', `/api/teams/${ada.id}/members/${grace.id}`, { json: { role: 'admin' } })
    const unknown = await move(900_000_001)
    const foreign = await move(target)
    expect([foreign.status, foreign.body.errors]).toEqual([422, unknown.body.errors])
    expect((await move(grace.id)).status).toBe(200)
    expect((await ada.session.post(`/api/monitors/${id}/move`, { team_id: target })).status).toBe(404)
  })

  it('needs a second factor if the other team requires one', async () => {
    const { db } = server.services
    const id = await createId('/api/monitors', { friendly_name: 'Weak', url: 'https://weak.example/' })
    await db.query('update teams set requires_second_factor = true where id = $1', [target])
    const refused = await ada.session.post(`/api/monitors/${id}/move`, { team_id: target })
    expect([refused.status, refused.body.code]).toEqual([403, 'second_factor_required'])
    await db.query('update teams set requires_second_factor = false where id = $1', [target])
    expect((await ada.session.post(`/api/monitors/${id}/move`, { team_id: target })).status).toBe(200)
  })
})
