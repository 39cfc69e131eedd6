/** SQL of the inbox: batches of events from the moment they are acknowledged until they have been added up. */
import type { Queries } from '../../storage/client.ts'
import type { Statement } from '../../storage/flight.ts'
import type { TrafficEvent } from '../model/event.ts'

/** One row and one commit, however many events. They are durable when it resolves. */
export async function insertBatch(q: Queries, events: readonly TrafficEvent[]): Promise<void> {
  const { size, websites, text } = batchOf(events)
  await q.query('insert into event_inbox (size, websites, events) values ($1, $2, $3)', [size, websites, text])
}

export function batchOf(events: readonly TrafficEvent[]) {
  const websites = [...new Set(events.map(({ websiteId }) => websiteId))]
  return { size: events.length, websites, text: JSON.stringify(events) }
}

/** Events, not batches. */
export async function countWaiting(q: Queries): Promise<number> {
  const [row] = await q.query<{ waiting: number }>(
    'select coalesce(sum(size), 0)::bigint as waiting from event_inbox where fault is null',
  )
  return row?.waiting ?? 0
}

/** The last batch with anything of a website; undefined: nothing waits. */
export async function findLastBatch(q: Queries, websiteId: number): Promise<number | undefined> {
  const [row] = await q.query<{ id: number | null }>(
    'select max(id) as id from event_inbox where fault is null and $1 = any (websites)',
    [websiteId],
  )
  return row?.id ?? undefined
}

/** The last of all. */
export async function findLastOfAll(q: Queries): Promise<number | undefined> {
  const [row] = await q.query<{ id: number | null }>('select max(id) as id from event_inbox where fault is null')
  return row?.id ?? undefined
}

export async function isAnyWaitingUpTo(q: Queries, last: number): Promise<boolean> {
  const [row] = await q.query('select exists (select from event_inbox where fault is null and id <= $1) as waiting', [
    last,
  ])
  return row?.['waiting'] === true
}

/** Whether anything of it is left up to that batch. Later ones come all the time. */
export async function isWaitingUpTo(q: Queries, websiteId: number, last: number): Promise<boolean> {
  const [row] = await q.query(
    'select exists (select from event_inbox where fault is null and id <= $2 and $1 = any (websites)) as waiting',
    [websiteId, last],
  )
  return row?.['waiting'] === true
}

export interface Batch {
  id: number
  events: string
}

/** How much is worked out at a time; events may be small or large. */
export interface Most {
  events: number
  bytes: number
}

/** The oldest ones, of as much together, and at least one. With a website: only those that hold anything of it. */
export async function takeBatches(q: Queries, most: Most, websiteId?: number): Promise<Batch[]> {
  return q.query<Batch>(
    `select id, events
       from (select id, events, sum(size) over oldest - size as events_before,
                    sum(octet_length(events)) over oldest - octet_length(events) as bytes_before
               from event_inbox where fault is null and ($3::bigint is null or $3 = any (websites))
             window oldest as (order by id) order by id limit 1000) first
      where events_before < $1 and bytes_before < $2 order by id`,
    [most.events, most.bytes, websiteId ?? null],
  )
}

/** What is left of batches of which a part was taken. */
export function keepRests(rests: readonly { id: number; events: readonly TrafficEvent[] }[]): Statement[] {
  return rests.map(({ id, events }) => {
    const { size, websites, text } = batchOf(events)
    return {
      text: 'update event_inbox set size = $2, websites = $3, events = $4 where id = $1',
      values: [id, size, websites, text],
    }
  })
}

export const deleteBatches = (ids: readonly number[]) => ({
  text: 'delete from event_inbox where id = any ($1)',
  values: [ids],
})

/** Needs a transaction. */
export async function splitBatch(q: Queries, id: number, events: readonly TrafficEvent[]): Promise<void> {
  await q.flight(deleteBatches([id]))
  for (const event of events) await insertBatch(q, [event])
}

/** Whoever starts may be a version that can. */
export async function tryAgain(q: Queries): Promise<void> {
  await q.query('update event_inbox set fault = null where fault is not null')
}

/** What cannot be added up is put aside, so that it holds nothing else up. */
export async function setAside(q: Queries, id: number, fault: string): Promise<void> {
  await q.query('update event_inbox set fault = $2 where id = $1', [id, fault])
}

/** Small for most of its life, but with as many dead rows as there were batches: reading past them would take ever longer. */
export async function sweepInbox(q: Queries): Promise<void> {
  await q.query('vacuum (skip_locked) event_inbox')
}
