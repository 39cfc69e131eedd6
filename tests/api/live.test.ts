import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { expectNotFound } from '../support/access.ts'
import type { Client } from '../support/client.ts'
import { openEventStream, type TestEventStream } from '../support/event-stream-client.ts'
import { addIncident, createMonitor, insertMonitors, monitorsPath } from '../support/monitors.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, sendView } from '../support/traffic.ts'

let server: TestServer
let openStreams: TestEventStream[] = []

beforeAll(async () => {
  server = await startTestServer()
})
afterEach(async () => {
  await Promise.all(openStreams.map((stream) => stream.close()))
  openStreams = []
  await vi.waitFor(() => expect(server.services.live.size).toBe(0), 20_000)
})
afterAll(() => server.close())

async function subscribe({ session }: { session: Client }, query = ''): Promise<TestEventStream> {
  // A new stream repeats the changes of the last 20 seconds. Advancing the clock excludes those of the test's setup.
  server.clock.advance({ minutes: 1 })
  const stream = await openEventStream(server.address, session, query)
  expect(stream.status).toBe(200)
  openStreams.push(stream)
  return stream
}

const pause = ({ session }: TestUser, id: number) =>
  session.call('PATCH', `${monitorsPath}/${id}`, { json: { is_active: false } })

/** Updates both tables in one statement, as the checker does. */
const markDown = (id: number) =>
  server.services.db.query(
    `with state as (
       update monitor_states set last_checked_at = $2, last_response_ms = 87, last_error = 'Response took longer than 10 s' where monitor_id = $1
     ) update monitors set status = 'down', status_changed_at = $2 where id = $1`,
    [id, server.clock.now()],
  )

/** Creates a monitor and waits until the stream reports it. By then the server has looked for changes in the database again. */
async function waitForNextPoll(stream: TestEventStream, person: TestUser): Promise<void> {
  const { id } = await createMonitor(person.session, { friendly_name: 'the last' })
  await vi.waitFor(
    () =>
      expect(
        stream
          .listData('monitors')
          .flat()
          .map(({ id }) => id),
      ).toContain(id),
    15_000,
  )
}

describe('a live stream', () => {
  it('starts immediately, and no proxy may cache or buffer it', async () => {
    const stream = await subscribe(await server.createUser('first'))
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    expect(stream.headers.get('cache-control')).toBe('no-store')
    expect(stream.headers.get('x-accel-buffering')).toBe('no')
    await vi.waitFor(() => expect(stream.countComments()).toBe(1), 20_000)
    expect(await stream.waitFor('visitors')).toEqual([{}])
  })

  it('reports changes of incidents, to their owner only', async () => {
    const [owner, stranger] = [await server.createUser('responder'), await server.createUser('onlooker')]
    const { id: monitorId } = await createMonitor(owner.session)
    const incidentId = await addIncident(server, monitorId, { from: 60 })
    const path = `/api/incidents/${incidentId}`
    const [stream, strangerStream] = [await subscribe(owner, `?incident=${incidentId}`), await subscribe(stranger)]
    const expectCounts = (incidents: number, incident: number) =>
      vi.waitFor(
        () =>
          expect([stream.listData('incidents'), stream.listData('incident')]).toEqual([
            Array(incidents).fill({}),
            Array(incident).fill({ incident_id: incidentId }),
          ]),
        { timeout: 15_000 },
      )
    await owner.session.post(`${path}/notes`, { text: 'Disk full' })
    await expectCounts(1, 1)
    await owner.session.post(`${path}/acknowledge`)
    await expectCounts(2, 2)
    await pause(owner, monitorId)
    await expectCounts(3, 3)
    await waitForNextPoll(strangerStream, stranger)
    expect(strangerStream.listData('incidents')).toEqual([])
  })

  it('reports that a maintenance began, changed or got another monitor, to its owner only', async () => {
    const [owner, stranger] = [await server.createUser('maintainer'), await server.createUser('bystander')]
    const [stream, strangerStream] = [await subscribe(owner), await subscribe(stranger)]
    const maintenance = { title: 'Deployment', duration_seconds: 3_600, tags: ['shop'] }
    const { body } = await owner.session.post('/api/maintenances', maintenance)
    expect(await stream.waitFor('maintenances')).toEqual([{}])
    await waitForNextPoll(strangerStream, stranger)
    expect(strangerStream.listData('maintenances')).toEqual([])
    await createMonitor(owner.session, { tags: ['shop'] })
    await vi.waitFor(() => expect(stream.listData('maintenances')).toHaveLength(2), { timeout: 5_000 })
    await owner.session.post(`/api/maintenances/${body.data.id}/end`, {})
    await vi.waitFor(() => expect(stream.listData('maintenances')).toHaveLength(3), { timeout: 5_000 })
  })

  it('requires a session', async () => {
    const person = await server.createUser('keyed')
    const keyClient = await person.withKey()
    expect((await keyClient.get('/api/live')).status).toBe(403)
    expect((await server.anyone.get('/api/live')).status).toBe(401)
  })

  it('is not opened by a HEAD request', async () => {
    const { session } = await server.createUser('head')
    const response = await session.call('HEAD', '/api/live')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect(server.services.live.size).toBe(0)
    expect((await session.call('HEAD', '/api/live?monitor=999999')).status).toBe(404)
  })

  it.each(['monitor', 'website'])('of another user’s %s is refused like a stream of an unknown one', async (name) => {
    const [owner, stranger] = [await server.createUser(`owner-${name}`), await server.createUser(`stranger-${name}`)]
    const id =
      name === 'monitor'
        ? (await createMonitor(owner.session)).id
        : await createSite(owner, 'theirs.example', { privacy: 0 })
    const response = await stranger.session.get(`/api/live?${name}=${id}`)
    expectNotFound(response, await stranger.session.get(`/api/live?${name}=999999`))
    expect((await stranger.session.get(`/api/live?${name}=x`)).status).toBe(422)
  })

  it('is refused if the user has 20 open streams', async () => {
    const person = await server.createUser('many')
    const streams = await Promise.all(Array.from({ length: 20 }, () => subscribe(person)))
    const response = await person.session.get('/api/live')
    expect([response.status, response.body.code]).toEqual([429, 'rate_limited'])
    expect(response.headers.get('retry-after')).toBe('5')
    await subscribe(await server.createUser('another'))
    await streams[0]?.close()
    await vi.waitFor(() => expect(server.services.live.size).toBe(20), 20_000)
    await subscribe(person)
  })
})

