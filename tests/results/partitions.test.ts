import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keepPartitions } from '../../src/results/partitions.ts'
import { keepRollups } from '../../src/results/rollup.ts'
import { HOUR_MS } from '../../src/shared/time.ts'
import { readProtection } from '../../src/storage/access.ts'
import { MIGRATION_LOCK } from '../../src/storage/migrations.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { addChecks, makeChecks } from '../support/check-results.ts'
import type { Client } from '../support/client.ts'
import { TestClock } from '../support/clock.ts'
import { makeMonitor, startMonitoring } from '../support/monitors.ts'
import type { TestServer } from '../support/server.ts'

let server: TestServer
let key: Client
let clock: TestClock

beforeEach(async () => {
  clock = new TestClock(new Date('2026-01-05T22:20:30.400Z'))
  ;({ server, key } = await startMonitoring({ clock }))
})
afterEach(() => server.close())

const keep = () => keepPartitions(server.services).run()
const addUp = () => keepRollups(server.services).run()
const query = (text: string, values?: unknown[]) => server.services.db.query(text, values)
const failures = () => server.logged.filter((line) => line.includes('partitions of checks failed'))

async function names(): Promise<string[]> {
  const rows = await query(`select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'checks'::regclass order by 1`)
  return rows.map(({ name }) => name)
}

/** How many rows each has. */
async function rowsIn(): Promise<Record<string, number>> {
  const rows = await query('select tableoid::regclass::text as name, count(*) as rows from checks group by 1')
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]))
}

async function addHours(id: number, from: string, hours: number): Promise<void> {
  const begin = new Date(from)
  const to = new Date(begin.getTime() + hours * HOUR_MS)
  await addChecks(server.services.db, id, makeChecks({ from: begin, to, everyMs: 600_000 }))
}

/** Holds a lock as somebody else does for as long as the work takes. */
async function meanwhile(statement: string, work: () => Promise<void>): Promise<void> {
  const other = new pg.Client(server.database.connection)
  await other.connect()
  try {
    await other.query(`set search_path = belfry; begin; ${statement}`)
    await work()
  } finally {
    await other.end()
  }
}

const ahead = ['checks_2026010522', 'checks_2026010523', 'checks_2026010600']

describe('partitions of checks', () => {
  it('are made for this hour and the next two, protected, and take the rows', async () => {
    await keep()
    await keep()
    expect(await names()).toEqual([...ahead, 'checks_other'])
    expect((await withOwnerConnection(server.database.connection, readProtection)).unprotected).toEqual([])
    const { id } = await makeMonitor(key)
    await addHours(id, '2026-01-05T21:00:00Z', 5)
    expect(await rowsIn()).toEqual({ ...Object.fromEntries(ahead.map((name) => [name, 6])), checks_other: 12 })
    clock.advance({ hours: 1 })
    await keep()
    expect(await names()).toEqual([...ahead, 'checks_other'])
    expect(failures()).toEqual([])
  })

  it('are made once by several nodes at once', async () => {
    await Promise.all(Array.from({ length: 4 }, keep))
    await keep()
    expect(await names()).toEqual([...ahead, 'checks_other'])
    expect(failures()).toEqual([])
  })

  it('leave an hour alone of which rows have gone elsewhere', async () => {
    const { id } = await makeMonitor(key)
    await addHours(id, '2026-01-05T22:00:00Z', 1)
    await keep()
    expect(await names()).toEqual([...ahead.slice(1), 'checks_other'])
    expect(failures()).toEqual([])
  })

  it('wait while a backup reads, without being in anybody’s way', async () => {
    await keep()
    clock.advance({ hours: 2 })
    await meanwhile(`select pg_advisory_xact_lock_shared(${MIGRATION_LOCK}); select count(*) from checks`, async () => {
      await keep()
      expect(await names()).toEqual([...ahead, 'checks_other'])
      expect(failures()).toEqual([])
    })
    await keep()
    expect(await names()).toContain('checks_2026010602')
  })

  it('give up soon where somebody else reads for long, and are made afterwards', async () => {
    const { id } = await makeMonitor(key)
    await keep()
    clock.advance({ hours: 2 })
    await meanwhile('select count(*) from checks', async () => {
      const round = keep()
      // Rows are taken meanwhile.
      await addHours(id, '2026-01-05T22:00:00Z', 3)
      await round
      expect(failures()).toHaveLength(1)
    })
    await keep()
    expect(await names()).toContain('checks_2026010602')
  })

  it('are dropped 26 hours after their end, once they are added up', async () => {
    await keep()
    const { id } = await makeMonitor(key)
    await addHours(id, '2026-01-05T20:00:00Z', 5)
    clock.advance({ hours: 26, minutes: 39, seconds: 29 })
    await addUp()
    await keep()
    expect(await names()).toContain('checks_2026010522')
    expect(await rowsIn()).toEqual(Object.fromEntries(ahead.map((name) => [name, 6])))
    clock.advance({ seconds: 1 })
    await keep()
    expect(await names()).not.toContain('checks_2026010522')
    expect(await names()).toContain('checks_2026010523')
    expect(await rowsIn()).toEqual({ checks_2026010523: 6, checks_2026010600: 6 })
    expect(failures()).toEqual([])
  })

  it('stay for as long as they are not added up', async () => {
    await keep()
    const { id } = await makeMonitor(key)
    await addHours(id, '2026-01-05T20:00:00Z', 5)
    clock.advance({ days: 10 })
    await keep()
    expect(await rowsIn()).toEqual({ ...Object.fromEntries(ahead.map((name) => [name, 6])), checks_other: 12 })
    await addUp()
    await keep()
    expect(await rowsIn()).toEqual({})
    expect(await names()).toEqual(['checks_2026011522', 'checks_2026011523', 'checks_2026011600', 'checks_other'])
  })
})
