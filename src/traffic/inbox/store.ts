/** SQL for the inbox: batches of events that are acknowledged but not yet rolled up. */

import { numbersLiteral, textsLiteral } from '../../storage/array-literal.ts'
import type { Statement } from '../../storage/batch.ts'
import type { Database } from '../../storage/database.ts'
import type { Queries } from '../../storage/transaction.ts'
import type { TrafficEvent } from '../model/event.ts'

/** The contract of the event API: an id counts once within this time. */
const EVENT_ID_MINUTES = 10
/** The key of a batch is kept this long, which is longer than any attempt to store the batch can take. */
const BATCH_MINUTES = 5
/** Limits how long a deletion takes. */
const MAX_DELETED_IDS = 10_000

export interface EventBatch {
  /** A random UUID. */
  key: string
  events: readonly TrafficEvent[]
  /** For each event, a UUID that is a hash of its id; null if the event has no id. No UUID occurs twice. */
  eventKeys: readonly (string | null)[]
  /** The ids of the events are remembered for ten minutes from this time on. */
  now: Date
  /**
   * PostgreSQL doesn't store the batch after this time, in milliseconds since 1970 by its own clock. null if the time
   * of this clock is not known yet.
   */
  deadlineMs: number | null
}

export interface WebsiteVersions {
  domains: readonly string[]
  /** The websites that are registered under `domains`, as `id:version,id:version` in the order of their ids. */
  versionsText: string
}

export interface BatchResult {
  /** `outdated`: a website has changed, and nothing was stored. `late`: the deadline has passed, and nothing was stored. */
  state: 'stored' | 'outdated' | 'late'
  /** The indexes of events that are not stored, because an event with the same id was stored before. */
  duplicates: readonly number[]
  /** PostgreSQL's time, in milliseconds since 1970. */
  databaseTimeMs: number
}

/**
 * Stores a batch once, even if the statement runs several times. Every batch has a random key, which is stored in the same
 * transaction. After the loss of a connection, a second run finds the key if the first run was committed, and waits if the first run
 * is still in progress. It stores the events only if the first run was not committed.
 */
const insertSql = `
  with website_state as (
    select coalesce(string_agg(id || ':' || xmin, ',' order by id), '') = $2 as is_current
      from websites
     where domain = any ($1) and not is_sample
  ), attempt as (
    insert into event_batches as known (key, is_stored)
    select $3::uuid, is_current
      from website_state
     where $4::float8 is null or extract(epoch from clock_timestamp()) * 1000 < $4
        -- The conflict is with an earlier run of this statement. The update waits until that run has ended, and returns its result.
        on conflict (key) do update set is_stored = known.is_stored
    -- xmax is 0 in an inserted row, and another number in an updated row.
    returning is_stored, xmax = 0 as is_first_run
  ), stored as (
    insert into event_inbox (size, websites, events)
    select $5, $6::bigint[], $7 from attempt where is_first_run and is_stored
  )
  select (select is_stored from attempt) as "isStored",
         extract(epoch from clock_timestamp())::float8 * 1000 as "databaseTimeMs",
         '{}'::bigint[] as duplicates`

/**
 * Like `insertSql`, but stores only events without an id or with a new one. Inserts the ids in order, so that batches with the same
 * ids can't deadlock.
 */
const insertWithIdsSql = `
  with website_state as (
    select coalesce(string_agg(id || ':' || xmin, ',' order by id), '') = $2 as is_current
      from websites
     where domain = any ($1) and not is_sample
  ), attempt as (
    insert into event_batches as known (key, is_stored)
    select $3::uuid, is_current
      from website_state
     where $4::float8 is null or extract(epoch from clock_timestamp()) * 1000 < $4
        on conflict (key) do update set is_stored = known.is_stored
    returning is_stored, xmax = 0 as is_first_run
  ), new_ids as (
    insert into event_ids as known (key, at)
    select key, $8::timestamptz
      from unnest($7::uuid[]) as sent (key) cross join attempt
     where is_first_run and is_stored and key is not null
     order by key
        on conflict (key) do update set at = excluded.at
     where known.at <= excluded.at - interval '${EVENT_ID_MINUTES} minutes'
    returning key
  ), stored as (
    insert into event_inbox (size, websites, events)
    select count(*), array_agg(distinct website_id), '[' || string_agg(event, ',' order by ordinal) || ']'
      from unnest($5::bigint[], $6::text[], $7::uuid[]) with ordinality as sent (website_id, event, key, ordinal)
     cross join attempt
     where is_first_run and is_stored and (key is null or key in (select key from new_ids))
    having count(*) > 0
  )
  select (select is_stored from attempt) as "isStored",
         extract(epoch from clock_timestamp())::float8 * 1000 as "databaseTimeMs",
         array(
           select ordinal - 1
             from unnest($7::uuid[]) with ordinality as sent (key, ordinal) cross join attempt
            where is_first_run and is_stored and key is not null and key not in (select key from new_ids)
         ) as duplicates`

/**
 * Stores the events as one row of the inbox. They are durable once the promise resolves. If a website has changed, stores nothing. So a
 * setting takes effect on every node as soon as it is saved, although nodes cache websites.
 */
