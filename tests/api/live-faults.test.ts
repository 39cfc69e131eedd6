/** Live streams during faults: clients that disconnect, a database that is unavailable, a server that stops. */
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LiveStream } from '../../src/live/event-stream.ts'
import { LiveHub } from '../../src/live/hub.ts'
import { connectToPostgres } from '../support/database.ts'
import { openEventStream } from '../support/event-stream-client.ts'
import { createMonitor } from '../support/monitors.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

let server: TestServer
let ada: TestUser
let sessionId: number
const waitOptions = { timeout: 15_000, interval: 20 }

async function startLiveServer(): Promise<void> {
  server = await startTestServer()
  ada = await server.createUser('ada')
  const [session] = await server.services.db.query<{ id: number }>('select id from sessions where user_id = $1', [
    ada.id,
  ])
  sessionId = session?.id as number
}

interface DatabaseOutage {
  /** Writes over a connection that stays open during the outage. */
  write(text: string, values: unknown[]): Promise<unknown>
  end(): Promise<void>
}

/** Closes the server's connections and refuses new ones. */
async function startDatabaseOutage(): Promise<DatabaseOutage> {
  const { connection } = server.database
  const { database: name } = connection
  const [admin, writer] = [await connectToPostgres(), new pg.Client(connection)]
  await writer.connect()
  await writer.query(`set search_path = belfry; set belfry.across_users = 'on'`)
  await admin.query(`alter database ${name} allow_connections false`)
  // Filtering by user name excludes autovacuum workers, which we can't terminate.
  await writer.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and usename = user and pid <> pg_backend_pid()`,
  )
  return {
    write: (text, values) => writer.query(text, values),
    end: async () => {
      await admin.query(`alter database ${name} allow_connections true`)
      await Promise.all([admin.end(), writer.end()])
    },
  }
}

/** Creates another hub on the same database, and counts how often it accesses the database. */
function createCountingHub(options: { heartbeatIntervalMs?: number } = {}) {
  const { clock, db, log } = server.services
  let queryCount = 0
  const countingDb = new Proxy(db, {
    get(target, name) {
      queryCount++
      const member = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return { hub: new LiveHub({ clock, db: countingDb, log, ...options }), readQueryCount: () => queryCount }
}

function openStreamOn(hub: LiveHub): Promise<LiveStream> {
  const caller = { teamId: ada.id, userId: ada.id, keyId: null, sessionId }
  return hub.open(caller, { monitorId: undefined, websiteId: undefined, incidentId: undefined })
}

describe('a live stream', () => {
  beforeAll(startLiveServer)
  afterAll(() => server.close())

  it('is removed when the client disconnects, even before the response', async () => {
    const { live } = server.services
    const lineCountBefore = server.logLines.length
    const streams = await Promise.all(Array.from({ length: 5 }, () => openEventStream(server.address, ada.session)))
    expect(live.size).toBe(5)
    await Promise.all(streams.map((stream) => stream.close()))
    const headers = { cookie: `belfry_session=${ada.session.credentials.cookie}` }
    for (let n = 0; n < 30; n++) {
      const disconnect = new AbortController()
      const response = fetch(`${server.address}/api/live`, { headers, signal: disconnect.signal }).catch(() => {})
      await delay(n / 2)
      disconnect.abort()
      await response
    }
    // This response proves that the server has handled all earlier requests.
    await ada.session.get('/api/session')
    await vi.waitFor(() => expect(live.size).toBe(0), waitOptions)
    expect(
      server.logLines
        .slice(lineCountBefore)
        .filter((line) => /"level":"(warn|error)"|premature/.test(line))
        .join(''),
    ).toBe('')
  })

  it('sends heartbeats', async () => {
    const { hub } = createCountingHub({ heartbeatIntervalMs: 10 })
    const stream = await openStreamOn(hub)
    let text = ''
    stream.on('data', (chunk: string) => {
      text += chunk
    })
    await vi.waitFor(() => expect(text.match(/^:$/gm)?.length).toBeGreaterThan(3), waitOptions)
    await hub.close()
    await vi.waitFor(() => expect(hub.size).toBe(0), waitOptions)
  })

  it('lets the live hub query the database only while it is open', async () => {
    const [idleHub, activeHub] = [createCountingHub(), createCountingHub()]
    const stream = await openStreamOn(idleHub.hub)
    await vi.waitFor(() => expect(idleHub.readQueryCount()).toBeGreaterThan(3), waitOptions)
    stream.destroy()
    await vi.waitFor(() => expect(idleHub.hub.size).toBe(0), waitOptions)
    await idleHub.hub.close()
    const queryCountBefore = idleHub.readQueryCount()
    await openStreamOn(activeHub.hub)
    await vi.waitFor(() => expect(activeHub.readQueryCount()).toBeGreaterThan(8), waitOptions)
    expect(idleHub.readQueryCount()).toBe(queryCountBefore)
    await activeHub.hub.close()
  })
})

describe('a live stream during a fault', () => {
  beforeEach(startLiveServer)
  afterEach(() => server.close())

  it('survives a database outage and reports what changed during it', async () => {
    const [{ id }, laterMonitor] = [await createMonitor(ada.session), await createMonitor(ada.session)]
    server.clock.advance({ minutes: 1 })
    const stream = await openEventStream(server.address, ada.session)
    await stream.waitFor('visitors')
    const outage = await startDatabaseOutage()
    await vi.waitFor(
      () =>
        expect(server.logLines.join()).toContain('job failed, retrying later: look for changes to show on open pages'),
      waitOptions,
    )
    const query = `update monitors set status = 'up', status_changed_at = $2 where id = $1`
    server.clock.advance({ minutes: 1 })
    await outage.write(query, [id, server.clock.now()])
    server.clock.advance({ minutes: 4 })
    await outage.end()
    await vi.waitFor(
      () => expect(stream.listData('monitors').flat()).toMatchObject([{ id, status: 'up' }]),
      waitOptions,
    )
    await server.services.db.query(query, [laterMonitor.id, server.clock.now()])
    expect((await stream.waitFor('monitors', 2))[1]).toMatchObject([{ id: laterMonitor.id }])
    await stream.close()
  })

  it('is refused while the database is unavailable', async () => {
    await ada.session.get('/api/session')
    const outage = await startDatabaseOutage()
    const response = await ada.session.get('/api/live')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    await outage.end()
    expect(server.services.live.size).toBe(0)
  })

  it('ends when the server stops, without delaying the stop', async () => {
    const stream = await openEventStream(server.address, ada.session)
    await server.stop()
    // A stream that is still open after 4 s would be cut off, so this stream has ended in time.
    expect(await stream.ended).toBe('properly')
    await expect(openStreamOn(server.services.live)).rejects.toThrow('The server is stopping.')
  })
})
