/** Expectations that must hold after every fault of the database, as seen from outside of Belfry. */
import { expect } from 'vitest'
import { call } from '../cli/support.ts'
import { expectCountsMatchEvents } from '../support/recount.ts'
import { type ApiAttempt, isServed } from './api-clients.ts'
import type { FaultCluster } from './cluster.ts'
import { type ClusterFault, clusterFaults } from './cluster-faults.ts'
import { MAX_RECOVERY_MS, MAX_RESPONSE_MS } from './database-node.ts'
import type { FaultReport, FaultRun } from './run.ts'
import { expectEventsStoredOnce } from './stored-events.ts'

export function expectPromptRecovery(report: FaultReport, message: string): void {
  const { calm, faultMs, slowestMs, refusedRequestCount } = report
  const fault: ClusterFault = clusterFaults[report.name]
  expect(report.recoveryMs, message).toBeLessThan(MAX_RECOVERY_MS + calm.recoveryMs)
  expect(slowestMs, message).toBeLessThan(MAX_RESPONSE_MS + calm.slowestMs)
  expect(report.lateRefusals, message).toEqual([])
  const hadEffect = refusedRequestCount > 0 || slowestMs >= faultMs
  expect(hadEffect, message).toBe(true)
  if (fault.sparesEvents) expect(report.refusedEventCount, message).toBe(0)
}

/**
 * Expects that clients were served, or asked to try again. A client that repeats a refused request with the same
 * Idempotency-Key gets a 409 until PostgreSQL has ended the transaction of the first attempt.
 */
export function expectNoErrors({ clients, visitors }: FaultCluster, message: string): void {
  const isRefusal = ({ kind, status }: ApiAttempt) => status === 503 || (kind === 'create' && status === 409)
  const errors = clients.attempts.filter((attempt) => !isServed(attempt) && !isRefusal(attempt))
  expect(errors, message).toEqual([])
  expect(visitors.unexpectedResponses, message).toEqual([])
  expect(visitors.failedCount, message).toBe(0)
}

/** Expects that every event and monitor that was acknowledged is stored exactly once. */
export async function expectNothingLost(cluster: FaultCluster, message: string): Promise<void> {
  const { clients, visitors, websiteId } = cluster
  const queryRows = <R extends object>(sql: string, values?: unknown[]) => cluster.query<R>(sql, values)
  // A request for statistics rolls up the waiting events, so it comes first.
  const responses = await Promise.all(
    cluster.webNodes.map(({ url }) => call(url, `/api/v1/stats/${websiteId}/overview`)),
  )
  const [counts] = await queryRows(
    `select count(*) filter (where kind = 1)::int as pageviews, count(*) filter (where kind = 2)::int as events from events`,
  )
  for (const { body } of responses) expect(body.data.totals, message).toMatchObject(counts as object)
  await expectEventsStoredOnce(queryRows, visitors, message)
  await expectCountsMatchEvents(queryRows, message)
  const createdMonitors = await queryRows<{ name: string; count: number }>(
    `select friendly_name as name, count(*)::int as count from monitors where friendly_name like 'created%' group by 1`,
  )
  const countsByName = new Map(createdMonitors.map(({ name, count }) => [name, count]))
  expect(
    [...clients.createdNames].filter((name) => !countsByName.has(name)),
    message,
  ).toEqual([])
  expect(
    createdMonitors.filter(({ name, count }) => count > 1 || !clients.triedNames.has(name)),
    message,
  ).toEqual([])
}

/**
 * Expects one incident for each monitor whose target failed, and one message each time such a monitor goes down or
 * recovers. Expects neither for other monitors.
 */
export async function expectOneAlertPerChange(cluster: FaultCluster, run: FaultRun, message: string): Promise<void> {
  const listChanges = (name: string, isRecovered: boolean) => [
    `${name} down`,
    ...(isRecovered ? [`${name} recovered`] : []),
  ]
  const expectedChanges = run.outages.flatMap((monitor) => listChanges(monitor.name, run.hasEnded(monitor))).sort()
  const incidents = await cluster.query<{ name: string; is_recovered: boolean }>(
    `select m.friendly_name as name, i.resolution is not distinct from 'recovered' as is_recovered
       from incidents i join monitors m on m.id = i.monitor_id`,
  )
  const changes = incidents.flatMap(({ name, is_recovered }) => listChanges(name, is_recovered))
  expect(changes.sort(), message).toEqual(expectedChanges)
  const alerts = await cluster.query<{ change: string; message_id: string; state: string }>(
    `select m.friendly_name || ' ' || a.event as change, a.message_id, a.state
       from alerts a join monitors m on m.id = a.monitor_id order by 1`,
  )
  expect(alerts.map(({ change, state }) => `${change}: ${state}`).sort(), message).toEqual(
    expectedChanges.map((change) => `${change}: sent`),
  )
  const receivedIds = cluster.receiver.received.map(({ id }) => id)
  expect(receivedIds.sort(), message).toEqual(alerts.map(({ message_id }) => message_id).sort())
}
