/**
 * Counts the rows that PostgreSQL reads to send one alert while thousands are waiting. The planner of each version of
 * PostgreSQL can decide differently.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { listHeldIncidents, lockHeldIncidents, readAnnouncementFacts } from '../../src/alerts/announcement-store.ts'
import { findOverdueAlerts } from '../../src/alerts/overdue-store.ts'
import {
  type AlertQueue,
  claimAlertQueues,
  findReadyQueues,
  selectDelayedAlerts,
  selectNextAlerts,
  selectQueueFacts,
} from '../../src/alerts/queue-store.ts'
import { preferIndexOrderStatement } from '../../src/outbox/store.ts'
import type { Statement } from '../../src/storage/batch.ts'
import type { Database } from '../../src/storage/database.ts'
import { createAlertFixtures } from '../support/alerts.ts'
import { countReadRows, countRowsReadBy } from '../support/read-rows.ts'

const CHANNELS = 100
const ALERTS_PER_CHANNEL = 50
const NODE_ID = 1

const fixtures = createAlertFixtures()
afterAll(() => fixtures.close())

/** On a PostgreSQL with its default settings, autovacuum could create statistics at any moment of a test. */
async function keepWithoutStatistics(db: Database, tables: readonly string[]): Promise<void> {
  const statements = tables.map((table) => `alter table belfry.${table} set (autovacuum_enabled = false)`)
  await db.withConnection((client) => client.query(statements.join(';')))
}

describe('with 1,000 queues about which PostgreSQL has no statistics', () => {
  const QUEUES = 1_000
  const SENT_PER_QUEUE = 10

  it('PostgreSQL looks up the channel of each queue, and the alerts of a message', async () => {
    const { clock, createChannel, monitorId, owner, server } = await fixtures.start()
    const { db } = server.services
    await keepWithoutStatistics(db, ['alerts', 'providers'])
    const channelId = await createChannel()
    const now = clock.now()
    await db.query(
      `insert into providers (user_id, provider_type, name, assign_by_default, settings, secrets, created_at, updated_at)
       select user_id, provider_type, name, assign_by_default, settings, secrets, created_at, updated_at
         from providers, generate_series(2, $2) where id = $1`,
      [channelId, QUEUES],
    )
    await db.query(
      `insert into alerts (user_id, monitor_id, provider_id, event, incident_id, occurrence, title, body, created_at, state,
         next_attempt_at)
       select user_id, $1, id, 'down', n, '', 'Shop is down', '', $2, case n when 1 then 'waiting' else 'sent' end,
              case n when 1 then $2::timestamptz end
         from providers, generate_series(1, $3) n`,
      [monitorId, now, 1 + SENT_PER_QUEUE],
    )
    const channels = await db.query<{ id: number }>('select id from providers')
    const queues = channels.map(({ id }): AlertQueue => {
      return { teamId: owner.id, channelId: id, type: 'slack', isFailing: false }
    })
    const queue = queues[0] as AlertQueue

    expect(await countRowsReadBy(db, (q) => findReadyQueues(q, now, 100)), 'ready').toBeLessThanOrEqual(10 * QUEUES)
    expect(await countRowsReadBy(db, (q) => findOverdueAlerts(q, now)), 'overdue').toBeLessThanOrEqual(10 * QUEUES)
    expect(await countRowsReadBy(db, (q) => claimAlertQueues(q, NODE_ID, queues, now)), 'claim').toBeLessThanOrEqual(
      10 * QUEUES,
    )
    const pick = selectNextAlerts(queue, { nodeId: NODE_ID, now, singleMonitorId: monitorId })
    expect(await countRowsReadBy(db, (q) => q.batch(preferIndexOrderStatement, pick)), 'pick').toBeLessThanOrEqual(
      5 * SENT_PER_QUEUE,
    )
  })
})

describe('to send an alert while 5,000 are waiting', () => {
  it('PostgreSQL reads only the alerts of its queue', async () => {
    const { clock, createChannel, monitorId, owner, server } = await fixtures.start()
    const { db } = server.services
    const channelId = await createChannel()
    await db.query(
      `insert into providers (user_id, provider_type, name, assign_by_default, settings, secrets, created_at, updated_at)
       select user_id, provider_type, name, assign_by_default, settings, secrets, created_at, updated_at
         from providers, generate_series(2, $2) where id = $1`,
      [channelId, CHANNELS],
    )
    await db.query('update providers set claimed_by = $1', [NODE_ID])
    await db.query(
      `insert into alerts (user_id, monitor_id, provider_id, event, incident_id, occurrence, title, body, created_at, next_attempt_at)
       select user_id, $1, id, 'down', n, '', 'Shop is down', '', $2, $2 from providers, generate_series(1, $3) n`,
      [monitorId, clock.now(), ALERTS_PER_CHANNEL],
    )
    await db.withConnection((client) => client.query('analyze belfry.alerts, belfry.providers'))

    const queue: AlertQueue = { teamId: owner.id, channelId, type: 'slack', isFailing: false }
    const now = clock.now()
    const explain = async ({ text, values = [] }: Statement) => {
      const statement = { text: `explain (analyze, format json) ${text}`, values }
      const [, result] = await db.batch(preferIndexOrderStatement, statement)
      return countReadRows(result?.rows[0]?.['QUERY PLAN'][0].Plan)
    }
    const readRows = {
      delayed: await explain(selectDelayedAlerts(now, queue)),
      grouped: await explain(selectQueueFacts(queue, NODE_ID, now)),
      picked: await explain(selectNextAlerts(queue, { nodeId: NODE_ID, now, singleMonitorId: undefined })),
    }
    for (const count of Object.values(readRows)) expect(count).toBeLessThanOrEqual(3 * ALERTS_PER_CHANNEL)
  })
})

describe('to decide about one incident, with 2,000 monitors that PostgreSQL has no statistics of', () => {
  it('PostgreSQL looks up only the monitor of the incident, its parent, its channels and their alerts', async () => {
    const { clock, createChannel, monitorId, owner, server } = await fixtures.start()
    const { db } = server.services
    await keepWithoutStatistics(db, ['alerts', 'incidents', 'monitor_states', 'monitors', 'providers'])
    await createChannel({ assign_by_default: true })
    await db.query(
      `with copies as (
         insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
                               remind_every_minutes, http, status, status_changed_at, search_text, created_at, updated_at, depends_on)
         select user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds, remind_every_minutes, http,
                'down', status_changed_at, search_text, created_at, updated_at, id
           from monitors, generate_series(1, 2000) where id = $1
         returning user_id, id
       ), states as (
         insert into monitor_states (user_id, monitor_id) select user_id, id from copies
       )
       insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, announced_at)
       select user_id, id, 'http_status', 'Status 503', $2, $2, null from copies`,
      [monitorId, clock.now()],
    )
    const heldIncidents = await listHeldIncidents(db, { teamId: owner.id, monitorId: 0 }, 1)
    const subjects = heldIncidents.map((incident) => ({ ...incident, at: clock.now() }))
    expect(heldIncidents).toHaveLength(1)
    expect(await countRowsReadBy(db, (q) => readAnnouncementFacts(q, subjects)), 'facts').toBeLessThanOrEqual(20)
    expect(await countRowsReadBy(db, (q) => lockHeldIncidents(q, heldIncidents)), 'lock').toBeLessThanOrEqual(20)
  })
})
