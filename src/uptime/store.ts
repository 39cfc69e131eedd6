/**
 * SQL that reads the histories from which uptime is computed. Monitored periods are stored in the table `watches`, whose
 * name is older than the term "monitored period".
 */
import type { Statement, StatementResult } from '../storage/batch.ts'
import { parseNumbers } from '../storage/parse-numbers.ts'
import { OWN_ROWS, queryWithFreshPlan } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import type { MonitorHistory } from './uptime.ts'

/** The expression must stay exactly like this, because the index `incidents_end_idx` is defined on it. */
export const incidentEndSql = `(case when resolved_at is null then 'infinity' else resolved_at end)`

/**
 * The queries read the monitored periods and incidents that end after `since`, and when monitoring began if that was
 * after `since`. `monitorsSql` is a condition on `user_id` and `monitor_id` with the parameters `values`.
 *
 * There can be tens of thousands of spans. Arrays in text form take half the time of rows.
 */
export function buildHistoryQueries(monitorsSql: string, values: readonly unknown[], since: Date): Statement[] {
  const sinceSql = `$${values.length + 1}`
  const texts = [
    `select coalesce(array_agg(monitor_id)::text, '{}') as monitor_ids,
            coalesce(array_agg((date_part('epoch', started_at) * 1000)::bigint)::text, '{}') as starts,
            coalesce(array_agg((date_part('epoch', ended_at) * 1000)::bigint)::text, '{}') as ends
       from watches
      where ${monitorsSql} and (ended_at is null or ended_at > ${sinceSql})`,
    `select coalesce(array_agg(monitor_id)::text, '{}') as monitor_ids,
            coalesce(array_agg((date_part('epoch', started_at) * 1000)::bigint)::text, '{}') as starts,
            coalesce(array_agg((date_part('epoch', resolved_at) * 1000)::bigint)::text, '{}') as ends
       from incidents
      where ${monitorsSql} and ${incidentEndSql} > ${sinceSql}`,
    `select coalesce(array_agg(monitor_id)::text, '{}') as monitor_ids,
            coalesce(array_agg((date_part('epoch', first_started_at) * 1000)::bigint)::text, '{}') as starts
       from (
         select monitor_id, min(started_at) as first_started_at
           from watches
          where ${monitorsSql} and (ended_at is null or ended_at > started_at)
          group by monitor_id
         having min(started_at) > ${sinceSql}
       ) younger`,
  ]
  return texts.map((text) => ({ text, values: [...values, since] }))
}

/** The queries of one monitor of the caller. */
export const buildMonitorHistoryQueries = (monitorId: number, since: Date) =>
  buildHistoryQueries(`${OWN_ROWS} and monitor_id = $1`, [monitorId], since)

/** Returns undefined if the caller has no such monitor. */
export async function readMonitorHistory(
  q: Queries,
  monitorId: number,
  since: Date,
): Promise<MonitorHistory | undefined> {
  const [monitor, ...history] = await queryWithFreshPlan(
    q,
    { text: 'select from monitors where user_id = own_team() and id = $1', values: [monitorId] },
    ...buildMonitorHistoryQueries(monitorId, since),
  )
  return monitor?.count === 1 ? getHistory(toHistories(history), monitorId) : undefined
}

/** Monitors without monitored periods and incidents have no entry. */
export type Histories = ReadonlyMap<number, MonitorHistory>

const NO_HISTORY: MonitorHistory = { monitoredSpans: [], incidentSpans: [], monitoredSince: null }

export const getHistory = (histories: Histories, monitorId: number) => histories.get(monitorId) ?? NO_HISTORY

/** Takes the results of `buildHistoryQueries`. */
export function toHistories(results: readonly StatementResult[]): Histories {
  const [periods, incidents, firstPeriods] = results.map(({ rows }) => rows[0] as unknown as SpanTexts)
  const histories = new Map<number, MonitorHistory>()
  const findHistory = (monitorId: number) =>
    histories.getOrInsertComputed(monitorId, () => ({ monitoredSpans: [], incidentSpans: [], monitoredSince: null }))
  forEachSpan(periods, (id, start, end) => findHistory(id).monitoredSpans.push(start, end))
  forEachSpan(incidents, (id, start, end) => findHistory(id).incidentSpans.push(start, end))
  forEachSpan(firstPeriods, (id, start) => {
    findHistory(id).monitoredSince = start
  })
  return histories
}

/** Arrays in PostgreSQL's text format. */
interface SpanTexts {
  monitor_ids: string
  starts: string
  ends?: string
}

function forEachSpan(
  texts: SpanTexts | undefined,
  handle: (monitorId: number, start: number, end: number) => void,
): void {
  const [starts, ends] = [parseNumbers(texts?.starts), parseNumbers(texts?.ends)]
  for (const [index, id] of parseNumbers(texts?.monitor_ids).entries()) {
    handle(id as number, starts[index] as number, ends[index] ?? Number.POSITIVE_INFINITY)
  }
}
