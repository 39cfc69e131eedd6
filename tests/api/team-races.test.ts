/** Rights that end while their owner uses them, on two nodes. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { addMember } from '../support/authorization/things.ts'
import type { Client, ClientResponse } from '../support/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

let database: TestDatabase
let server: TestServer
let otherNode: TestServer
let owner: TestUser
let nameCount = 0

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startTestServer({ database })
  otherNode = await startTestServer({ database, clock: server.clock })
  owner = await server.createUser('owner')
})
afterAll(async () => {
  await server.close()
  await otherNode.close()
  await database.drop()
})

const newMonitor = () => ({ friendly_name: `Shop ${nameCount++}`, url: 'https://shop.example/' })

/** The same session on both nodes, so that each remembers it. */
async function createMember(role: 'owner' | 'editor'): Promise<{ user: TestUser; clients: Client[] }> {
  const user = await server.createUser(`member${nameCount++}`)
  await addMember(server, owner, user.id, role)
  await user.session.put('/api/session', { team_id: owner.id })
  const clients = [user.session, otherNode.anyone.as(user.session.credentials)]
  for (const client of clients) expect((await client.get('/api/monitors')).status).toBe(200)
  return { user, clients }
}

/**
 * Creates monitors with each client all the time. `finish` ends this once each client has sent this many more requests, and returns the
 * statuses of these.
 */
function startWriting(clients: readonly Client[]) {
  let wanted = Number.POSITIVE_INFINITY
  let isOver = false
  const write = async (client: Client) => {
    const lateStatuses: number[] = []
    while (lateStatuses.length < wanted) {
      const isLate = isOver
      const { status } = await client.post('/api/monitors', newMonitor())
      if (isLate) lateStatuses.push(status)
    }
    return lateStatuses
  }
  const writing = Promise.all(clients.map(write))
  return {
    async finish(requestCount: number): Promise<number[]> {
      wanted = requestCount
      isOver = true
      return (await writing).flat()
    },
  }
}

const countMonitors = async () => (await owner.session.get('/api/monitors?pageSize=1')).body.meta.total as number

describe('a member who writes all the time, on two nodes', () => {
  // A session whose user has left the team goes on in the user's own team.
  it.each([
    ['is removed', 'DELETE', undefined, [201, 403]],
    ['becomes a viewer', 'PATCH', { role: 'viewer' }, [403]],
  ])('and %s can write nothing in a later request', async (_, method, json, statuses) => {
    const { user, clients } = await createMember('editor')
    const writing = startWriting(clients)
    const change = await owner.session.call(method, `/api/teams/${owner.id}/members/${user.id}`, json && { json })
    // The requests in progress may still succeed. They have ended before each client sends its next one.
    const firstStatuses = await writing.finish(1)
    const countAfter = await countMonitors()
    const lateStatuses = await startWriting(clients).finish(5)
    expect(change.status).toBe(200)
    expect([...firstStatuses, ...lateStatuses].filter((status) => !statuses.includes(status))).toEqual([])
    expect(await countMonitors()).toBe(countAfter)
  })
})

describe('two owners', () => {
  it('who leave at the same time do not both succeed', async () => {
    for (let round = 0; round < 5; round++) {
      const [one, two] = [await server.createUser(`one${round}`), await server.createUser(`two${round}`)]
      const teamId = (await one.session.post('/api/teams', { name: 'Ours' })).body.data.id
      await server.services.db.query(
        `insert into team_members (team_id, user_id, role, joined_at) values ($1, $2, 'owner', now())`,
        [teamId, two.id],
      )
      const responses = await Promise.all([
        one.session.delete(`/api/teams/${teamId}/members/${one.id}`),
        otherNode.anyone.as(two.session.credentials).delete(`/api/teams/${teamId}/members/${two.id}`),
      ])
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
    }
  })

  it('who demote each other at the same time do not both succeed', async () => {
    const [one, two] = [await server.createUser('first'), await server.createUser('second')]
    const teamId = (await one.session.post('/api/teams', { name: 'Ours' })).body.data.id
    await server.services.db.query(
      `insert into team_members (team_id, user_id, role, joined_at) values ($1, $2, 'owner', now())`,
      [teamId, two.id],
    )
    const demote = (by: Client, id: number) =>
      by.call('PATCH', `/api/teams/${teamId}/members/${id}`, { json: { role: 'viewer' } })
    const responses = await Promise.all([demote(one.session, two.id), demote(two.session, one.id)])
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    const members = await server.services.db.query('select role from team_members where team_id = $1', [teamId])
    expect(members.map(({ role }) => role).sort()).toEqual(['owner', 'viewer'])
  })
})

describe('a member', () => {
  it('keeps the role that somebody else has just chosen if another field is changed at the same time', async () => {
    const { user } = await createMember('editor')
    const { db } = server.services
    let change: Promise<ClientResponse> | undefined
    await db.transaction(async (q) => {
      await q.query(`update team_members set role = 'viewer' where team_id = $1 and user_id = $2`, [owner.id, user.id])
      // The new role isn't committed yet.
      change = owner.session.call('PATCH', `/api/teams/${owner.id}/members/${user.id}`, { json: {} })
      await Promise.race([waitForBlockedStatement(), change])
    })
    const response = await change
    expect([response?.status, response?.body.data.role]).toEqual([200, 'viewer'])
    expect(
      await db.query('select role from team_members where user_id = $1 and team_id = $2', [user.id, owner.id]),
    ).toEqual([{ role: 'viewer' }])
  })

  /** Waits until a transaction of another connection waits for a lock on a row. */
  function waitForBlockedStatement(): Promise<void> {
    return vi.waitFor(
      async () => {
        const rows = await server.services.db.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        expect(rows).toHaveLength(1)
      },
      { timeout: 10_000, interval: 5 },
    )
  }
})

describe('a page', () => {
  it('can not change the team that the session has chosen since', async () => {
    const { user } = await createMember('editor')
    const write = (teamId: number) =>
      user.session.call('POST', '/api/monitors', { json: newMonitor(), headers: { 'belfry-team': String(teamId) } })
    expect((await write(owner.id)).status).toBe(201)
    const refused = await write(user.id)
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict'])
  })
})

describe('a session', () => {
  it('acts in the team that it chose on another node', async () => {
    const { user } = await createMember('editor')
    const cookieOf = (headers: Headers) => /belfry_session=([^;]+)/.exec(headers.get('set-cookie') ?? '')?.[1] as string
    const elsewhere = otherNode.anyone.as(user.session.credentials)
    const back = await user.session.put('/api/session', { team_id: user.id })
    const client = otherNode.anyone.as({ cookie: cookieOf(back.headers) })
    const current = (await client.get('/api/teams')).body.data.find((team: { is_current: boolean }) => team.is_current)
    expect(current.id).toBe(user.id)
    expect((await elsewhere.get('/api/teams')).status).toBe(200)
  })
})
