/** SQL about all websites of this installation: the visits of the busiest ones, and the hosts with an ongoing incident. */

import type { TimeWindow } from '../../incidents/window.ts'
import { addMs } from '../../lib/clock.ts'
import { listDays } from '../../lib/local-day.ts'
import { parseMonitorHost } from '../../monitors/target.ts'
import type { MonitorType } from '../../shared/monitors.ts'
import { DAY_MS } from '../../shared/time.ts'
import type { Queries } from '../../storage/transaction.ts'
import { slotColumns } from '../../traffic/model/dimensions.ts'
import { decodeVisitSlot, findFirstSlotAt, VISIT_SLOT_MS } from '../../traffic/model/visit-slots.ts'
import { type CountMap, unpackCounts } from '../../traffic/packing/packed-counts.ts'
import { removeWwwLabel } from '../history/website-store.ts'

export interface BusyWebsite {
  id: number
  domain: string
}

/**
 * Only the websites with the most visits on the same weekday of last week are counted. This many are enough to decide,
 * and few enough for one query.
 */
const MAX_WEBSITES = 50

export async function listBusiestWebsites(q: Queries, now: Date): Promise<BusyWebsite[]> {
  return q.query<BusyWebsite & Record<string, unknown>>(
    `select w.id, w.domain
       from websites w
       join traffic_days d on d.website_id = w.id and d.day = ($1::timestamptz at time zone w.time_zone)::date - 7
      where d.visits > 0 and not w.is_sample
      order by d.visits desc
      limit $2`,
    [now, MAX_WEBSITES],
  )
}

const WEEKS = 4

/**
 * Returns how many visits each website had between the same times of the week, on average over the last four weeks. It adds up the
 * counts per 5 minutes. Of 5 minutes that are only partly in the period, it counts this part of the visits.
 */
export async function countUsualVisits(
  q: Queries,
  websiteIds: readonly number[],
  from: Date,
  to: Date,
): Promise<{ websiteId: number; visits: number }[]> {
  const periods = Array.from({ length: WEEKS }, (_, week) => ({
    from: addMs(from, -(week + 1) * 7 * DAY_MS),
    to: addMs(to, -(week + 1) * 7 * DAY_MS),
  }))
  const rows = await readSlotCounts(q, websiteIds, periods)
  const visitsByWebsite = new Map(websiteIds.map((id) => [id, 0]))
  for (const { websiteId, day, counts } of rows) {
    const firstSlotAt = findFirstSlotAt(day)
    for (const [value, count] of counts) {
      const slotAt = firstSlotAt + decodeVisitSlot(value).slot * VISIT_SLOT_MS
      const share = periods.reduce((sum, period) => sum + getShareOfSlot(slotAt, period), 0)
      visitsByWebsite.set(websiteId, (visitsByWebsite.get(websiteId) ?? 0) + count * share)
    }
  }
  return [...visitsByWebsite].map(([websiteId, visits]) => ({ websiteId, visits: visits / WEEKS }))
}

function getShareOfSlot(slotAt: number, { from, to }: TimeWindow): number {
  const overlapMs = Math.min(slotAt + VISIT_SLOT_MS, to.getTime()) - Math.max(slotAt, from.getTime())
  return Math.max(0, overlapMs) / VISIT_SLOT_MS
}

interface SlotCounts {
  websiteId: number
  day: string
  /** In the format of visit-slots.ts. */
  counts: CountMap
}

/** Reads the visits per 5 minutes of the periods' days. A day that is being packed may be missing. */
async function readSlotCounts(
  q: Queries,
  websiteIds: readonly number[],
  periods: readonly TimeWindow[],
): Promise<SlotCounts[]> {
  const days = new Set(
    periods.flatMap(({ from, to }) => listDays(toUtcDay(addMs(from, -DAY_MS)), toUtcDay(addMs(to, DAY_MS)))),
  )
  const [packedDays, unpackedDays] = await q.batch(
    {
      text: `select website_id as "websiteId", day::text as day, visit_slots as packed
               from traffic_days
              where website_id = any ($1) and day = any ($2::date[]) and visit_slots is not null`,
      values: [websiteIds, [...days]],
    },
    {
      text: `select website_id as "websiteId", day::text as day, json_agg(json_build_array(value, count)) as pairs
               from traffic_counts
              where website_id = any ($1) and dimension = $3 and day = any ($2::date[])
              group by website_id, day`,
      values: [websiteIds, [...days], slotColumns.visit_slots],
    },
  )
  return [
    ...(packedDays?.rows ?? []).map(({ websiteId, day, packed }) => ({ websiteId, day, counts: unpackCounts(packed) })),
    ...(unpackedDays?.rows ?? []).map(({ websiteId, day, pairs }) => ({
      websiteId,
      day,
      counts: new Map(pairs) as CountMap,
    })),
  ]
}

const toUtcDay = (time: Date) => time.toISOString().slice(0, 10)

/** The hosts of monitors with an ongoing incident, without `www.`. */
export async function listHostsWithIncidents(q: Queries): Promise<Set<string>> {
  const rows = await q.query<{ type: MonitorType; url: string }>(
    `select m.type, m.url
       from incidents i
       join monitors m on m.user_id = i.user_id and m.id = i.monitor_id
      where i.resolved_at is null and m.type not in ('traffic', 'heartbeat')`,
  )
  return new Set(rows.map((monitor) => removeWwwLabel(parseMonitorHost(monitor) ?? '')))
}
