/** SQL of adding events up. One statement for each table, however many rows. */
import { numbersLiteral, textsLiteral } from '../../storage/array-literal.ts'
import type { Queries } from '../../storage/client.ts'
import type { Statement } from '../../storage/flight.ts'
import { dimensions, type VisitorDimension, visitorDimensions } from '../dimensions.ts'
import { kinds } from '../event.ts'
import type { Value } from './numbering.ts'
import { keyOf, type PlacedEvent, type VisitorDay } from './slice.ts'
import type { DayTally } from './tally.ts'
import type { Visit } from './visits.ts'

/** Whoever writes what days came to holds it until the end of the transaction. */
const TRAFFIC_LOCK = 7_413_905_226

/**
 * Everything is found by its key, one after the other: the tables grow by the minute, and a plan made while they were small
 * would read all of them.
 */
const settings = `select set_config(name, 'off', true)
  from unnest(array['enable_hashjoin', 'enable_mergejoin', 'enable_seqscan', 'enable_sort', 'jit']) name`

/** A node that stands still while it holds the lock loses it: everybody else would wait for as long as it does. */
const SILENCE_MS = 5_000

export async function holdTraffic(q: Queries): Promise<void> {
  await q.flight(
    { text: settings },
    { text: `select set_config('idle_in_transaction_session_timeout', $1, true)`, values: [SILENCE_MS] },
    { text: 'select pg_advisory_xact_lock($1)', values: [TRAFFIC_LOCK] },
  )
}

/** What is left of deleted websites counts no more. */
export async function findExisting(q: Queries, websiteIds: readonly number[]): Promise<Set<number>> {
  const rows = await q.query<{ id: number }>('select id from websites where id = any ($1)', [websiteIds])
  return new Set(rows.map(({ id }) => id))
}

/** Numbers in the order of the values. New ones are given out: nobody else does, under the lock. */
export async function numberValues(q: Queries, values: readonly Value[]): Promise<number[]> {
  const ids = await findNumbers(q, values)
  const missing = values.flatMap((value, index) => (ids[index] === undefined ? [{ value, index }] : []))
  if (missing.length === 0) return ids as number[]
  const rows = await q.query<{ id: number; website_id: number; kind: number; value: string }>(
    `insert into traffic_values (website_id, kind, value)
     select * from unnest($1::bigint[], $2::smallint[], $3::text[]) returning id, website_id, kind, value`,
    listsOf(missing.map(({ value }) => value)),
  )
  const made = new Map(rows.map(({ id, website_id, kind, value }) => [`${website_id} ${kind} ${value}`, id]))
  for (const { value, index } of missing) ids[index] = made.get(`${value.websiteId} ${value.kind} ${value.value}`)
  return ids as number[]
}

async function findNumbers(q: Queries, values: readonly Value[]): Promise<(number | undefined)[]> {
  const ids: (number | undefined)[] = new Array(values.length).fill(undefined)
  const rows = await q.query<{ place: number; id: number }>(
    `select asked.place, v.id
       from unnest($1::bigint[], $2::smallint[], $3::text[]) with ordinality as asked (website_id, kind, value, place)
       join traffic_values v using (website_id, kind, value)`,
    listsOf(values),
  )
  for (const { place, id } of rows) ids[place - 1] = id
  return ids
}

const listsOf = (values: readonly Value[]) => [
  numbersLiteral(values.map(({ websiteId }) => websiteId)),
  numbersLiteral(values.map(({ kind }) => kind)),
  textsLiteral(values.map(({ value }) => value)),
]

interface VisitRow extends Record<VisitorDimension, number | null> {
  website_id: number
  day: string
  visitor: number
  id: number
  started_at: number
  last_at: number
  views: number
  actions: number
  hours: number
  landing_page: number | null
  exit_page: number | null
  referrer: number | null
  source: number | null
  campaign: number | null
}

const numbered = ['landing_page', 'exit_page', 'referrer', 'source', 'campaign', ...visitorDimensions] as const
const plain = ['views', 'actions', 'hours'] as const

/** Fills in what visitors did earlier on the same day. */
export async function loadVisits(q: Queries, groups: readonly VisitorDay[]): Promise<void> {
  const rows = await q.query<VisitRow>(
    `select v.website_id, v.day::text as day, v.visitor, v.id, (extract(epoch from v.started_at) * 1000)::bigint as started_at,
            (extract(epoch from v.last_at) * 1000)::bigint as last_at, ${[...plain, ...numbered].join(', ')}
       from unnest($1::bigint[], $2::date[], $3::bigint[]) as asked (website_id, day, visitor)
       join visits v using (website_id, day, visitor)`,
    [
      numbersLiteral(groups.map(({ websiteId }) => websiteId)),
      textsLiteral(groups.map(({ day }) => day)),
      numbersLiteral(groups.map(({ visitor }) => visitor)),
    ],
  )
  if (rows.length === 0) return
  const byKey = new Map(groups.map((group) => [keyOf(group), group]))
  for (const row of rows) {
    const { website_id: websiteId, day, visitor } = row
    byKey.get(keyOf({ websiteId, day, visitor }))?.visits.push(visitOf(row))
  }
  // Ids grow with time.
  for (const { visits } of groups) if (visits.length > 1) visits.sort((one, other) => one.id - other.id)
}

