import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { expectSameAsNone } from '../support/access.ts'
import type { Client } from '../support/client.ts'
import { type Listening, listen as listenAt } from '../support/listener.ts'
import { makeMonitor, path as monitorPath } from '../support/monitors.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { createSite, view } from '../support/traffic.ts'

let server: TestServer
let open: Listening[] = []

beforeAll(async () => {
  server = await startTestServer()
})
afterEach(async () => {
  await Promise.all(open.map((listening) => listening.close()))
  open = []
  await vi.waitFor(() => expect(server.services.live.size).toBe(0))
})
afterAll(() => server.close())

async function listen({ session }: { session: Client }, query = ''): Promise<Listening> {
  // Long enough after what was done before that it is no news.
  server.clock.advance({ minutes: 1 })
  const listening = await listenAt(server.address, session, query)
  expect(listening.status).toBe(200)
  open.push(listening)
  return listening
}

const pause = ({ session }: Person, id: number, isActive = false) =>
  session.call('PATCH', `${monitorPath}/${id}`, { json: { is_active: isActive } })

/** Both at once, as the checker writes them. */
const goDown = (id: number) =>
  server.services.db.query(
    `with state as (
       update monitor_states set last_checked_at = $2, last_response_ms = 87, last_error = 'no answer' where monitor_id = $1
     ) update monitors set status = 'down', status_changed_at = $2 where id = $1`,
    [id, server.clock.now()],
  )

/** After this another look was taken. */
async function nextRound(listening: Listening, person: Person): Promise<void> {
  const { id } = await makeMonitor(person.session, { friendly_name: 'the last' })
  await vi.waitFor(
    () =>
      expect(
        listening
          .of('monitors')
          .flat()
          .map((one) => one.id),
      ).toContain(id),
    15_000,
  )
}

describe('a stream', () => {
  it('begins at once, and is kept by nobody on the way', async () => {
    const listening = await listen(await server.person('first'))
    expect(listening.headers.get('content-type')).toBe('text/event-stream')
    expect(listening.headers.get('cache-control')).toBe('no-store')
    expect(listening.headers.get('x-accel-buffering')).toBe('no')
    await vi.waitFor(() => expect(listening.comments()).toBe(1))
    expect(await listening.hear('visitors')).toEqual([{}])
  })

  it('is for sessions only', async () => {
    const person = await server.person('keyed')
    const key = await person.withKey()
    expect((await key.get('/api/live')).status).toBe(403)
    expect((await server.anyone.get('/api/live')).status).toBe(401)
  })

  it('answers HEAD without one', async () => {
    const { session } = await server.person('head')
    const answer = await session.call('HEAD', '/api/live')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect(server.services.live.size).toBe(0)
  })

  it.each(['monitor', 'website'])('of somebody else’s %s is the same as of none', async (name) => {
    const [owner, stranger] = [await server.person(`owner-${name}`), await server.person(`stranger-${name}`)]
    const id =
      name === 'monitor'
        ? (await makeMonitor(owner.session)).id
        : await createSite(owner, 'theirs.example', { privacy: 0 })
    const theirs = await stranger.session.get(`/api/live?${name}=${id}`)
    expectSameAsNone(theirs, await stranger.session.get(`/api/live?${name}=999999`))
    expect((await stranger.session.get(`/api/live?${name}=x`)).status).toBe(422)
  })

  it('is one of twenty at most', async () => {
    const person = await server.person('many')
    const streams = await Promise.all(Array.from({ length: 20 }, () => listen(person)))
    const answer = await person.session.get('/api/live')
    expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited'])
    expect(answer.headers.get('retry-after')).toBe('5')
    await listen(await server.person('another'))
    await streams[0]?.close()
    await vi.waitFor(() => expect(server.services.live.size).toBe(20))
    await listen(person)
  })
})

