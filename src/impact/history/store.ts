/** SQL that reads the visits, incidents and collection gaps of a visit history. */
import type { TimeWindow } from '../../incidents/window.ts'
import type { MonitorType } from '../../shared/monitors.ts'
import type { Statement } from '../../storage/batch.ts'
import type { Database } from '../../storage/database.ts'
import { queryWithFreshPlan } from '../../storage/statements.ts'
import type { Queries, TransactionQueries } from '../../storage/transaction.ts'
import { createStartsStatement, readVisitStarts } from '../../traffic/blocks/visit-starts-store.ts'
import { dimensionTable, slotColumns } from '../../traffic/model/dimensions.ts'
import type { TrafficWebsite } from './website-store.ts'

export interface CountedDayRow {
  day: string
  visits: number
  is_packed: boolean
  visit_slots: string | null
}

export interface MonitorIncidentRow {
  startedAt: Date
  /** null while the incident is ongoing. */
  endedAt: Date | null
  type: MonitorType
  url: string
  websiteId: number | null
}

export interface HistoryRows {
  days: CountedDayRow[]
  /**
   * Counts that are not packed yet, by day. In each array, values (a host and a slot, as in visit-slots.ts) and their
   * counts alternate.
   */
  unpackedPairs: Map<string, number[]>
  /** Whether there is traffic before the first day. */
  hasEarlierDays: boolean
  /** Ids of the hosts' names in `traffic_values`. */
  hostnameIds: number[]
  incidents: MonitorIncidentRow[]
  /** Periods in which Belfry could not receive events. */
  gaps: TimeWindow[]
}

interface HistoryPeriod extends TimeWindow {
  firstDay: string
  lastDay: string
}

export interface HostVisits {
  /** 0 for unknown hosts. */
  hostnameId: number
  visits: number
}

/**
 * While a day is packed, its counts move from `traffic_counts` to `traffic_days`. Without a snapshot, this function may
 * find them in neither table, and the day then counts as incomplete. It never counts them twice, because it reads
 * `traffic_days` first.
 */
export async function readHistoryRows(
  q: Queries,
  website: TrafficWebsite,
  hosts: readonly string[],
  { from, to, firstDay, lastDay }: HistoryPeriod,
): Promise<HistoryRows> {
  const { id, teamId, domain, unicode } = website
  const counts = q.batch(
    {
      // Returns one text, because PostgreSQL would send 100 kB of rows in many small parts.
      text: `select string_agg(concat_ws(' ', day, visits, is_packed, visit_slots), ',') as days
               from traffic_days
              where website_id = $1 and day between $2 and $3 and visits > 0`,
      values: [id, firstDay, lastDay],
    },
    {
      // Returns one text per day, because objects for hundreds of rows would take longer.
      text: `select day::text as day, string_agg(value || ',' || count, ',') as pairs
               from traffic_counts
              where website_id = $1 and dimension = $4 and day between $2 and $3
              group by day`,
      values: [id, firstDay, lastDay, slotColumns.visit_slots],
    },
  )
  const circumstances = q.batch(
    {
      text: 'select from traffic_days where website_id = $1 and day < $2 and visits > 0 limit 1',
      values: [id, firstDay],
    },
    {
      text: 'select id from traffic_values where website_id = $1 and kind = $2 and value = any ($3)',
      values: [id, dimensionTable.hostname.kind, hosts],
    },
    {
      // Selects monitors whose name or URL contains the domain; the caller compares the hosts. Incidents during which
      // visitors came as usual are left out, because their slots show usual traffic.
      text: `select i.started_at as "startedAt", i.resolved_at as "endedAt", m.type, m.url, m.website_id as "websiteId"
               from monitors m
              cross join lateral (
                select started_at, resolved_at from incidents
                 where user_id = m.user_id and monitor_id = m.id
                   and (case when resolved_at is null then 'infinity' else resolved_at end) > $4 and started_at < $5
                   and visitors is distinct from 'normal'
                offset 0
              ) i
              where m.user_id = $1 and (strpos(m.search_text, $2) > 0 or strpos(m.search_text, $3) > 0)`,
      values: [teamId, domain, unicode, from, to],
    },
    {
      text: `select started_at as "from", ended_at as "to" from collection_gaps
              where ended_at > $1 and started_at < $2 order by started_at`,
      values: [from, to],
    },
  )
  // Outside a transaction, this uses two connections in parallel.
  const [[days, unpackedDays], [earlierDays, hostnames, incidents, gaps]] = await Promise.all([counts, circumstances])
  return {
    days: parseDays(days?.rows[0]?.['days'] ?? ''),
    unpackedPairs: new Map((unpackedDays?.rows ?? []).map(({ day, pairs }) => [day, JSON.parse(`[${pairs}]`)])),
    hasEarlierDays: earlierDays?.count === 1,
    hostnameIds: (hostnames?.rows ?? []).map(({ id }) => id as number),
    incidents: (incidents?.rows ?? []) as MonitorIncidentRow[],
    gaps: (gaps?.rows ?? []) as TimeWindow[],
  }
}

