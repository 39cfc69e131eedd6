/** SQL that reads what a history of visits consists of. */
import type { TimeWindow } from '../incidents/window.ts'
import { addDays } from '../lib/local-day.ts'
import type { MonitorType } from '../shared/monitors.ts'
import type { Queries } from '../storage/client.ts'
import { dimensionTable, slotColumns } from '../traffic/model/dimensions.ts'
import type { TrafficWebsite } from './website-store.ts'

export interface CountedDayRow {
  day: string
  visits: number
  is_packed: boolean
  visit_slots: string | null
}

/** `value` as in visit-slots.ts. */
export interface SlotCount {
  value: number
  count: number
}

export interface MonitorIncidentRow {
  startedAt: Date
  /** null if it is open. */
  endedAt: Date | null
  type: MonitorType
  url: string
  websiteId: number | null
}

export interface HistoryRows {
  days: CountedDayRow[]
  /** Counts that are not packed yet, by day. */
  unpackedCounts: Map<string, SlotCount[]>
  /** Whether there is traffic before the first day. */
  hasEarlierDays: boolean
  /** Ids of the hosts' names in `traffic_values`. */
  hostnameIds: number[]
  incidents: MonitorIncidentRow[]
  /** Periods in which Belfry could not receive events. */
  gaps: TimeWindow[]
}

/**
 * While a day is packed, its counts move from `traffic_counts` to `traffic_days`. Without a snapshot, they can be missing in between,
 * and the day is incomplete. But they never count twice, because `traffic_days` is read first.
 */
export async function readHistoryRows(
  q: Queries,
  website: TrafficWebsite,
  hosts: readonly string[],
  { from, to, firstDay, lastDay }: TimeWindow & { firstDay: string; lastDay: string },
): Promise<HistoryRows> {
  const { id, userId, domain, unicode } = website
  const [days, unpackedCounts, earlierDays, hostnames, incidents, gaps] = await q.batch(
    {
      text: `select day::text as day, visits, is_packed, visit_slots
               from traffic_days
              where website_id = $1 and day between $2 and $3 and visits > 0`,
      values: [id, firstDay, lastDay],
    },
    {
      // Returns arrays as text, because objects for hundreds of rows would take longer.
      text: `select array_agg(day - $2::date)::text as days, array_agg(value)::text as values, array_agg(count)::text as counts
               from traffic_counts
              where website_id = $1 and dimension = $4 and day between $2 and $3`,
      values: [id, firstDay, lastDay, slotColumns.visit_slots],
    },
    {
      text: 'select from traffic_days where website_id = $1 and day < $2 and visits > 0 limit 1',
      values: [id, firstDay],
    },
    {
      text: 'select id from traffic_values where website_id = $1 and kind = $2 and value = any ($3)',
      values: [id, dimensionTable.hostname.kind, hosts],
    },
    {
      // The name or URL of a monitor of the website contains the domain. The caller compares the hosts. While visitors came
      // as usual during an incident, the visits of its time are usual, too.
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
      values: [userId, domain, unicode, from, to],
    },
    {
      text: `select started_at as "from", ended_at as "to" from collection_gaps
              where ended_at > $1 and started_at < $2 order by started_at`,
      values: [from, to],
    },
  )
  return {
    days: (days?.rows ?? []) as CountedDayRow[],
    unpackedCounts: groupByDay(firstDay, unpackedCounts?.rows[0] ?? {}),
    hasEarlierDays: earlierDays?.count === 1,
    hostnameIds: (hostnames?.rows ?? []).map(({ id }) => id as number),
    incidents: (incidents?.rows ?? []) as MonitorIncidentRow[],
    gaps: (gaps?.rows ?? []) as TimeWindow[],
  }
}

/** PostgreSQL writes an array as `{1,2,3}`, or null if there are no rows. `days` are numbers of days since the first one. */
function groupByDay(
  firstDay: string,
  { days, values, counts }: Record<string, string | null>,
): Map<string, SlotCount[]> {
  const [dayList = [], valueList = [], countList = []] = [days, values, counts].map(parseNumberList)
  const countsByDay = new Map<number, SlotCount[]>()
  for (const [index, day] of dayList.entries()) {
    const slotCount = { value: valueList[index] as number, count: countList[index] as number }
    countsByDay.getOrInsertComputed(day, () => []).push(slotCount)
  }
  return new Map([...countsByDay].map(([day, slotCounts]) => [addDays(firstDay, day), slotCounts]))
}

function parseNumberList(text: string | null | undefined): number[] {
  return text ? JSON.parse(`[${text.slice(1, -1)}]`) : []
}
