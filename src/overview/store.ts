/** SQL for the overview's monitors, and for their histories. */
import { monitorsWithStateSql } from '../monitors/store.ts'
import type { MonitorStatus, MonitorType } from '../shared/monitors.ts'
import type { Statement } from '../storage/batch.ts'
import { parseNumbers } from '../storage/parse-numbers.ts'
import { OWN_ROWS, queryWithFreshPlan } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import { buildHistoryQueries, type Histories, toHistories } from '../uptime/store.ts'
import type { MonitorNames } from './row-order.ts'

/**
 * If a user has just added thousands of rows, PostgreSQL's statistics don't include them yet. PostgreSQL then expects one row, and
 * compares each row of one table with each row of the other: 5,000 monitors took more than 4 s. Hash and merge joins are fast with any number of rows.
 */
const avoidNestedLoops: Statement = { text: `select set_config('enable_nestloop', 'off', true)` }

/** What the server must know about all websites and monitors before it can choose the first rows. */
export interface ListState {
  /** Guests see only some of the team's websites. For them, all other fields are empty or 0. */
  isGuest: boolean
  /**
   * Changes whenever a website is added or deleted or its favorite flag changes, and whenever a monitor is added or deleted or its
   * name, URL or type changes. Domains never change.
   */
  version: string
  websiteCount: number
  monitorCount: number
  pausedCount: number
  pendingCount: number
  /** Sample monitors are always paused, because they check nothing. */
  sampleCount: number
  /** When the status of each monitor that is down became `down`, by id, in epoch milliseconds. */
  wentDownAt: Map<number, number>
}

/** The time depends only on how many monitors are not up: triggers count all monitors, and an index finds those of each status. */
export async function readListState(q: Queries): Promise<ListState> {
  const [state, down] = await queryWithFreshPlan(
    q,
    {
      // Only statements with parameters get a fresh plan, hence `$1`.
      text: `select caller.user_id is null as "isGuest", concat_ws(' ', w.version, m.version) as version,
               coalesce(w.total, 0) as "websiteCount", coalesce(m.total, 0) as "monitorCount",
               (select count(*) from monitors where ${OWN_ROWS} and status = $1) as "pausedCount",
               (select count(*) from monitors where ${OWN_ROWS} and status = $2) as "pendingCount",
               (select count(*) from monitors where ${OWN_ROWS} and sample_website_id is not null) as "sampleCount"
          from (select own_team() as user_id) caller
          left join website_counts w on w.${OWN_ROWS}
          left join monitor_counts m on m.${OWN_ROWS}`,
      values: ['paused', 'pending'],
    },
    {
      text: `select coalesce(array_agg(id)::text, '{}') as ids,
               coalesce(array_agg((date_part('epoch', status_changed_at) * 1000)::bigint)::text, '{}') as times
          from monitors where ${OWN_ROWS} and status = $1`,
      values: ['down'],
    },
  )
  const downTexts = down?.rows[0] as Record<'ids' | 'times', string>
  const downTimes = parseNumbers(downTexts.times) as number[]
  const wentDownAt = new Map(parseNumbers(downTexts.ids).map((id, index) => [id as number, downTimes[index] as number]))
  return { ...(state?.rows[0] as unknown as Omit<ListState, 'wentDownAt'>), wentDownAt }
}

/** Reads what decides the order of all monitors, except for their outages. */
export async function readMonitorNames(q: Queries): Promise<MonitorNames> {
  const [columns] = await queryWithFreshPlan(q, {
    // Reading arrays takes half the time of reading 10,000 rows. Only statements with parameters get a fresh plan, hence `and $1`.
    text: `select coalesce(array_agg(id)::text, '{}') as ids, coalesce(json_agg(friendly_name)::text, '[]') as names,
             coalesce(json_agg(url)::text, '[]') as urls, coalesce(array_agg(type)::text, '{}') as types
        from monitors where ${OWN_ROWS} and $1`,
    values: [true],
  })
  const texts = columns?.rows[0] as Record<keyof MonitorNames, string>
  return {
    ids: parseNumbers(texts.ids) as number[],
    names: JSON.parse(texts.names),
    urls: JSON.parse(texts.urls),
    types: parseWords(texts.types),
  }
}

export async function readSampleMonitorCount(q: Queries): Promise<number> {
  const [row] = await q.query<{ count: number }>(
    `select count(*)::int as count from monitors where ${OWN_ROWS} and sample_website_id is not null`,
  )
  return row?.count ?? 0
}

/** Columns of monitors, newest first. Times are in epoch milliseconds. */
export interface StoredMonitorColumns {
  id: number[]
  friendly_name: string[]
  url: string[]
  type: MonitorType[]
  status: MonitorStatus[]
  status_changed_at: number[]
  interval: number[]
  last_checked_at: (number | null)[]
  last_response_ms: (number | null)[]
  last_error: (string | null)[]
  /** Tags by id. Monitors without tags have no entry. */
  tags: Record<string, string[]>
  /** End of the running maintenance by id. May be in the past. */
  maintenance_until: Record<string, number>
  /** The ongoing incident by id of the monitor. */
  incident_id: Record<string, number>
  /** When the ongoing incident was acknowledged, by id of the monitor. */
  acknowledged_at: Record<string, number>
}

