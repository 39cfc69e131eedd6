/** What Belfry does all the time never calls the audit log, and bulk actions stay fast. */
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createJob } from '../../src/app/jobs.ts'
import { startChecker } from '../support/checker.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { createMonitor, insertMonitors } from '../support/monitors.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { recordEntries } from './support.ts'

let server: TestServer
let owner: TestUser
let receiver: HttpReceiver

beforeAll(async () => {
  server = await startTestServer({ env: { BELFRY_PRIVATE_TARGETS: 'allow' } })
  owner = await server.createUser('owner')
  receiver = await startHttpReceiver()
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})

const query = (sql: string, values: unknown[] = []) => server.services.db.query(sql, values)
const runJob = (name: string) => createJob(name, server.services).run()

const listFunctions = () =>
  query(`select distinct p.proname as name, pg_get_functiondef(p.oid) as definition
           from pg_trigger t join pg_proc p on p.oid = t.tgfoid
          where p.proname like 'record\\_%' or p.proname = 'keep_lists'`) as Promise<
    { name: string; definition: string }[]
  >

/** While `work` runs, every function of the log's triggers fails. */
async function withFailingTriggers(work: () => Promise<void>): Promise<void> {
  const functions = await listFunctions()
  expect(functions.map(({ name }) => name).sort()).toEqual([
    'keep_lists',
    'record_account_change',
    'record_assignments',
    'record_change',
    'record_deleted_user',
    'record_lists',
    'record_member',
    'record_recovery_codes',
  ])
  for (const { name } of functions) {
    await query(`create or replace function ${name}() returns trigger language plpgsql as
                 $$ begin raise exception 'the trigger % on % was called', tg_name, tg_table_name; end $$`)
  }
  try {
    await work()
  } finally {
    for (const { definition } of functions) await query(definition)
  }
}

describe('the audit log', () => {
  it('is not called by checks, incidents, alerts, page views, rollups and housekeeping', async () => {
    const { session } = owner
    const channel = { provider_type: 'webhook', url: `${receiver.address}/hook`, assign_by_default: true }
    expect((await session.post('/api/providers', channel)).status).toBe(201)
    const monitor = await createMonitor(session, { url: `${receiver.address}/`, retries: 0 })
    await session.post('/api/v1/websites', { domain: 'shop.example.org' })
    await session.post('/api/maintenances', {
      title: 'Backup',
      all_monitors: true,
      recurrence: { cron: '0 0 * * *', time_zone: 'UTC', duration_seconds: 60 },
    })
    const key = await owner.withKey('monitors:read')
    const checker = await startChecker(server)
    try {
      await withFailingTriggers(async () => {
        for (const status of [200, 500, 200]) {
          receiver.respondWith(status, '')
          await checker.run()
          for (const name of [
            'announce incidents',
            'send alerts',
            'remind of ongoing incidents',
            'measure the impact of incidents',
          ])
            await runJob(name)
          server.clock.advance({ minutes: 2 })
        }
        const pageView = { name: 'pageview', domain: 'shop.example.org', url: 'https://shop.example.org/' }
        expect((await server.anyone.post('/api/event', pageView)).status).toBeLessThan(300)
        await key.get('/api/monitors')
        server.clock.advance({ days: 1 })
        for (const name of [
          'store when API keys were last used',
          'begin and end maintenances',
          'roll up checks',
          'roll up events',
          'pack days of traffic',
          'watch for silence and spikes',
          'schedule weekly reports',
          'verify custom domains',
          'delete expired rows',
        ])
          await runJob(name)
      })
    } finally {
      await checker.stop()
    }
    const incidents = await query('select resolved_at from incidents where monitor_id = $1', [monitor.id])
    expect(incidents).toHaveLength(1)
    expect(incidents[0]?.['resolved_at']).not.toBe(null)
  })

  it('is not called by requests that change nothing that it records', async () => {
    await withFailingTriggers(async () => {
      const credentials = { email: owner.email, password: owner.password }
      expect((await server.anyone.post('/api/session', credentials)).status).toBe(200)
      expect((await owner.session.get('/api/monitors')).status).toBe(200)
    })
  })

  it('costs PostgreSQL little when somebody pauses 1,000 monitors', async () => {
    const ids = await insertMonitors(server, owner.id, 1_000)
    const entries = await recordEntries(server, async () => {
      expect((await owner.session.post('/api/monitors/bulk', { ids, action: 'pause' })).status).toBe(200)
    })
    expect(entries).toHaveLength(1_000)
    expect(new Set(entries.map(({ action, actor_id }) => `${action} ${actor_id}`))).toEqual(
      new Set([`monitor.paused ${owner.id}`]),
    )
    const paused = await measureBackendMs((pause) => `update monitors set status = '${pause}' where type = 'ping'`)
    if (paused !== undefined) expect(paused).toBeLessThan(1_500)
  })
})

/** Ticks of the processor time in /proc, which only Linux has. */
const TICK_MS = 10

/**
 * Returns how long PostgreSQL computes for a statement that alternately resumes and pauses, in ms. Unlike the time on a clock, this doesn't
 * grow if other processes use the cores. The shortest of three counts. Returns undefined if the system doesn't tell.
 */
async function measureBackendMs(statement: (status: 'paused' | 'pending') => string): Promise<number | undefined> {
  return server.services.db.withConnection(async (client) => {
    const { rows } = await client.query('select pg_backend_pid() as pid')
    const path = `/proc/${rows[0].pid}/stat`
    if (!existsSync(path)) return undefined
    const readTicks = () => {
      const fields = readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? []
      return Number(fields[11]) + Number(fields[12])
    }
    const runs: number[] = []
    for (const status of ['pending', 'paused', 'pending', 'paused'] as const) {
      const before = readTicks()
      await client.query(`begin; select enter_across_users(); ${statement(status)}; commit`)
      runs.push((readTicks() - before) * TICK_MS)
    }
    return Math.min(...runs)
  })
}
