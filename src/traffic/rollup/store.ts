/** SQL of rolling up events: one statement for each table, for any number of rows. */
import { numbersLiteral, textsLiteral } from '../../storage/array-literal.ts'
import type { Statement } from '../../storage/batch.ts'
import type { Queries } from '../../storage/transaction.ts'
import type { WebsiteDay } from '../blocks/row-store.ts'
import {
  countColumnNumbers,
  type VisitDimension,
  type VisitorDimension,
  visitDimensions,
  visitorDimensions,
} from '../model/dimensions.ts'
import { eventKinds } from '../model/event.ts'
import type { TrafficValue } from './value-ids.ts'
import { type DayTally, type EventWithVisit, type VisitorDay, type VisitRecord, visitorDayKey } from './visits.ts'

/**
 * The key of the advisory lock that a transaction holds while it assigns ids to values and adds to the totals and counts of days. Packing
 * locks its day instead.
 */
const TRAFFIC_LOCK = 7_413_905_226

/**
 * A node that stops responding while it holds the lock loses its connection, because all other nodes wait for it. This must
 * happen before requests for statistics, which wait 4 s at most, fail.
 */
const MAX_IDLE_IN_TRANSACTION_MS = 2_000

/** Holds the lock until the end of the transaction. */
export async function lockTraffic(q: Queries): Promise<void> {
  await q.batch(
    {
      // The traffic tables grow by the minute. A plan made while they were small would scan whole tables, so PostgreSQL
      // may only look rows up by their key.
      text: `select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
                    set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)`,
    },
    {
      text: `select set_config('idle_in_transaction_session_timeout', $1, true)`,
      values: [MAX_IDLE_IN_TRANSACTION_MS],
    },
    { text: 'select pg_advisory_xact_lock($1)', values: [TRAFFIC_LOCK] },
  )
}

export interface LockedDays {
  /** For each day that the transaction has locked: the value of `traffic_days.block_set`, which is positive if the day has blocks. */
  blockSets: Map<string, number | null>
  /** The days that another transaction has locked, mostly to pack them. */
  lockedByOthers: Set<string>
  /** The websites of the days, without those that were deleted in the meantime. */
  existingWebsiteIds: Set<number>
}

/**
 * Locks days until the end of the transaction, so that they can't be packed in the meantime. Doesn't wait for other transactions. The
 * keys are those of `dayKey`. Days without traffic have no lock, and nobody packs them.
 */
export async function lockDays(q: Queries, days: readonly WebsiteDay[]): Promise<LockedDays> {
  const values = [numbersLiteral(days.map(({ websiteId }) => websiteId)), textsLiteral(days.map(({ day }) => day))]
  const [locked, existing, websites] = await q.batch(
    {
      text: `select d.website_id as "websiteId", d.day::text as day, d.block_set as "blockSet"
               from unnest($1::bigint[], $2::date[]) as requested (website_id, day)
               join traffic_days d on d.website_id = requested.website_id and d.day = requested.day
                for update of d skip locked`,
      values,
    },
    {
      text: `select d.website_id as "websiteId", d.day::text as day
               from unnest($1::bigint[], $2::date[]) as requested (website_id, day)
               join traffic_days d on d.website_id = requested.website_id and d.day = requested.day`,
      values,
    },
    findWebsites(days.map(({ websiteId }) => websiteId)),
  )
  const blockSets = new Map((locked?.rows ?? []).map((row) => [dayKey(row as WebsiteDay), row['blockSet']]))
  const existingKeys = (existing?.rows ?? []).map((row) => dayKey(row as WebsiteDay))
  return {
    blockSets,
    lockedByOthers: new Set(existingKeys.filter((key) => !blockSets.has(key))),
    existingWebsiteIds: new Set(websites?.rows.map(({ id }) => id)),
  }
}

export const dayKey = ({ websiteId, day }: WebsiteDay) => `${day} ${websiteId}`