export async function insertBatchOnce(
  db: Database,
  batch: EventBatch,
  { domains, versionsText }: WebsiteVersions,
): Promise<BatchResult> {
  const { key, events, eventKeys, now, deadlineMs } = batch
  const hasIds = eventKeys.some((eventKey) => eventKey !== null)
  const commonValues = [domains, versionsText, key, deadlineMs]
  const { size, websiteIds, text } = toBatchColumns(hasIds ? [] : events)
  const [row] = await db.queryRepeatable<{
    isStored: boolean | null
    duplicates: number[]
    databaseTimeMs: number
  }>(
    hasIds ? insertWithIdsSql : insertSql,
    hasIds
      ? [
          ...commonValues,
          numbersLiteral(events.map(({ websiteId }) => websiteId)),
          textsLiteral(events.map((event) => JSON.stringify(event))),
          textsLiteral(eventKeys),
          now,
        ]
      : [...commonValues, size, websiteIds, text],
  )
  const { isStored = null, duplicates = [], databaseTimeMs = 0 } = row ?? {}
  return { state: isStored === null ? 'late' : isStored ? 'stored' : 'outdated', duplicates, databaseTimeMs }
}

/**
 * Returns whether no website has changed. `insertBatchOnce` checks the same. This is for a batch that stores nothing,
 * because all its events were dropped.
 */
export async function areVersionsCurrent(q: Queries, { domains, versionsText }: WebsiteVersions): Promise<boolean> {
  const [row] = await q.query(
    `select coalesce(string_agg(id || ':' || xmin, ',' order by id), '') = $2 as is_current
       from websites
      where domain = any ($1) and not is_sample`,
    [domains, versionsText],
  )
  return row?.['is_current'] === true
}

/** Stores any number of events in one row and one commit. The events are durable once the promise resolves. */
export async function insertBatch(q: Queries, events: readonly TrafficEvent[]): Promise<void> {
  const { size, websiteIds, text } = toBatchColumns(events)
  await q.query('insert into event_inbox (size, websites, events) values ($1, $2, $3)', [size, websiteIds, text])
}

function toBatchColumns(events: readonly TrafficEvent[]) {
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

export interface BatchSelection {
  /** Selects only batches with a larger id. */
  afterId?: number
  /** Selects only batches that contain events of this website. */
  websiteId?: number | undefined
}

/** Reads the oldest batches until a limit is reached, but at least one batch. */
export async function readOldestBatches(
  q: Queries,
  { maxEvents, maxBytes }: BatchLimits,
  { afterId = 0, websiteId }: BatchSelection = {},
): Promise<InboxBatch[]> {
  return q.query<InboxBatch>(
    `select id, events
       from (select id,
                    events,
                    sum(size) over oldest_first - size as events_before,
                    sum(octet_length(events)) over oldest_first - octet_length(events) as bytes_before
               from event_inbox
              where fault is null and id > $4 and ($3::bigint is null or $3 = any (websites))
             window oldest_first as (order by id)
              order by id
              limit 1000) oldest
      where events_before < $1 and bytes_before < $2
      order by id`,
    [maxEvents, maxBytes, websiteId ?? null, afterId],
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
export async function markBatchFailed(q: Queries, id: number, fault: string): Promise<void> {
  await q.query('update event_inbox set fault = $2 where id = $1', [id, fault])
}

/** Stores events that cannot be rolled up, apart from those of their batch that can. */
export function insertFailedBatch(events: readonly TrafficEvent[], fault: string): Statement {
  const { size, websiteIds, text } = toBatchColumns(events)
  return {
    text: 'insert into event_inbox (size, websites, events, fault) values ($1, $2, $3, $4)',
    values: [size, websiteIds, text, fault],
  }
}

/** Runs at every start, because a new version may be able to roll up what an earlier one could not. */
export async function retryFailedBatches(q: Queries): Promise<void> {
  await q.query('update event_inbox set fault = null where fault is not null')
}

/**
 * The table stays small, but every batch leaves a dead row that each scan has to skip. VACUUM can't run in a
 * transaction, but `db` runs every query in one. So VACUUM needs a connection of its own.
 */
export async function vacuumInbox(db: Database): Promise<void> {
  await db.withConnection((client) => client.query('vacuum (skip_locked) event_inbox'))
}

/**
 * Deletes the ids in parts. The subquery becomes an array, so that PostgreSQL looks up its ids in the primary key
 * instead of reading the whole table.
 */
export async function deleteExpiredEventIds(q: Queries, now: Date): Promise<void> {
  await q.query(`delete from event_batches where at < now() - interval '${BATCH_MINUTES} minutes'`)
  let deletedCount: number
  do {
    const [deleted] = await q.batch({
      text: `delete from event_ids
              where key = any (array(select key
                                       from event_ids
                                      where at <= $1::timestamptz - interval '${EVENT_ID_MINUTES} minutes'
                                      order by at
                                      limit ${MAX_DELETED_IDS}))
                -- An event may have just reused an id, which must then stay. The subtraction keeps PostgreSQL from using the
                -- index on "at" instead of the primary key.
                and $1::timestamptz - at >= interval '${EVENT_ID_MINUTES} minutes'`,
      values: [now],
    })
    deletedCount = deleted?.count ?? 0
  } while (deletedCount === MAX_DELETED_IDS)
}
