/** SQL of the inbox: batches of events from the moment they are acknowledged until they have been added up. */
import type { Queries } from '../storage/client.ts'
import type { TrafficEvent } from './event.ts'

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

/** The oldest ones, of as many events together, and at least one. */
export async function takeBatches(q: Queries, events: number): Promise<Batch[]> {
  return q.query<Batch>(
    `select id, events
       from (select id, events, sum(size) over (order by id) - size as before
               from event_inbox where fault is null order by id limit 1000) oldest
      where before < $1 order by id`,
    [events],
  )
}

export const deleteBatches = (ids: readonly number[]) => ({
  text: 'delete from event_inbox where id = any ($1)',
  values: [ids],
})

/** What cannot be added up is put aside, so that it holds nothing else up. */
export async function setAside(q: Queries, id: number, fault: string): Promise<void> {
  await q.query('update event_inbox set fault = $2 where id = $1', [id, fault])
}

/** Small for most of its life, but with as many dead rows as there were batches: reading past them would take ever longer. */
export async function sweepInbox(q: Queries): Promise<void> {
  await q.query('vacuum (skip_locked) event_inbox')
}