/** Callers use it to ignore websites that were deleted in the meantime. */
export async function findExistingWebsiteIds(q: Queries, websiteIds: readonly number[]): Promise<Set<number>> {
  const [result] = await q.batch(findWebsites(websiteIds))
  return new Set(result?.rows.map(({ id }) => id))
}

const findWebsites = (ids: readonly number[]): Statement => ({
  text: 'select id from websites where id = any ($1)',
  values: [[...new Set(ids)]],
})

/**
 * Returns the ids in the order of the values. The caller holds the traffic lock, so new ids can simply count up from the
 * website's largest id.
 */
export async function assignValueIds(q: Queries, values: readonly TrafficValue[]): Promise<number[]> {
  const ids = await findValueIds(q, values)
  const valuesWithoutId = values.flatMap((value, index) => (ids[index] === undefined ? [{ value, index }] : []))
  if (valuesWithoutId.length === 0) return ids as number[]
  const rows = await q.query<{ id: number; website_id: number; kind: number; value: string }>(
    `with new_values as materialized (
       select website_id, kind, value
         from unnest($1::bigint[], $2::smallint[], $3::text[]) as n (website_id, kind, value)
     ), last_ids as materialized (
       select n.website_id, coalesce((select max(v.id) from traffic_values v where v.website_id = n.website_id), 0) as last_id
         from new_values n
        group by n.website_id
     )
     insert into traffic_values (website_id, id, kind, value)
     select website_id, last_id + row_number() over (partition by website_id), kind, value
       from new_values join last_ids using (website_id)
     returning id, website_id, kind, value`,
    toColumns(valuesWithoutId.map(({ value }) => value)),
  )
  const newIds = new Map(rows.map(({ id, website_id, kind, value }) => [`${website_id} ${kind} ${value}`, id]))
  for (const { value, index } of valuesWithoutId)
    ids[index] = newIds.get(`${value.websiteId} ${value.kind} ${value.value}`)
  return ids as number[]
}

async function findValueIds(q: Queries, values: readonly TrafficValue[]): Promise<(number | undefined)[]> {
  const ids: (number | undefined)[] = new Array(values.length).fill(undefined)
  const rows = await q.query<{ ordinal: number; id: number }>(
    `select ordinal, id
       from unnest($1::bigint[], $2::smallint[], $3::text[]) with ordinality as requested (website_id, kind, value, ordinal)
       join traffic_values using (website_id, kind, value)`,
    toColumns(values),
  )
  for (const { ordinal, id } of rows) ids[ordinal - 1] = id
  return ids
}

const toColumns = (values: readonly TrafficValue[]) => [
  numbersLiteral(values.map(({ websiteId }) => websiteId)),
  numbersLiteral(values.map(({ kind }) => kind)),
  textsLiteral(values.map(({ value }) => value)),
]

export function insertEvents(events: readonly EventWithVisit[]): Statement {
  return {
    text: `insert into events (website_id, at, day, hour, kind, visit_id, page, name, engaged_ms, props)
      select website_id, to_timestamp(at), day, hour, kind, visit_id, page, name, engaged_ms, props
        from unnest($1::bigint[], $2::float8[], $3::date[], $4::smallint[], $5::smallint[], $6::bigint[], $7::integer[],
                    $8::integer[], $9::integer[], $10::text[])
             as e (website_id, at, day, hour, kind, visit_id, page, name, engaged_ms, props)`,
    values: [
      numbersLiteral(events.map(({ event }) => event.websiteId)),
      numbersLiteral(events.map(({ event }) => event.at / 1000)),
      textsLiteral(events.map(({ event }) => event.day)),
      numbersLiteral(events.map(({ event }) => event.hour)),
      numbersLiteral(events.map(({ event }) => eventKinds[event.kind])),
      numbersLiteral(events.map(({ visit }) => visit?.id ?? null)),
      numbersLiteral(events.map(({ eventWithIds }) => idOrNull(eventWithIds.pageId))),
      numbersLiteral(events.map(({ eventWithIds }) => idOrNull(eventWithIds.eventNameId))),
      numbersLiteral(events.map(({ event }) => event.engagedMs ?? null)),
      textsLiteral(events.map(({ event }) => event.props ?? null)),
    ],
  }
}