function parseDays(text: string): CountedDayRow[] {
  if (text === '') return []
  return text.split(',').map((fields) => {
    const [day = '', visits, isPacked, visitSlots = null] = fields.split(' ')
    return { day, visits: Number(visits), is_packed: isPacked === 't', visit_slots: visitSlots }
  })
}

/**
 * Counts the visits that began in each period, from `from` on and before `to`. Returns a list for each period. Nearly always, all visits are
 * still rows. If there are blocks with visits of that time, both are read again in one snapshot, because visits can move from rows to blocks in
 * the meantime.
 */
export async function countVisitsByHost(
  db: Database,
  websiteId: number,
  periods: readonly TimeWindow[],
): Promise<HostVisits[][]> {
  if (periods.length === 0) return []
  const statements = createCountStatements(websiteId, periods)
  const findBlocks = createStartsStatement(periods.map((period) => ({ id: websiteId, ...period })))
  const results = await queryWithFreshPlan(db, ...statements, findBlocks)
  if (results.at(-1)?.count === 0) return results.slice(0, -1).map(({ rows }) => rows as HostVisits[])
  return db.snapshot((q) => countSnapshotVisitsByHost(q, websiteId, periods))
}

/** Like `countVisitsByHost`, in a transaction that reads one snapshot. */
export async function countSnapshotVisitsByHost(
  q: TransactionQueries,
  websiteId: number,
  periods: readonly TimeWindow[],
): Promise<HostVisits[][]> {
  if (periods.length === 0) return []
  const results = await queryWithFreshPlan(q, ...createCountStatements(websiteId, periods))
  const visitsByPeriod = results.map(
    ({ rows }) => new Map((rows as HostVisits[]).map(({ hostnameId, visits }) => [hostnameId, visits])),
  )
  for await (const { windowIndex, valueIds } of readVisitStarts(q, websiteId, periods, 'hostname')) {
    const visitsByHost = visitsByPeriod[windowIndex] as Map<number, number>
    for (const id of valueIds) visitsByHost.set(id, (visitsByHost.get(id) ?? 0) + 1)
  }
  return visitsByPeriod.map((byHost) => [...byHost].map(([hostnameId, visits]) => ({ hostnameId, visits })))
}

/**
 * These statements are planned at each call. With a cached plan for all periods, PostgreSQL may read all visits of the days
 * instead of using the index by start, which took 40 ms.
 */
function createCountStatements(websiteId: number, periods: readonly TimeWindow[]): Statement[] {
  // The condition on the day limits the search to few partitions. A local day differs from the day in UTC by one day at
  // most.
  const text = `select coalesce(hostname, 0) as "hostnameId", count(*)::integer as visits
                  from visits
                 where website_id = $1 and started_at >= $2 and started_at < $3
                   and day between ($2::timestamptz at time zone 'UTC')::date - 1 and ($3::timestamptz at time zone 'UTC')::date + 1
                 group by hostname`
  return periods.map(({ from, to }) => ({ text, values: [websiteId, from, to] }))
}
