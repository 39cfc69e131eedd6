/** SQL of packing: the counts of a day that is over become one row, and so do its visits. */
import type { Queries } from '../../storage/client.ts'
import {
  type Dimension,
  dimensions,
  type PanelDimension,
  panelDimensions,
  visitDimensions,
  visitorDimensions,
} from '../model/dimensions.ts'
import type { Hit, PackedVisit, PackedVisitor } from './packed-visits.ts'

export interface WebsiteDay {
  websiteId: number
  day: string
}

export interface UnpackedDay {
  packed: Record<Dimension, string | null> & { views: number; events: number }
  counts: { dimension: number; value: number; count: number }[]
}

const names = Object.keys(dimensions) as Dimension[]

/** Oldest first, those behind the last one that was found. */
export async function findUnpackedDays(
  q: Queries,
  after: WebsiteDay,
  before: string,
  most: number,
): Promise<WebsiteDay[]> {
  return q.query<WebsiteDay>(
    `select website_id as "websiteId", day::text as day from traffic_days
      where not is_packed and (day, website_id) > ($1, $2) and day < $3 order by traffic_days.day, website_id limit $4`,
    [after.day, after.websiteId, before, most],
  )
}

const where = 'website_id = $1 and dimension = any ($3) and day = $2'

export async function readUnpackedDay(q: Queries, { websiteId, day }: WebsiteDay): Promise<UnpackedDay> {
  const [packed, counts] = await q.batch(
    {
      text: `select views, events, ${names.join(', ')} from traffic_days where website_id = $1 and day = $2`,
      values: [websiteId, day],
    },
    {
      text: `select dimension, value, count from traffic_counts where ${where}`,
      values: [websiteId, day, Object.values(dimensions)],
    },
  )
  return { packed: packed?.rows[0] as UnpackedDay['packed'], counts: counts?.rows as UnpackedDay['counts'] }
}

/** Beyond what any clock is ahead of UTC, or behind it. */
const SLACK = `interval '16 hours'`

/** By visitor. */
export async function readDayVisits(q: Queries, { websiteId, day }: WebsiteDay): Promise<PackedVisitor[]> {
  const [visits, hits] = await q.batch(
    {
      text: `select id, visitor, ${[...visitorDimensions, ...visitDimensions].map((name) => `coalesce(${name}, 0) as ${name}`).join(', ')},
                    (extract(epoch from last_at - started_at) * 1000)::integer as "durationMs",
                    views = 1 and actions = 0 as "isBounce"
               from visits where website_id = $1 and day = $2 order by visitor, id`,
      values: [websiteId, day],
    },
    {
      text: `select visit_id as visit, kind = 1 as "isView", hour, coalesce(page, 0) as page, coalesce(name, 0) as name
               from events where website_id = $1 and at >= $2::date - ${SLACK} and at < $2::date + 1 + ${SLACK}
                and day = $2 and kind < 3`,
      values: [websiteId, day],
    },
  )
  const hitsOf = Map.groupBy(hits?.rows as (Hit & { visit: number })[], ({ visit }) => visit)
  const byVisitor = Map.groupBy(
    visits?.rows as (PackedVisitor & PackedVisit & { id: number; visitor: number })[],
    ({ visitor }) => visitor,
  )
  return [...byVisitor.values()].map((rows) => ({
    // The same for the whole day.
    ...(rows[0] as PackedVisitor),
    visits: rows.map((visit) => ({ ...visit, hits: hitsOf.get(visit.id) ?? [] })),
  }))
}

export interface WebsiteWeek {
  websiteId: number
  /** Its Monday. */
  week: string
}

type WeekColumns = Record<PanelDimension, string | null>

export async function readPackedDays(q: Queries, { websiteId, week }: WebsiteWeek): Promise<WeekColumns[]> {
  return q.query<WeekColumns>(
    `select ${panelDimensions.join(', ')} from traffic_days where website_id = $1 and day between $2 and $2::date + 6`,
    [websiteId, week],
  )
}

export async function writePackedWeek(
  q: Queries,
  { websiteId, week }: WebsiteWeek,
  columns: WeekColumns,
): Promise<void> {
  await q.query(
    `insert into traffic_weeks (website_id, week, ${panelDimensions.join(', ')})
     values ($1, $2, ${panelDimensions.map((_, index) => `$${index + 3}`).join(', ')})
     on conflict (website_id, week) do update set ${panelDimensions.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    [websiteId, week, ...panelDimensions.map((name) => columns[name])],
  )
}

export async function writePackedDay(
  q: Queries,
  { websiteId, day }: WebsiteDay,
  packed: Record<Dimension | 'packed_visits', string | null>,
): Promise<void> {
  const columns = [...names, 'packed_visits'] as const
  await q.batch(
    {
      // It was the sum of what is written over.
      text: `delete from traffic_weeks where website_id = $1 and week = date_trunc('week', $2::date)::date`,
      values: [websiteId, day],
    },
    {
      text: `update traffic_days set ${columns.map((name, index) => `${name} = $${index + 3}`).join(', ')}, is_packed = true
              where website_id = $1 and day = $2`,
      values: [websiteId, day, ...columns.map((name) => packed[name])],
    },
    {
      text: `delete from traffic_counts where ${where}`,
      values: [websiteId, day, Object.values(dimensions)],
    },
  )
}
