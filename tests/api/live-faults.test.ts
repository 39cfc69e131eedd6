/** Streams when something goes wrong: readers who leave, a database that is away, a server that stops. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LiveHub } from '../../src/live/hub.ts'
import type { EventStream } from '../../src/live/stream.ts'
import { connectPlainly } from '../support/database.ts'
import { openEventStream } from '../support/listener.ts'
import { makeMonitor } from '../support/monitors.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let ada: Person
let sessionId: number
const patience = { timeout: 15_000, interval: 20 }

beforeEach(async () => {
  server = await startTestServer()
  ada = await server.person('ada')
  const [session] = await server.services.db.query<{ id: number }>('select id from sessions where user_id = $1', [
    ada.id,
  ])
  sessionId = session?.id as number
})
afterEach(() => server.close())

interface Away {
  /** On the one connection that is left. */
  write(text: string, values: unknown[]): Promise<unknown>
  bringBack(): Promise<void>
}

/** The server cannot reach it, until it is there again. */
async function takeDatabaseAway(): Promise<Away> {
  const { connection } = server.database
  const { database: name } = connection
  const [client, inside] = [await connectPlainly(), new pg.Client(connection)]
  await inside.connect()
  await inside.query(`set search_path = belfry; set belfry.across_users = 'on'`)
  await client.query(`alter database ${name} allow_connections false`)
  // Not autovacuum, which is nobody's and not ours to end.
  await inside.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and usename = user and pid <> pg_backend_pid()`,
  )
  return {
    write: (text, values) => inside.query(text, values),
    bringBack: async () => {
      await client.query(`alter database ${name} allow_connections true`)
      await Promise.all([client.end(), inside.end()])
    },
  }
}

/** Another one on the same database, and how often it asked. */
function makeHub(options: { beatMs?: number } = {}) {
  const { clock, db, log } = server.services
  let asked = 0
  const counting = new Proxy(db, {
    get(target, name) {
      asked++
      const found = Reflect.get(target, name)
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
  return { hub: new LiveHub({ clock, db: counting, log, ...options }), asked: () => asked }
}

function openOn(hub: LiveHub): Promise<EventStream> {
  const caller = { userId: ada.id, keyId: null, sessionId }
  return hub.open(caller, { monitorId: undefined, websiteId: undefined })
}

describe('a stream', () => {
  it('is forgotten with its connection, also before it was answered', async () => {
    const { live } = server.services
    const before = server.logged.length
    const streams = await Promise.all(Array.from({ length: 5 }, () => openEventStream(server.address, ada.session)))
    expect(live.size).toBe(5)
    await Promise.all(streams.map((stream) => stream.close()))
    const headers = { cookie: `belfry_session=${ada.session.credentials.cookie}` }
    for (let ms = 0; ms < 30; ms++) {
      const leaving = new AbortController()
      const answer = fetch(`${server.address}/api/live`, { headers, signal: leaving.signal }).catch(() => {})
      await pause(ms / 2)
      leaving.abort()
      await answer
    }
    // Whatever came before this has been answered.
    await ada.session.get('/api/session')
    await vi.waitFor(() => expect(live.size).toBe(0), patience)
    expect(
      server.logged
        .slice(before)
        .filter((line) => /"level":"(warn|error)"|premature/.test(line))
        .join(''),
    ).toBe('')
  })

  it('outlives a database that is away, and tells what happened meanwhile', async () => {
    const [{ id }, later] = [await makeMonitor(ada.session), await makeMonitor(ada.session)]
    server.clock.advance({ minutes: 1 })
    const listening = await openEventStream(server.address, ada.session)
    await listening.waitFor('visitors')
    const away = await takeDatabaseAway()
    await vi.waitFor(
      () =>
        expect(server.logged.join()).toContain('job failed, retrying later: look for changes to show on open pages'),
      patience,
    )
    const query = `update monitors set status = 'up', status_changed_at = $2 where id = $1`
    server.clock.advance({ minutes: 1 })
    await away.write(query, [id, server.clock.now()])
    server.clock.advance({ minutes: 4 })
    await away.bringBack()
    await vi.waitFor(
      () => expect(listening.listData('monitors').flat()).toMatchObject([{ id, status: 'up' }]),
      patience,
    )
    await server.services.db.query(query, [later.id, server.clock.now()])
    expect((await listening.waitFor('monitors', 2))[1]).toMatchObject([{ id: later.id }])
    await listening.close()
  })

  it('is not opened while the database is away', async () => {
    await ada.session.get('/api/session')
    const { bringBack } = await takeDatabaseAway()
    const answer = await ada.session.get('/api/live')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    await bringBack()
    expect(server.services.live.size).toBe(0)
  })

  it('ends when the server stops, which does not wait for it', async () => {
    const listening = await openEventStream(server.address, ada.session)
    await server.stop()
    // Whatever is still there after 4 s is cut off.
    expect(await listening.ended).toBe('properly')
    await expect(openOn(server.services.live)).rejects.toThrow('The server is stopping.')
  })

  it('gives a sign of life from time to time', async () => {
    const { hub } = makeHub({ beatMs: 10 })
    const stream = await openOn(hub)
    let text = ''
    stream.on('data', (chunk: string) => {
      text += chunk
    })
    await vi.waitFor(() => expect(text.match(/^:$/gm)?.length).toBeGreaterThan(3), patience)
    await hub.close()
    await vi.waitFor(() => expect(hub.size).toBe(0), patience)
  })
})

it('asks the database nothing while nobody listens', async () => {
  const [left, kept] = [makeHub(), makeHub()]
  const stream = await openOn(left.hub)
  await vi.waitFor(() => expect(left.asked()).toBeGreaterThan(3), patience)
  stream.destroy()
  await vi.waitFor(() => expect(left.hub.size).toBe(0), patience)
  await left.hub.close()
  const before = left.asked()
  await openOn(kept.hub)
  await vi.waitFor(() => expect(kept.asked()).toBeGreaterThan(8), patience)
  expect(left.asked()).toBe(before)
  await kept.hub.close()
})