describe('a status change', () => {
  it('is sent once to each stream of the owner, and not to other users', async () => {
    const [owner, stranger] = [await server.createUser('owner'), await server.createUser('stranger')]
    const { id } = await createMonitor(owner.session)
    const strangersMonitor = await createMonitor(stranger.session)
    const streams = [await subscribe(owner), await subscribe(owner)]
    const strangersStream = await subscribe(stranger)
    await markDown(id)
    const expectedChange = {
      id,
      status: 'down',
      status_changed_at: server.clock.now().toISOString(),
      down_since: null,
      last_checked_at: server.clock.now().toISOString(),
      last_response_ms: 87,
      last_error: 'Response took longer than 10 s',
    }
    for (const stream of streams) expect(await stream.waitFor('monitors')).toEqual([[expectedChange]])
    await pause(owner, id)
    for (const stream of streams) {
      expect(await stream.waitFor('monitors', 2)).toEqual([[expectedChange], [{ ...expectedChange, status: 'paused' }]])
    }
    await pause(stranger, strangersMonitor.id)
    expect(await strangersStream.waitFor('monitors')).toMatchObject([[{ id: strangersMonitor.id, status: 'paused' }]])
    for (const stream of streams) expect(stream.listData('monitors')).toHaveLength(2)
  })

  it('is sent if it happens after the stream opened, but not if it happened long before', async () => {
    const owner = await server.createUser('early')
    const [earlyMonitor, laterMonitor] = [await createMonitor(owner.session), await createMonitor(owner.session)]
    await pause(owner, earlyMonitor.id)
    const stream = await subscribe(owner)
    await pause(owner, laterMonitor.id)
    expect(await stream.waitFor('monitors')).toMatchObject([[{ id: laterMonitor.id }]])
  })

  it('is sent if it happened a few seconds before the stream opened, because the page loaded its data earlier', async () => {
    const owner = await server.createUser('just')
    const { id } = await createMonitor(owner.session)
    const stream = await openEventStream(server.address, owner.session)
    openStreams.push(stream)
    expect(await stream.waitFor('monitors')).toMatchObject([[{ id, status: 'pending' }]])
    const laterStream = await openEventStream(server.address, owner.session)
    openStreams.push(laterStream)
    expect(await laterStream.waitFor('monitors')).toMatchObject([[{ id, status: 'pending' }]])
    expect(stream.listData('monitors')).toHaveLength(1)
  })

  it('is sent even if it was stored late with an earlier timestamp', async () => {
    const owner = await server.createUser('late')
    const [{ id }, otherMonitor] = [await createMonitor(owner.session), await createMonitor(owner.session)]
    server.clock.advance({ minutes: 1 })
    const stream = await subscribe(owner)
    await pause(owner, otherMonitor.id)
    await stream.waitFor('monitors')
    const at = new Date(server.clock.now().getTime() - 10_000)
    await server.services.db.query(`update monitors set status = 'up', status_changed_at = $2 where id = $1`, [id, at])
    expect(await stream.waitFor('monitors', 2)).toMatchObject([[{ id: otherMonitor.id }], [{ id, status: 'up' }]])
  })

  it('of 1,200 monitors is sent completely, in several events', async () => {
    const owner = await server.createUser('storm')
    const { db } = server.services
    await insertMonitors(server, owner.id, 1_200)
    const stream = await subscribe(owner)
    const query = `update monitors set status = 'down', status_changed_at = $2 where user_id = $1`
    await db.query(query, [owner.id, server.clock.now()])
    const events = await stream.waitFor('monitors', 3)
    expect(events.map((monitors) => monitors.length)).toEqual([500, 500, 200])
    expect(new Set(events.flat().map(({ id }) => id)).size).toBe(1_200)
    expect(events.flat().every(({ status }) => status === 'down')).toBe(true)
  })
})

