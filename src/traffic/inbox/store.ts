/** SQL for the inbox: batches of events that are acknowledged but not yet rolled up. */
import type { Statement } from '../../storage/batch.ts'
import type { Queries } from '../../storage/client.ts'
import type { Database } from '../../storage/database.ts'
import type { TrafficEvent } from '../model/event.ts'

/** Stores any number of events in one row and one commit. The events are durable once the promise resolves. */
export async function insertBatch(q: Queries, events: readonly TrafficEvent[]): Promise<void> {
  const { size, websiteIds, text } = toBatchColumns(events)
  await q.query('insert into event_inbox (size, websites, events) values ($1, $2, $3)', [size, websiteIds, text])
}

export function toBatchColumns(events: readonly TrafficEvent[]) {
  const websiteIds = [...new Set(events.map(({ websiteId }) => websiteId))]
  return { size: events.length, websiteIds, text: JSON.stringify(events) }
}

/** Counts events, not batches. */
export async function countInboxEvents(q: Queries): Promise<number> {
  const [row] = await q.query<{ count: number }>(
    'select coalesce(sum(size), 0)::bigint as count from event_inbox where fault is null',
  )
  return row?.count ?? 0
}

/** Returns the id of the newest batch that contains events of the website. */
export async function findLastWebsiteBatchId(q: Queries, websiteId: number): Promise<number | undefined> {
  const [row] = await q.query<{ id: number | null }>(
    'select max(id) as id from event_inbox where fault is null and $1 = any (websites)',
    [websiteId],
  )
  return row?.id ?? undefined
}

export async function findLastBatchId(q: Queries): Promise<number | undefined> {
  const [row] = await q.query<{ id: number | null }>('select max(id) as id from event_inbox where fault is null')
  return row?.id ?? undefined
}

export async function hasBatchesUpTo(q: Queries, lastId: number): Promise<boolean> {
  const [row] = await q.query(
    'select exists (select from event_inbox where fault is null and id <= $1) as has_batches',
    [lastId],
  )
  return row?.['has_batches'] === true
}

export async function hasWebsiteBatchesUpTo(q: Queries, websiteId: number, lastId: number): Promise<boolean> {
  const [row] = await q.query(
    `select exists (
              select from event_inbox
               where fault is null and id <= $2 and $1 = any (websites)
            ) as has_batches`,
    [websiteId, lastId],
  )
  return row?.['has_batches'] === true
}

export interface InboxBatch {
  id: number
  /** A JSON array of `TrafficEvent`. */
  events: string
}

/** There are two limits, because events can be small or large. */
export interface BatchLimits {
  maxEvents: number
  maxBytes: number
}

/**
 * Reads the oldest batches until a limit is reached, but at least one batch. With `websiteId`, reads only batches that
 * contain events of this website.
 */
export async function readOldestBatches(
  q: Queries,
  { maxEvents, maxBytes }: BatchLimits,
  websiteId?: number,
): Promise<InboxBatch[]> {
  return q.query<InboxBatch>(
    `select id, events
       from (select id,
                    events,
                    sum(size) over oldest_first - size as events_before,
                    sum(octet_length(events)) over oldest_first - octet_length(events) as bytes_before
               from event_inbox
              where fault is null and ($3::bigint is null or $3 = any (websites))
             window oldest_first as (order by id)
              order by id
              limit 1000) oldest
      where events_before < $1 and bytes_before < $2
      order by id`,
    [maxEvents, maxBytes, websiteId ?? null],
  )
}

/** Returns statements that replace the events of each batch with the given ones. */
export function replaceBatches(batches: readonly { id: number; events: readonly TrafficEvent[] }[]): Statement[] {
  return batches.map(({ id, events }) => {
    const { size, websiteIds, text } = toBatchColumns(events)
    return {
      text: 'update event_inbox set size = $2, websites = $3, events = $4 where id = $1',
      values: [id, size, websiteIds, text],
    }
  })
}

export const deleteBatches = (ids: readonly number[]): Statement => ({
  text: 'delete from event_inbox where id = any ($1)',
  values: [ids],
})

/** Gives every event its own batch. Requires a transaction. */
export async function splitBatch(q: Queries, id: number, events: readonly TrafficEvent[]): Promise<void> {
  await q.batch(deleteBatches([id]))
  for (const event of events) await insertBatch(q, [event])
}

/**
 * Makes the rollup skip a batch that it cannot process, so that the batch doesn't block the others. `retryFailedBatches`
 * makes the rollup try again.
 */
export async function setBatchAside(q: Queries, id: number, fault: string): Promise<void> {
  await q.query('update event_inbox set fault = $2 where id = $1', [id, fault])
}

/** Runs at every start, because a new version may be able to roll up what an earlier one could not. */
export async function retryFailedBatches(q: Queries): Promise<void> {
  await q.query('update event_inbox set fault = null where fault is not null')
}

/**
 * The table stays small, but every batch leaves a dead row that each scan has to skip. VACUUM can't run in a transaction,
 * and every query of `db` is one, so it needs a connection of its own.
 */
export async function vacuumInbox(db: Database): Promise<void> {
  await db.withConnection((client) => client.query('vacuum (skip_locked) event_inbox'))
}