export function addDayTotals(days: readonly DayTally[]): Statement {
  const column = (name: keyof DayTally['totals']) => numbersLiteral(days.map(({ totals }) => totals[name]))
  return {
    text: `insert into traffic_days as d (website_id, day, visitors, views, visits, bounces, duration_ms, events)
      select website_id, day, visitors, views, visits, bounces, duration_ms, events
        from unnest($1::bigint[], $2::date[], $3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::bigint[],
                    $8::integer[])
             as t (website_id, day, visitors, views, visits, bounces, duration_ms, events)
          on conflict (website_id, day) do update
         set visitors = d.visitors + excluded.visitors,
             views = d.views + excluded.views,
             visits = d.visits + excluded.visits,
             bounces = d.bounces + excluded.bounces,
             duration_ms = d.duration_ms + excluded.duration_ms,
             events = d.events + excluded.events,
             is_packed = false,
             -- Nodes of version 0.2.0 would read it.
             packed_visits = null`,
    values: [
      numbersLiteral(days.map(({ websiteId }) => websiteId)),
      textsLiteral(days.map(({ day }) => day)),
      column('visitors'),
      column('views'),
      column('visits'),
      column('bounces'),
      column('durationMs'),
      column('events'),
    ],
  }
}

export function addDayCounts(days: readonly DayTally[]): Statement {
  const websiteIds: number[] = []
  const dimensionNumbers: number[] = []
  const dates: string[] = []
  const values: number[] = []
  const counts: number[] = []
  for (const { websiteId, day, counts: countsByColumn } of days) {
    for (const [column, countsByValue] of countsByColumn) {
      for (const [value, count] of countsByValue) {
        // Changes may cancel out, as for a page that was the exit page only until the visitor viewed another one.
        if (count === 0) continue
        websiteIds.push(websiteId)
        dimensionNumbers.push(countColumnNumbers[column])
        dates.push(day)
        values.push(value)
        counts.push(count)
      }
    }
  }
  return {
    text: `insert into traffic_counts as c (website_id, dimension, day, value, count)
      select website_id, dimension, day, value, count
        from unnest($1::bigint[], $2::smallint[], $3::date[], $4::integer[], $5::integer[])
             as t (website_id, dimension, day, value, count)
          on conflict (website_id, dimension, day, value) do update set count = c.count + excluded.count`,
    values: [
      numbersLiteral(websiteIds),
      numbersLiteral(dimensionNumbers),
      textsLiteral(dates),
      numbersLiteral(values),
      numbersLiteral(counts),
    ],
  }
}

interface VisitRow extends Record<VisitDimension | VisitorDimension, number | null> {
  website_id: number
  day: string
  visitor: number
  id: number
  started_ms: number
  last_ms: number
  views: number
  actions: number
  /** Bit n is set if the visit has a page view or custom event in hour n of the day. */
  hours: number
}

const dimensions = [...visitDimensions, ...visitorDimensions]
const dimensionColumns = dimensions.join(', ')

