/** SQL of adding events up. One statement for each table, however many rows. */
import { numbersLiteral, textsLiteral } from '../../storage/array-literal.ts'
import type { Statement } from '../../storage/batch.ts'
import type { Queries } from '../../storage/client.ts'
import { dimensions } from '../model/dimensions.ts'
import { eventKinds } from '../model/event.ts'
import type { DayTally } from './tally.ts'
import type { TrafficValue } from './value-ids.ts'
import type { EventWithVisit } from './visitor-days.ts'
import { idOrNull } from './visits-store.ts'

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

export async function lockTraffic(q: Queries): Promise<void> {
  await q.batch(
    { text: settings },
    { text: `select set_config('idle_in_transaction_session_timeout', $1, true)`, values: [SILENCE_MS] },
    { text: 'select pg_advisory_xact_lock($1)', values: [TRAFFIC_LOCK] },
  )
}

/** What is left of deleted websites counts no more. */
export async function findExistingWebsites(q: Queries, websiteIds: readonly number[]): Promise<Set<number>> {
  const rows = await q.query<{ id: number }>('select id from websites where id = any ($1)', [websiteIds])
  return new Set(rows.map(({ id }) => id))
}

/** Numbers in the order of the values. New ones are given out, one after the other: nobody else does, under the lock. */
export async function assignValueIds(q: Queries, values: readonly TrafficValue[]): Promise<number[]> {
  const ids = await findNumbers(q, values)
  const missing = values.flatMap((value, index) => (ids[index] === undefined ? [{ value, index }] : []))
  if (missing.length === 0) return ids as number[]
  const rows = await q.query<{ id: number; website_id: number; kind: number; value: string }>(
    `with missing as materialized (
       select * from unnest($1::bigint[], $2::smallint[], $3::text[]) as m (website_id, kind, value)
     ), given as materialized (
       select website_id, coalesce((select max(id) from traffic_values v where v.website_id = m.website_id), 0) as last
         from missing m group by website_id
     )
     insert into traffic_values (website_id, id, kind, value)
     select website_id, last + row_number() over (partition by website_id), kind, value from missing join given using (website_id)
     returning id, website_id, kind, value`,
    listsOf(missing.map(({ value }) => value)),
  )
  const made = new Map(rows.map(({ id, website_id, kind, value }) => [`${website_id} ${kind} ${value}`, id]))
  for (const { value, index } of missing) ids[index] = made.get(`${value.websiteId} ${value.kind} ${value.value}`)
  return ids as number[]
}

async function findNumbers(q: Queries, values: readonly TrafficValue[]): Promise<(number | undefined)[]> {
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

const listsOf = (values: readonly TrafficValue[]) => [
  numbersLiteral(values.map(({ websiteId }) => websiteId)),
  numbersLiteral(values.map(({ kind }) => kind)),
  textsLiteral(values.map(({ value }) => value)),
]

const seconds = (ms: number) => ms / 1000

export function insertEvents(events: readonly EventWithVisit[]): Statement {
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
      numbersLiteral(events.map(({ sent }) => eventKinds[sent.kind])),
      numbersLiteral(events.map(({ visit }) => visit?.id ?? null)),
      numbersLiteral(events.map(({ numbered }) => idOrNull(numbered.page))),
      numbersLiteral(events.map(({ numbered }) => idOrNull(numbered.name))),
      numbersLiteral(events.map(({ sent }) => sent.engagedMs ?? null)),
      textsLiteral(events.map(({ sent }) => sent.props ?? null)),
    ],
  }
}

export function addDayTotals(days: readonly DayTally[]): Statement {
  const column = (name: keyof DayTally['totals']) => numbersLiteral(days.map(({ totals }) => totals[name]))
  return {
    text: `insert into traffic_days as d (website_id, day, visitors, views, visits, bounces, duration_ms, events)
      select * from unnest($1::bigint[], $2::date[], $3::integer[], $4::integer[], $5::integer[], $6::integer[],
                           $7::bigint[], $8::integer[])
      on conflict (website_id, day) do update set visitors = d.visitors + excluded.visitors, views = d.views + excluded.views,
        visits = d.visits + excluded.visits, bounces = d.bounces + excluded.bounces,
        duration_ms = d.duration_ms + excluded.duration_ms, events = d.events + excluded.events, is_packed = false,
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
