import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createJob } from '../../src/app/jobs.ts'
import { HOUR_MS } from '../../src/shared/time.ts'
import { readRowSecurityState } from '../../src/storage/access.ts'
import { MIGRATION_LOCK } from '../../src/storage/apply-schema-change.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { addChecks, createTestChecks } from '../support/check-results.ts'
import type { Client } from '../support/client.ts'
import { TestClock } from '../support/clock.ts'
import { createMonitor, startMonitorFixture } from '../support/monitors.ts'
import type { TestServer } from '../support/server.ts'

let server: TestServer
let keyClient: Client
const clock = new TestClock(new Date('2026-01-05T22:20:30.400Z'))

beforeAll(async () => {
  ;({ server, keyClient } = await startMonitorFixture({ clock }))
})
afterAll(() => server.close())
/** Restores the state of a new database, which takes less time than a new server for each test. */
beforeEach(async () => {
  clock.reset()
  server.logLines.length = 0
  for (const name of await listPartitions()) if (name !== 'checks_other') await query(`drop table ${name}`)
  for (const table of ['checks', 'check_hours', 'check_days', 'monitors']) await query(`delete from ${table}`)
  await query(`update rollups set done_until = 'epoch', after_user_id = 0, after_monitor_id = 0`)
})

const maintainPartitions = () => createJob('maintain check partitions', server.services).run()
const rollUp = () => createJob('roll up checks', server.services).run()
const query = (text: string, values?: unknown[]) => server.services.db.query(text, values)
const listFailures = () =>
  server.logLines.filter((line) => line.includes('job failed, retrying later: maintain check partitions'))

async function listPartitions(): Promise<string[]> {
  const rows = await query(`select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'checks'::regclass order by 1`)
  return rows.map(({ name }) => name)
}

/** Returns the number of rows in each partition. */
async function countRows(): Promise<Record<string, number>> {
  const rows = await query('select tableoid::regclass::text as name, count(*) as rows from checks group by 1')
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]))
}

async function addChecksForHours(id: number, from: string, hours: number): Promise<void> {
  const start = new Date(from)
  const to = new Date(start.getTime() + hours * HOUR_MS)
  await addChecks(server.services.db, id, createTestChecks({ from: start, to, everyMs: 600_000 }))
}

/** Runs `work` while another connection has an open transaction with this statement. */
async function withOpenTransaction(statement: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client(server.database.connection)
  await client.connect()
  try {
    await client.query(`set search_path = belfry; begin; ${statement}`)
    await work()
  } finally {
    await client.end()
  }
}

/** The partitions of the current hour and the next two hours. */
const partitionsAhead = ['checks_2026010522', 'checks_2026010523', 'checks_2026010600']

describe('partitions of checks', () => {
  it('are created and protected for this hour and the next two, and store their checks', async () => {
    await maintainPartitions()
    await maintainPartitions()
    expect(await listPartitions()).toEqual([...partitionsAhead, 'checks_other'])
    expect((await withOwnerConnection(server.database.connection, readRowSecurityState)).unprotectedTables).toEqual([])
    const { id } = await createMonitor(keyClient)
    await addChecksForHours(id, '2026-01-05T21:00:00Z', 5)
    expect(await countRows()).toEqual({
      ...Object.fromEntries(partitionsAhead.map((name) => [name, 6])),
      checks_other: 12,
    })
    clock.advance({ hours: 1 })
    await maintainPartitions()
    expect(await listPartitions()).toEqual([...partitionsAhead, 'checks_other'])
    expect(listFailures()).toEqual([])
  })

  it('are created once, even by several nodes at the same time', async () => {
    await Promise.all(Array.from({ length: 4 }, maintainPartitions))
    await maintainPartitions()
    expect(await listPartitions()).toEqual([...partitionsAhead, 'checks_other'])
    expect(listFailures()).toEqual([])
  })

  it('are not created for an hour with checks in the default partition', async () => {
    const { id } = await createMonitor(keyClient)
    await addChecksForHours(id, '2026-01-05T22:00:00Z', 1)
    await maintainPartitions()
    expect(await listPartitions()).toEqual([...partitionsAhead.slice(1), 'checks_other'])
    expect(listFailures()).toEqual([])
  })

  it('are not created during a backup, and block no other statement', async () => {
    await maintainPartitions()
    clock.advance({ hours: 2 })
    await withOpenTransaction(
      `select pg_advisory_xact_lock_shared(${MIGRATION_LOCK}); select count(*) from checks`,
      async () => {
        await maintainPartitions()
        expect(await listPartitions()).toEqual([...partitionsAhead, 'checks_other'])
        expect(listFailures()).toEqual([])
      },
    )
    await maintainPartitions()
    expect(await listPartitions()).toContain('checks_2026010602')
  })

  it('are not created while a long query holds the lock, and are created afterwards', async () => {
    const { id } = await createMonitor(keyClient)
    await maintainPartitions()
    clock.advance({ hours: 2 })
    await withOpenTransaction('select count(*) from checks', async () => {
      const pendingRun = maintainPartitions()
      // Checks can still be stored.
      await addChecksForHours(id, '2026-01-05T22:00:00Z', 3)
      await pendingRun
      expect(listFailures()).toHaveLength(1)
    })
    await maintainPartitions()
    expect(await listPartitions()).toContain('checks_2026010602')
  })

  it('are dropped 26 hours after their end if they are rolled up', async () => {
    await maintainPartitions()
    const { id } = await createMonitor(keyClient)
    await addChecksForHours(id, '2026-01-05T20:00:00Z', 5)
    clock.advance({ hours: 26, minutes: 39, seconds: 29 })
    await rollUp()
    await maintainPartitions()
    expect(await listPartitions()).toContain('checks_2026010522')
    expect(await countRows()).toEqual(Object.fromEntries(partitionsAhead.map((name) => [name, 6])))
    clock.advance({ seconds: 1 })
    await maintainPartitions()
    expect(await listPartitions()).not.toContain('checks_2026010522')
    expect(await listPartitions()).toContain('checks_2026010523')
    expect(await countRows()).toEqual({ checks_2026010523: 6, checks_2026010600: 6 })
    expect(listFailures()).toEqual([])
  })

  it('are not dropped before they are rolled up', async () => {
    await maintainPartitions()
    const { id } = await createMonitor(keyClient)
    await addChecksForHours(id, '2026-01-05T20:00:00Z', 5)
    clock.advance({ days: 10 })
    await maintainPartitions()
    expect(await countRows()).toEqual({
      ...Object.fromEntries(partitionsAhead.map((name) => [name, 6])),
      checks_other: 12,
    })
    await rollUp()
    await maintainPartitions()
    expect(await countRows()).toEqual({})
    expect(await listPartitions()).toEqual([
      'checks_2026011522',
      'checks_2026011523',
      'checks_2026011600',
      'checks_other',
    ])
  })
})