describe('a check', () => {
  it('is sent only to streams of its monitor', async () => {
    const owner = await server.createUser('checker')
    const [{ id }, otherMonitor] = [await createMonitor(owner.session), await createMonitor(owner.session)]
    const recordCheck = async (monitorId: number, ms: number) => {
      server.clock.advance({ seconds: 1 })
      await server.services.db.query(
        'update monitor_states set last_checked_at = $2, last_response_ms = $3 where monitor_id = $1',
        [monitorId, server.clock.now(), ms],
      )
    }
    await recordCheck(id, 10)
    const [monitorStream, generalStream] = [await subscribe(owner, `?monitor=${id}`), await subscribe(owner)]
    await recordCheck(otherMonitor.id, 30)
    await recordCheck(id, 20)
    expect(await monitorStream.waitFor('check')).toMatchObject([
      { id, status: 'pending', last_response_ms: 20, last_error: null },
    ])
    await recordCheck(id, 40)
    expect((await monitorStream.waitFor('check', 2))[1].last_response_ms).toBe(40)
    expect(generalStream.listData('check')).toEqual([])
    expect(monitorStream.listData('monitors')).toEqual([])
  })
})

describe('visitors', () => {
  it('are reported first for all websites, then for each website whose number of visitors changes, even to zero', async () => {
    const owner = await server.createUser('visited')
    const stranger = await server.createUser('unvisited')
    const siteId = await createSite(owner, 'visited.example')
    const quietSiteId = await createSite(owner, 'quiet.example')
    const { rollup } = server.services
    const visit = async (domain: string, address: string) => {
      await sendView(server, domain, '/', { address })
      await rollup.rollUpAll()
    }
    await visit('visited.example', '81.2.69.1')
    const [stream, strangersStream] = [await subscribe(owner), await subscribe(stranger)]
    expect(await stream.waitFor('visitors')).toEqual([{ [siteId]: 1 }])
    await visit('quiet.example', '81.2.69.1')
    expect(await stream.waitFor('visitors', 2)).toEqual([{ [siteId]: 1 }, { [quietSiteId]: 1 }])
    // A stream opened later starts with the visitors of all websites.
    expect(await (await subscribe(owner)).waitFor('visitors')).toEqual([{ [siteId]: 1, [quietSiteId]: 1 }])
    server.clock.advance({ minutes: 6 })
    await visit('quiet.example', '81.2.69.2')
    await vi.waitFor(
      () => expect(Object.assign({}, ...stream.listData('visitors'))).toEqual({ [siteId]: 0, [quietSiteId]: 1 }),
      15_000,
    )
    expect(strangersStream.listData('visitors')).toEqual([{}])
  })

  it('cause a traffic event only on streams of the website that they visit', async () => {
    const owner = await server.createUser('counted')
    const [siteId, otherSiteId] = [
      await createSite(owner, 'counted.example'),
      await createSite(owner, 'uncounted.example'),
    ]
    const { rollup } = server.services
    const [countedStream, otherStream] = [
      await subscribe(owner, `?website=${siteId}`),
      await subscribe(owner, `?website=${otherSiteId}`),
    ]
    await sendView(server, 'counted.example', '/')
    await rollup.rollUpAll()
    expect(await countedStream.waitFor('traffic')).toEqual([{ website_id: siteId }])
    // `traffic` events are at least three seconds apart, so the second one is delayed, but it must arrive.
    await sendView(server, 'counted.example', '/again')
    await rollup.rollUpAll()
    expect(await countedStream.waitFor('traffic', 2)).toHaveLength(2)
    expect(otherStream.listData('traffic')).toEqual([])
  })
})

describe('a session that ends', () => {
  it.each([
    ['by sign-out', ({ session }: TestUser) => session.delete('/api/session')],
    [
      'because its user is deleted',
      ({ id }: TestUser) => server.services.db.query('delete from users where id = $1', [id]),
    ],
    ['because it expires', async () => server.clock.advance({ days: 31 })],
  ])('%s ends its stream', async (reason, end) => {
    const person = await server.createUser(`ends-${reason.length}`)
    const stream = await subscribe(person)
    await end(person)
    expect(await stream.ended).toBe('properly')
    expect(server.services.live.size).toBe(0)
  })

  it('because another session changed the password ends its stream, but not the stream of that other session', async () => {
    const person = await server.createUser('changer')
    const signInResponse = await server.anyone.post('/api/session', { email: person.email, password: person.password })
    const cookie = /belfry_session=([^;]*)/.exec(signInResponse.headers.get('set-cookie') ?? '')?.[1] ?? ''
    const otherDevice = { session: server.anyone.as({ cookie }) }
    const [remainingStream, endedStream] = [await subscribe(person), await subscribe(otherDevice)]
    const passwords = { current_password: person.password, new_password: 'another fine password' }
    expect((await person.session.put('/api/account/password', passwords)).status).toBe(200)
    expect(await endedStream.ended).toBe('properly')
    await waitForNextPoll(remainingStream, person)
    expect(server.services.live.size).toBe(1)
  })
})
