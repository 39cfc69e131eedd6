/**
 * SQL that stores a batch of events once, even if it runs several times. Every batch has a random key, which is stored in the same
 * transaction. So after the loss of a connection, a second run finds out whether the first one was committed, waits for it if it is
 * still running, and stores the events if it was not.
 */
import { numbersLiteral, textsLiteral } from '../../storage/array-literal.ts'
import type { Queries } from '../../storage/client.ts'
import type { Database } from '../../storage/database.ts'
import { toBatchColumns } from '../inbox/store.ts'
import type { TrafficEvent } from '../model/event.ts'
import type { WebsiteVersions } from './website/website-store.ts'

/** The contract of the event API: an id counts once within this time. */
const EVENT_ID_MINUTES = 10
/** Longer than any attempt to store a batch can take. */
const BATCH_MINUTES = 5
/** Limits how long a deletion takes. */
const MAX_DELETED_IDS = 10_000

export interface EventBatch {
  /** A random UUID. */
  key: string
  events: readonly TrafficEvent[]
  /** For each event, the hash of its id as a UUID, or null. No hash occurs twice. */
  eventKeys: readonly (string | null)[]
  /** From this time on, the ids of the events count for ten minutes. */
  now: Date
  /** Milliseconds since 1970 by PostgreSQL's clock: nothing is stored after it. null if PostgreSQL's time is not known yet. */
  deadlineMs: number | null
}

export interface BatchResult {
  /** `outdated`: a website has changed, and nothing was stored. `late`: the deadline has passed, and nothing was stored. */
  state: 'stored' | 'outdated' | 'late'
  /** The indexes of events that are not stored, because an event with the same id was stored before. */
  duplicates: readonly number[]
  /** PostgreSQL's time, in milliseconds since 1970. */
  databaseTimeMs: number
}

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
        -- An earlier run has decided. This waits for its end, and returns its result.
        on conflict (key) do update set is_stored = known.is_stored
    -- xmax is 0 in a row that was inserted, and not in one that was updated.
    returning is_stored, xmax = 0 as is_first_run
  ), stored as (
    insert into event_inbox (size, websites, events)
    select $5, $6::bigint[], $7 from attempt where is_first_run and is_stored
  )
  select (select is_stored from attempt) as "isStored",
         extract(epoch from clock_timestamp())::float8 * 1000 as "databaseTimeMs",
         '{}'::bigint[] as duplicates`

/** Stores only events without an id or with a new one. Inserts the ids in order, so that batches with the same ids can't deadlock. */
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

/** With the array, PostgreSQL looks up the ids in the primary key. It would otherwise read the whole table for each part of them. */
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
                -- Another event may have just got the same id. Written so that the index on "at" can't be used a second time.
                and $1::timestamptz - at >= interval '${EVENT_ID_MINUTES} minutes'`,
      values: [now],
    })
    deletedCount = deleted?.count ?? 0
  } while (deletedCount === MAX_DELETED_IDS)
}
