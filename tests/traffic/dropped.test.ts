/** What was dropped is counted a little later: not too late for a stop, and however the database is meanwhile. */
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { deleteRemovedTraffic } from '../../src/traffic/retention/removal.ts'
import { belfry, makeFolder, urlOf } from '../cli/support.ts'
import { connectPlainly, createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Person, startTestServer, TEST_SECRET, type TestServer } from '../support/server.ts'
import { createSite, send } from '../support/traffic.ts'

const domain = 'example.com'
const visit = { n: 'pageview', u: `https://${domain}/`, d: domain }
const bot = { agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' }
const patience = { timeout: 20_000, interval: 50 }

let database: TestDatabase
let server: TestServer
let ada: Person
let site: number

beforeEach(async () => {
  database = await createTestDatabase()
  server = await startTestServer({ database })
  ada = await server.person('ada')
  site = await createSite(ada, domain)
})
afterEach(async () => {
  await server.close()
  await database.drop()
})

async function drop(node: TestServer, count: number): Promise<void> {
  const answers = await Promise.all(Array.from({ length: count }, () => send(node, visit, bot)))
  expect(new Set(answers.map(({ headers }) => headers.get('x-belfry-dropped')))).toEqual(new Set(['bot']))
}

/** By day. */
async function counted(node = server): Promise<Record<string, number>> {
  const rows = await node.services.db.query('select day::text, count from dropped_events where website_id = $1', [site])
  return Object.fromEntries(rows.map(({ day, count }) => [day, count]))
}

/** Nobody can write what was dropped until it is let go. */
async function holdTable() {
  const client = new pg.Client(database.connection)
  await client.connect()
  await client.query('begin; lock table belfry.dropped_events in exclusive mode')
  const { rows } = await client.query('select pg_backend_pid() as pid')
  return {
    pid: rows[0].pid as number,
    async untilBlocking() {
      const blocked = 'select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))'
      const isBlocking = async () => {
        await client.query('select pg_stat_clear_snapshot()')
        return (await client.query(blocked)).rows.length > 0
      }
      while (!(await isBlocking()));
    },
    release: () => client.end(),
  }
}

/** Cuts every connection but one, and lets none in. Autovacuum, which is nobody's, is not ours to end. */
async function takeAway(butPid: number) {
  const plain = await connectPlainly()
  const name = database.connection.database
  await plain.query(`alter database ${name} allow_connections false`)
  await plain.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = user and pid <> $2',
    [name, butPid],
  )
  return async () => {
    await plain.query(`alter database ${name} allow_connections true`)
    await plain.end()
  }
}

const hasFailed = () => expect(server.logged.join('')).toContain('noting dropped events failed')

describe('what was dropped', () => {
  it('is written before a server stops', async () => {
    const other = await startTestServer({ database, clock: server.clock })
    await drop(other, 7)
    await other.close()
    expect(await counted()).toEqual({ '2026-01-05': 7 })
  })

  it('adds up over nodes', async () => {
    const other = await startTestServer({ database, clock: server.clock })
    await Promise.all([drop(server, 30), drop(other, 12)])
    await vi.waitFor(async () => expect(await counted()).toEqual({ '2026-01-05': 42 }), patience)
    await other.close()
  })

  it('is kept while the database is away, and counted when it is back', async () => {
    const hold = await holdTable()
    await drop(server, 5)
    await hold.untilBlocking()
    // More comes while the first is being written.
    await drop(server, 3)
    // What is being written cannot be committed before it is cut: nothing is counted twice.
    const bringBack = await takeAway(hold.pid)
    try {
      await vi.waitFor(hasFailed, patience)
      expect((await send(server, visit, bot)).status).toBe(503)
    } finally {
      await hold.release()
      await bringBack()
    }
    await drop(server, 2)
    await vi.waitFor(async () => expect(await counted()).toEqual({ '2026-01-05': 10 }), patience)
  })

  it('is kept of two days and no more, however long it cannot be written', async () => {
    const hold = await holdTable()
    await drop(server, 1)
    await hold.untilBlocking()
    for (let day = 0; day < 3; day++) {
      server.clock.advance({ days: 1 })
      await drop(server, 2 + day)
    }
    await server.services.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
    )
    await vi.waitFor(hasFailed, patience)
    await hold.release()
    await vi.waitFor(async () => expect(await counted()).toEqual({ '2026-01-07': 3, '2026-01-08': 4 }), patience)
  })

  it('is not written for a website that was deleted meanwhile', async () => {
    const hold = await holdTable()
    await drop(server, 3)
    await hold.untilBlocking()
    await ada.session.delete(`/api/v1/websites/${site}`)
    await hold.release()
    await server.services.collector.stop()
    await deleteRemovedTraffic(server.services)
    expect(await counted()).toEqual({})
  })

  it('is in a backup', async () => {
    await drop(server, 4)
    await server.services.collector.stop()
    const folder = makeFolder()
    const target = await createTestDatabase({ empty: true })
    const file = join(folder.path, 'backup.gz')
    const envOf = ({ connection }: TestDatabase) => ({
      BELFRY_SECRET: TEST_SECRET,
      BELFRY_DATA: folder.data('data'),
      DATABASE_URL: urlOf(connection),
    })
    try {
      expect(await belfry(['backup', file], { env: envOf(database) })).toMatchObject({ code: 0 })
      expect(await belfry(['restore', file, '--yes'], { env: envOf(target) })).toMatchObject({ code: 0 })
      const restored = await startTestServer({ database: target, clock: server.clock })
      expect(await counted(restored).finally(() => restored.close())).toEqual({ '2026-01-05': 4 })
    } finally {
      await target.drop()
      await folder.remove()
    }
  })

  it('holds up no event that is counted', async () => {
    const hold = await holdTable()
    await drop(server, 1)
    await hold.untilBlocking()
    const answer = await send(server, visit)
    expect([answer.status, answer.headers.get('x-belfry-dropped')]).toEqual([202, null])
    await hold.release()
  })
})