/** Without `ids`, reads all monitors. */
export async function readOverviewMonitors(
  q: Queries,
  ids: readonly number[] | null = null,
): Promise<StoredMonitorColumns> {
  const monitorsQuery: Statement = {
    // Reading arrays takes half the time of reading 10,000 rows. Only statements with parameters get a fresh plan:
    // with a plan cached for a user with one monitor, this statement took 20 s for a user with 10,000. Both tables
    // have the condition on ids, because without nested loops PostgreSQL would otherwise read all states.
    text: `select coalesce(array_agg(id)::text, '{}') as id, coalesce(json_agg(friendly_name)::text, '[]') as friendly_name,
               coalesce(json_agg(url)::text, '[]') as url, coalesce(array_agg(type)::text, '{}') as type,
               coalesce(array_agg(status)::text, '{}') as status,
               coalesce(array_agg((date_part('epoch', status_changed_at) * 1000)::bigint)::text, '{}') as status_changed_at,
               coalesce(array_agg(interval_seconds)::text, '{}') as interval,
               coalesce(array_agg((date_part('epoch', last_checked_at) * 1000)::bigint)::text, '{}') as last_checked_at,
               coalesce(array_agg(last_response_ms)::text, '{}') as last_response_ms,
               coalesce(json_agg(last_error)::text, '[]') as last_error,
               coalesce((json_object_agg(id, tags) filter (where tags <> '{}'))::text, '{}') as tags,
               coalesce((json_object_agg(id, (date_part('epoch', maintenance_until) * 1000)::bigint)
                         filter (where maintenance_until is not null))::text, '{}') as maintenance_until
          from (
            select m.id, m.friendly_name, m.url, m.type, m.status, m.status_changed_at, m.interval_seconds, m.tags,
                   m.maintenance_until, s.last_checked_at, s.last_response_ms, s.last_error
              from ${monitorsWithStateSql}
             where m.${OWN_ROWS} and s.${OWN_ROWS} and ($1::bigint[] is null or m.id = any ($1) and s.monitor_id = any ($1))
             order by m.id desc
          ) newest_first`,
    values: [ids],
  }
  const openIncidentsQuery: Statement = {
    text: `select coalesce(json_object_agg(monitor_id, id)::text, '{}') as incident_id,
                  coalesce((json_object_agg(monitor_id, (date_part('epoch', acknowledged_at) * 1000)::bigint)
                            filter (where acknowledged_at is not null))::text, '{}') as acknowledged_at
             from incidents
            where ${OWN_ROWS} and resolved_at is null and ($1::bigint[] is null or monitor_id = any ($1))`,
    values: [ids],
  }
  const [, monitors, openIncidents] = await queryWithFreshPlan(q, avoidNestedLoops, monitorsQuery, openIncidentsQuery)
  return parseMonitorColumns({ ...monitors?.rows[0], ...openIncidents?.rows[0] } as Record<
    keyof StoredMonitorColumns,
    string
  >)
}

const parseMonitorColumns = (texts: Record<keyof StoredMonitorColumns, string>): StoredMonitorColumns => ({
  id: parseNumbers(texts.id) as number[],
  friendly_name: JSON.parse(texts.friendly_name),
  url: JSON.parse(texts.url),
  type: parseWords(texts.type),
  status: parseWords(texts.status),
  status_changed_at: parseNumbers(texts.status_changed_at) as number[],
  interval: parseNumbers(texts.interval) as number[],
  last_checked_at: parseNumbers(texts.last_checked_at),
  last_response_ms: parseNumbers(texts.last_response_ms),
  last_error: JSON.parse(texts.last_error),
  tags: JSON.parse(texts.tags),
  maintenance_until: JSON.parse(texts.maintenance_until),
  incident_id: JSON.parse(texts.incident_id),
  acknowledged_at: JSON.parse(texts.acknowledged_at),
})

/** Reads what happened after `since`. Without `ids`, reads the histories of all monitors. */
export async function readHistories(q: Queries, since: Date, ids: readonly number[] | null = null): Promise<Histories> {
  const monitorsSql = `${OWN_ROWS} and ($1::bigint[] is null or monitor_id = any ($1))`
  return toHistories(await queryWithFreshPlan(q, ...buildHistoryQueries(monitorsSql, [ids], since)))
}

/** Parses an array of words that need no quotes, in PostgreSQL's text format. */
function parseWords<T extends string>(text = '{}'): T[] {
  return text === '{}' ? [] : (text.slice(1, -1).split(',') as T[])
}