describe('a change of status', () => {
  it('is told to its owner once, on each of their streams, and to nobody else', async () => {
    const [owner, stranger] = [await server.person('owner'), await server.person('stranger')]
    const { id } = await makeMonitor(owner.session)
    const theirs = await makeMonitor(stranger.session)
    const streams = [await listen(owner), await listen(owner)]
    const other = await listen(stranger)
    await goDown(id)
    const told = {
      id,
      status: 'down',
      status_changed_at: server.clock.now().toISOString(),
      last_checked_at: server.clock.now().toISOString(),
      last_response_ms: 87,
      last_error: 'no answer',
    }
    for (const stream of streams) expect(await stream.hear('monitors')).toEqual([[told]])
    await pause(owner, id)
    for (const stream of streams) {
      expect(await stream.hear('monitors', 2)).toEqual([[told], [{ ...told, status: 'paused' }]])
    }
    await pause(stranger, theirs.id)
    expect(await other.hear('monitors')).toMatchObject([[{ id: theirs.id, status: 'paused' }]])
    for (const stream of streams) expect(stream.of('monitors')).toHaveLength(2)
  })

  it('long before it was opened is not told, one right after is', async () => {
    const owner = await server.person('early')
    const [before, later] = [await makeMonitor(owner.session), await makeMonitor(owner.session)]
    await pause(owner, before.id)
    const listening = await listen(owner)
    await pause(owner, later.id)
    expect(await listening.hear('monitors')).toMatchObject([[{ id: later.id }]])
  })

  it('is told although it was a moment before, for whoever read everything else before that', async () => {
    const owner = await server.person('just')
    const { id } = await makeMonitor(owner.session)
    const listening = await listenAt(server.address, owner.session)
    open.push(listening)
    expect(await listening.hear('monitors')).toMatchObject([[{ id, status: 'pending' }]])
    const later = await listenAt(server.address, owner.session)
    open.push(later)
    expect(await later.hear('monitors')).toMatchObject([[{ id, status: 'pending' }]])
    expect(listening.of('monitors')).toHaveLength(1)
  })

  it('is told although it was written late, and by a clock that is behind', async () => {
    const owner = await server.person('late')
    const [{ id }, other] = [await makeMonitor(owner.session), await makeMonitor(owner.session)]
    server.clock.advance({ minutes: 1 })
    const listening = await listen(owner)
    await pause(owner, other.id)
    await listening.hear('monitors')
    const at = new Date(server.clock.now().getTime() - 10_000)
    await server.services.db.query(`update monitors set status = 'up', status_changed_at = $2 where id = $1`, [id, at])
    expect(await listening.hear('monitors', 2)).toMatchObject([[{ id: other.id }], [{ id, status: 'up' }]])
  })

  it('of thousands at once is told whole, in parts', async () => {
    const owner = await server.person('storm')
    const { db } = server.services
    await db.query(
      `with made as (
         insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
           remind_every_minutes, status, status_changed_at, search_text, created_at, updated_at)
         select $1, 'Box', 'box.example.com', 'ping', 60, 2, 5, 0, 'up', $2, '', $2, $2
           from generate_series(1, 1200) n returning user_id, id
       ) insert into monitor_states (user_id, monitor_id) select user_id, id from made`,
      [owner.id, server.clock.now()],
    )
    const listening = await listen(owner)
    const query = `update monitors set status = 'down', status_changed_at = $2 where user_id = $1`
    await db.query(query, [owner.id, server.clock.now()])
    const parts = await listening.hear('monitors', 3)
    expect(parts.map((part) => part.length)).toEqual([500, 500, 200])
    expect(new Set(parts.flat().map(({ id }) => id)).size).toBe(1_200)
    expect(parts.flat().every(({ status }) => status === 'down')).toBe(true)
  })
})