/** Loads the visits that are already stored, and adds each to the group of its visitor and day. */
export async function loadVisits(q: Queries, groups: readonly VisitorDay[]): Promise<void> {
  const rows = await q.query<VisitRow>(
    `select v.website_id, v.day::text as day, v.visitor, v.id,
            (extract(epoch from v.started_at) * 1000)::bigint as started_ms,
            (extract(epoch from v.last_at) * 1000)::bigint as last_ms,
            v.views, v.actions, v.hours, ${dimensionColumns}
       from unnest($1::bigint[], $2::date[], $3::bigint[]) as visitors (website_id, day, visitor)
      cross join lateral (
        -- PostgreSQL underestimates the rows of visits, because of row level security, and would compare each visitor with
        -- each row of a month. "offset 0" makes it look up each visitor in the primary key instead.
        select * from visits
         where website_id = visitors.website_id and day = visitors.day and visitor = visitors.visitor
        offset 0
      ) v`,
    [
      numbersLiteral(groups.map(({ websiteId }) => websiteId)),
      textsLiteral(groups.map(({ day }) => day)),
      numbersLiteral(groups.map(({ visitor }) => visitor)),
    ],
  )
  if (rows.length === 0) return
  const groupsByKey = new Map(groups.map((group) => [visitorDayKey(group), group]))
  for (const row of rows) {
    const { website_id: websiteId, day, visitor } = row
    groupsByKey.get(visitorDayKey({ websiteId, day, visitor }))?.visits.push(toVisit(row))
  }
  // Later visits have larger ids.
  for (const { visits } of groups) if (visits.length > 1) visits.sort((one, other) => one.id - other.id)
}

function toVisit(row: VisitRow): VisitRecord {
  const { id, started_ms: startedAt, last_ms: lastAt, views, actions, hours: hourBits } = row
  const visitValues = visitDimensions.map((name) => row[name] ?? 0)
  const visitorValues = visitorDimensions.map((name) => row[name] ?? 0)
  return { id, startedAt, lastAt, views, actions, hourBits, visitValues, visitorValues }
}

export async function reserveVisitIds(q: Queries, count: number): Promise<number[]> {
  const rows = await q.query<{ id: number }>(`select nextval('visit_ids') as id from generate_series(1, $1)`, [count])
  return rows.map(({ id }) => id)
}

/** In memory, 0 stands for an unknown value. The database stores null. */
const idOrNull = (id: number) => (id === 0 ? null : id)

const FIRST_DIMENSION_PARAMETER = 10
const dimensionArrays = dimensions.map((_, index) => `$${FIRST_DIMENSION_PARAMETER + index}::integer[]`).join(', ')

/** Updates only the columns that later events of a visit can change. */
const upsertVisitsSql = `
  insert into visits (website_id, day, visitor, id, started_at, last_at, views, actions, hours, ${dimensionColumns})
  select website_id, day, visitor, id, to_timestamp(started_at), to_timestamp(last_at), views, actions, hours,
         ${dimensionColumns}
    from unnest($1::bigint[], $2::date[], $3::bigint[], $4::bigint[], $5::float8[], $6::float8[],
                $7::integer[], $8::integer[], $9::integer[], ${dimensionArrays})
         as v (website_id, day, visitor, id, started_at, last_at, views, actions, hours, ${dimensionColumns})
      on conflict (website_id, day, visitor, id) do update
     set last_at = excluded.last_at,
         views = excluded.views,
         actions = excluded.actions,
         hours = excluded.hours,
         landing_page = excluded.landing_page,
         exit_page = excluded.exit_page`

export function upsertVisits(groups: readonly VisitorDay[]): Statement {
  const rows = groups.flatMap(({ websiteId, day, visitor, visits }) =>
    visits.map((visit) => ({ websiteId, day, visitor, visit })),
  )
  const column = (pick: (visit: VisitRecord) => number | null) => numbersLiteral(rows.map(({ visit }) => pick(visit)))
  return {
    text: upsertVisitsSql,
    values: [
      numbersLiteral(rows.map(({ websiteId }) => websiteId)),
      textsLiteral(rows.map(({ day }) => day)),
      numbersLiteral(rows.map(({ visitor }) => visitor)),
      column(({ id }) => id),
      column(({ startedAt }) => startedAt / 1000),
      column(({ lastAt }) => lastAt / 1000),
      column(({ views }) => views),
      column(({ actions }) => actions),
      column(({ hourBits }) => hourBits),
      ...visitDimensions.map((_, index) => column(({ visitValues }) => idOrNull(visitValues[index] as number))),
      ...visitorDimensions.map((_, index) => column(({ visitorValues }) => idOrNull(visitorValues[index] as number))),
    ],
  }
}