function visitOf(row: VisitRow): Visit {
  const { id, started_at: startedAt, last_at: lastAt, views, actions, hours } = row
  return {
    id,
    startedAt,
    lastAt,
    views,
    actions,
    hours,
    landing_page: row.landing_page ?? 0,
    exit_page: row.exit_page ?? 0,
    referrer: row.referrer ?? 0,
    source: row.source ?? 0,
    campaign: row.campaign ?? 0,
    country: row.country ?? 0,
    region: row.region ?? 0,
    city: row.city ?? 0,
    language: row.language ?? 0,
    browser: row.browser ?? 0,
    os: row.os ?? 0,
    device: row.device ?? 0,
    resolution: row.resolution ?? 0,
  }
}

export async function drawVisitIds(q: Queries, count: number): Promise<number[]> {
  const rows = await q.query<{ id: number }>(`select nextval('visit_ids') as id from generate_series(1, $1)`, [count])
  return rows.map(({ id }) => id)
}

const orNull = (number: number) => (number === 0 ? null : number)
const seconds = (ms: number) => ms / 1000

export function insertEvents(events: readonly PlacedEvent[]): Statement {
  return {
    text: `insert into events (website_id, at, day, hour, kind, visit_id, page, name, engaged_ms, props)
      select website_id, to_timestamp(at), day, hour, kind, visit_id, page, name, engaged_ms, props
        from unnest($1::bigint[], $2::float8[], $3::date[], $4::smallint[], $5::smallint[], $6::bigint[], $7::integer[],
                    $8::integer[], $9::integer[], $10::text[])
             as e (website_id, at, day, hour, kind, visit_id, page, name, engaged_ms, props)`,
    values: [
      numbersLiteral(events.map(({ sent }) => sent.websiteId)),
      numbersLiteral(events.map(({ sent }) => seconds(sent.at))),
      textsLiteral(events.map(({ sent }) => sent.day)),
      numbersLiteral(events.map(({ sent }) => sent.hour)),
      numbersLiteral(events.map(({ sent }) => kinds[sent.kind])),
      numbersLiteral(events.map(({ visit }) => visit?.id ?? null)),
      numbersLiteral(events.map(({ numbered }) => orNull(numbered.page))),
      numbersLiteral(events.map(({ numbered }) => orNull(numbered.name))),
      numbersLiteral(events.map(({ sent }) => sent.engagedMs ?? null)),
      textsLiteral(events.map(({ sent }) => sent.props ?? null)),
    ],
  }
}

export function writeVisits(groups: readonly VisitorDay[]): Statement {
  const all = groups.flatMap(({ websiteId, day, visitor, visits }) =>
    visits.map((visit) => ({ websiteId, day, visitor, visit })),
  )
  const column = (pick: (visit: Visit) => number | null) => numbersLiteral(all.map(({ visit }) => pick(visit)))
  const names = [...plain, ...numbered]
  return {
    text: `insert into visits (website_id, day, visitor, id, started_at, last_at, ${names.join(', ')})
      select website_id, day, visitor, id, to_timestamp(started_at), to_timestamp(last_at), ${names.join(', ')}
        from unnest($1::bigint[], $2::date[], $3::bigint[], $4::bigint[], $5::float8[], $6::float8[],
                    ${names.map((_, index) => `$${index + 7}::integer[]`).join(', ')})
             as v (website_id, day, visitor, id, started_at, last_at, ${names.join(', ')})
      on conflict (website_id, day, visitor, id) do update set last_at = excluded.last_at, views = excluded.views,
        actions = excluded.actions, hours = excluded.hours, landing_page = excluded.landing_page,
        exit_page = excluded.exit_page`,
    values: [
      numbersLiteral(all.map(({ websiteId }) => websiteId)),
      textsLiteral(all.map(({ day }) => day)),
      numbersLiteral(all.map(({ visitor }) => visitor)),
      column(({ id }) => id),
      column(({ startedAt }) => seconds(startedAt)),
      column(({ lastAt }) => seconds(lastAt)),
      ...plain.map((name) => column((visit) => visit[name])),
      ...numbered.map((name) => column((visit) => orNull(visit[name]))),
    ],
  }
}

export function addTotals(days: readonly DayTally[]): Statement {
  const column = (name: keyof DayTally['totals']) => numbersLiteral(days.map(({ totals }) => totals[name]))
  return {
    text: `insert into traffic_days as d (website_id, day, visitors, views, visits, bounces, duration_ms, events)
      select * from unnest($1::bigint[], $2::date[], $3::integer[], $4::integer[], $5::integer[], $6::integer[],
                           $7::bigint[], $8::integer[])
      on conflict (website_id, day) do update set visitors = d.visitors + excluded.visitors, views = d.views + excluded.views,
        visits = d.visits + excluded.visits, bounces = d.bounces + excluded.bounces,
        duration_ms = d.duration_ms + excluded.duration_ms, events = d.events + excluded.events, is_packed = false`,
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

export function addCounts(days: readonly DayTally[]): Statement {
  const websites: number[] = []
  const names: number[] = []
  const dates: string[] = []
  const values: number[] = []
  const counts: number[] = []
  for (const { websiteId, day, counts: found } of days) {
    for (const [dimension, byValue] of found) {
      for (const [value, count] of byValue) {
        // A page that was left for another one in the same slice, for instance.
        if (count === 0) continue
        websites.push(websiteId)
        names.push(dimensions[dimension])
        dates.push(day)
        values.push(value)
        counts.push(count)
      }
    }
  }
  return {
    text: `insert into traffic_counts as c (website_id, dimension, day, value, count)
      select * from unnest($1::bigint[], $2::smallint[], $3::date[], $4::integer[], $5::integer[])
      on conflict (website_id, dimension, day, value) do update set count = c.count + excluded.count`,
    values: [
      numbersLiteral(websites),
      numbersLiteral(names),
      textsLiteral(dates),
      numbersLiteral(values),
      numbersLiteral(counts),
    ],
  }
}