describe('a check', () => {
  it('is told to whoever asked for that monitor', async () => {
    const owner = await server.person('checker')
    const [{ id }, other] = [await makeMonitor(owner.session), await makeMonitor(owner.session)]
    const check = async (monitorId: number, ms: number) => {
      server.clock.advance({ seconds: 1 })
      await server.services.db.query(
        'update monitor_states set last_checked_at = $2, last_response_ms = $3 where monitor_id = $1',
        [monitorId, server.clock.now(), ms],
      )
    }
    await check(id, 10)
    const [one, all] = [await listen(owner, `?monitor=${id}`), await listen(owner)]
    await check(other.id, 30)
    await check(id, 20)
    expect(await one.hear('check')).toMatchObject([{ id, status: 'pending', last_response_ms: 20, last_error: null }])
    await check(id, 40)
    expect((await one.hear('check', 2))[1].last_response_ms).toBe(40)
    expect(all.of('check')).toEqual([])
    expect(one.of('monitors')).toEqual([])
  })
})

describe('visitors', () => {
  it('are told of: at first all, then what changes, until they are gone', async () => {
    const owner = await server.person('visited')
    const stranger = await server.person('unvisited')
    const site = await createSite(owner, 'visited.example')
    const quiet = await createSite(owner, 'quiet.example')
    const { rollup } = server.services
    const visit = async (domain: string, address: string) => {
      await view(server, domain, '/', { address })
      await rollup.addUpAll()
    }
    await visit('visited.example', '81.2.69.1')
    const [listening, other] = [await listen(owner), await listen(stranger)]
    expect(await listening.hear('visitors')).toEqual([{ [site]: 1 }])
    await visit('quiet.example', '81.2.69.1')
    expect(await listening.hear('visitors', 2)).toEqual([{ [site]: 1 }, { [quiet]: 1 }])
    // Whoever comes later has all of them at once.
    expect(await (await listen(owner)).hear('visitors')).toEqual([{ [site]: 1, [quiet]: 1 }])
    server.clock.advance({ minutes: 6 })
    await visit('quiet.example', '81.2.69.2')
    await vi.waitFor(
      () => expect(Object.assign({}, ...listening.of('visitors'))).toEqual({ [site]: 0, [quiet]: 1 }),
      15_000,
    )
    expect(other.of('visitors')).toEqual([{}])
  })

  it('are told to have been counted, to whoever asked for that website', async () => {
    const owner = await server.person('counted')
    const [site, other] = [await createSite(owner, 'counted.example'), await createSite(owner, 'uncounted.example')]
    const { rollup } = server.services
    const [one, two] = [await listen(owner, `?website=${site}`), await listen(owner, `?website=${other}`)]
    await view(server, 'counted.example', '/')
    await rollup.addUpAll()
    expect(await one.hear('traffic')).toEqual([{ website_id: site }])
    // One that comes too soon after is told a little later.
    await view(server, 'counted.example', '/again')
    await rollup.addUpAll()
    expect(await one.hear('traffic', 2)).toHaveLength(2)
    expect(two.of('traffic')).toEqual([])
  })
})

describe('a session that ends', () => {
  it.each([
    ['by signing out', ({ session }: Person) => session.delete('/api/session')],
    ['with its user', ({ id }: Person) => server.services.db.query('delete from users where id = $1', [id])],
    ['by its age', async () => server.clock.advance({ days: 31 })],
  ])('%s ends its stream', async (what, end) => {
    const person = await server.person(`ends-${what.length}`)
    const listening = await listen(person)
    await end(person)
    expect(await listening.ended).toBe('properly')
    expect(server.services.live.size).toBe(0)
  })

  it('by a changed password ends its stream, and not that of the session that changed it', async () => {
    const person = await server.person('changer')
    const signedIn = await server.anyone.post('/api/session', { email: person.email, password: person.password })
    const cookie = /belfry_session=([^;]*)/.exec(signedIn.headers.get('set-cookie') ?? '')?.[1] ?? ''
    const other = { session: server.anyone.as({ cookie }) }
    const [kept, ended] = [await listen(person), await listen(other)]
    const passwords = { current_password: person.password, new_password: 'another fine password' }
    expect((await person.session.put('/api/account/password', passwords)).status).toBe(200)
    expect(await ended.ended).toBe('properly')
    await nextRound(kept, person)
    expect(server.services.live.size).toBe(1)
  })
})
