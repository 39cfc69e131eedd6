/**
 * SQL that reads the visits of watched websites, across users. `visits` has a partition for each month, so every query limits the
 * day. The visits of days that are over are in blocks, where only few questions look for them.
 */
import { addMs } from '../../lib/clock.ts'
import { DAY_MS, HOUR_MS } from '../../shared/time.ts'
import { numbersLiteral } from '../../storage/array-literal.ts'
import type { Database } from '../../storage/database.ts'
import type { Queries, TransactionQueries } from '../../storage/transaction.ts'
import { findWebsitesWithStarts, readVisitStarts } from '../../traffic/blocks/visit-starts-store.ts'
import { VISIT_SLOT_MS } from '../../traffic/model/visit-slots.ts'

export interface SlotVisits {
  websiteId: number
  /** Number of slots since 1970. */
  slot: number
  visits: number
  lastVisitAt: Date
}

/** Days are packed 13 hours after midnight UTC, when they have been over for at least an hour in every time zone. */
const MIN_BLOCK_AGE_MS = HOUR_MS

interface CountedWebsite {
  id: number
  /** Milliseconds since 1970. */
  from: number
}

/** Counts the visits that began at `from` or later, but not after `now`, for each slot that has any. */
export async function countVisitsBySlot(
  db: Database,
  websites: readonly CountedWebsite[],
  now: Date,
): Promise<SlotVisits[]> {
  const slots = await countRowsBySlot(db, websites, now)
  // Only a node that was suspended has to count earlier visits.
  const firstBlockFree = now.getTime() - MIN_BLOCK_AGE_MS
  const earlierWindows = websites
    .filter(({ from }) => from < firstBlockFree)
    .map(({ id, from }) => ({ id, from: new Date(from), to: addMs(now, 1) }))
  if (earlierWindows.length === 0) return slots
  const idsWithBlocks = await findWebsitesWithStarts(db, earlierWindows)
  const otherSlots = slots.filter(({ websiteId }) => !idsWithBlocks.has(websiteId))
  for (const { id, from } of websites) {
    if (!idsWithBlocks.has(id)) continue
    otherSlots.push(...(await db.snapshot((q) => countStoredVisitsBySlot(q, { id, from }, now))))
  }
  return otherSlots
}

/**
 * The first part of the statement converts the times, because under row level security, PostgreSQL uses no index for a
 * condition that calls a function.
 */
async function countRowsBySlot(q: Queries, websites: readonly CountedWebsite[], now: Date): Promise<SlotVisits[]> {
  const firstFrom = Math.min(...websites.map(({ from }) => from))
  return q.query<SlotVisits & Record<string, unknown>>(
    `with websites as materialized (
       select id, to_timestamp(from_ms * 0.001) as since from unnest($1::bigint[], $2::float8[]) w (id, from_ms)
     )
     select w.id as "websiteId", floor(extract(epoch from v.started_at)::float8 / 300)::int as slot, count(*)::int as visits,
            max(v.started_at) as "lastVisitAt"
       from websites w
       join visits v on v.website_id = w.id and v.started_at >= w.since and v.started_at <= $3 and v.day >= $4
      group by 1, 2`,
    [
      numbersLiteral(websites.map(({ id }) => id)),
      numbersLiteral(websites.map(({ from }) => from)),
      now,
      new Date(firstFrom - DAY_MS).toISOString().slice(0, 10),
    ],
  )
}

/** Counts rows and blocks. */
async function countStoredVisitsBySlot(
  q: TransactionQueries,
  website: CountedWebsite,
  now: Date,
): Promise<SlotVisits[]> {
  const slots = new Map((await countRowsBySlot(q, [website], now)).map((slot) => [slot.slot, slot]))
  const window = { from: new Date(website.from), to: addMs(now, 1) }
  for await (const { startedAt } of readVisitStarts(q, website.id, [window], 'hostname')) {
    for (const at of startedAt) {
      const slot = Math.floor(at / VISIT_SLOT_MS)
      const { visits = 0, lastVisitAt } = slots.get(slot) ?? {}
      const lastAt = new Date(Math.max(at, lastVisitAt?.getTime() ?? 0))
      slots.set(slot, { websiteId: website.id, slot, visits: visits + 1, lastVisitAt: lastAt })
    }
  }
  return [...slots.values()]
}

/**
 * Returns the last visit of each website since `from`, but not after `to`. Websites without a visit are left out.
 *
 * Blocks store when their last visit began. If a day also has rows, what its blocks store may be outdated: then they are decoded, unless
 * another visit is later anyway.
 */
export async function readLastVisits(
  db: Database,
  websiteIds: readonly number[],
  from: Date,
  to: Date | 'infinity',
): Promise<Map<number, Date>> {
  const rows = await db.query<{ id: number; last: Date | null; outdated_last: Date | null }>(
    `select w.id, greatest(v.started_at, b.last) as last, b.outdated_last
       from unnest($1::bigint[]) w (id)
       left join lateral (
         select started_at
           from visits
          where website_id = w.id and started_at between $2 and $3 and day >= ($2 at time zone 'UTC')::date - 1
          order by started_at desc
          limit 1
       ) v on true
      cross join lateral (
        select max(b.last_started_at) filter (where d.is_packed) as last,
               max(b.last_started_at) filter (where not d.is_packed) as outdated_last
          from traffic_blocks b
          join traffic_days d on d.website_id = w.id and d.day = b.day
         where b.website_id = w.id and b.day >= ($2 at time zone 'UTC')::date - 1 and b.last_started_at between $2 and $3
      ) b`,
    [numbersLiteral(websiteIds), from, to],
  )
  const lastVisits = new Map<number, Date>()
  for (const { id, last, outdated_last: outdatedLast } of rows) {
    const isOutdated = outdatedLast !== null && (last === null || outdatedLast > last)
    const decodedLast = isOutdated
      ? await db.snapshot((q) => findLastStart(q, id, { from: last ?? from, to: addMs(outdatedLast, 1) }))
      : undefined
    const lastVisit = decodedLast ?? last
    if (lastVisit !== null) lastVisits.set(id, lastVisit)
  }
  return lastVisits
}

export async function hasVisitAfter(db: Database, websiteId: number, since: Date): Promise<boolean> {
  const lastVisits = await readLastVisits(db, [websiteId], addMs(since, 1), 'infinity')
  return lastVisits.has(websiteId)
}

async function findLastStart(
  q: TransactionQueries,
  websiteId: number,
  window: { from: Date; to: Date },
): Promise<Date | undefined> {
  let last = Number.NEGATIVE_INFINITY
  for await (const { startedAt } of readVisitStarts(q, websiteId, [window], 'hostname'))
    for (const at of startedAt) if (at > last) last = at
  return last === Number.NEGATIVE_INFINITY ? undefined : new Date(last)
}

export interface VisitsAfterSilence {
  visits: number
  firstVisitAt: Date
}

interface Silence {
  id: number
  silentAfter: Date
}

/** Counts the visits since each silence began. Websites without a visit are left out. */
export async function countVisitsAfterSilences(
  db: Database,
  silences: readonly Silence[],
  now: Date,
): Promise<Map<number, VisitsAfterSilence>> {
  const visitsAfter = await countRowsAfterSilences(db, silences, now)
  const windows = silences.map(({ id, silentAfter }) => ({ id, from: addMs(silentAfter, 1), to: addMs(now, 1) }))
  const idsWithBlocks = await findWebsitesWithStarts(db, windows)
  for (const silence of silences) {
    if (!idsWithBlocks.has(silence.id)) continue
    const visits = await db.snapshot((q) => countStoredVisitsAfterSilence(q, silence, now))
    if (visits !== undefined) visitsAfter.set(silence.id, visits)
  }
  return visitsAfter
}

async function countRowsAfterSilences(
  q: Queries,
  silences: readonly Silence[],
  now: Date,
): Promise<Map<number, VisitsAfterSilence>> {
  const rows = await q.query<VisitsAfterSilence & { id: number }>(
    `select w.id, v.visits, v."firstVisitAt"
       from unnest($1::bigint[], $2::timestamptz[]) w (id, silent_after)
      cross join lateral (
        select count(*)::int as visits, min(started_at) as "firstVisitAt"
          from visits
         where website_id = w.id and started_at > w.silent_after and started_at <= $3
           and day >= (w.silent_after at time zone 'UTC')::date - 1
      ) v
      where v.visits > 0`,
    [numbersLiteral(silences.map(({ id }) => id)), silences.map(({ silentAfter }) => silentAfter), now],
  )
  return new Map(rows.map(({ id, ...after }) => [id, after]))
}

/** Counts rows and blocks. */
async function countStoredVisitsAfterSilence(
  q: TransactionQueries,
  silence: Silence,
  now: Date,
): Promise<VisitsAfterSilence | undefined> {
  const rowVisits = (await countRowsAfterSilences(q, [silence], now)).get(silence.id)
  let visits = rowVisits?.visits ?? 0
  let first = rowVisits?.firstVisitAt.getTime() ?? Number.POSITIVE_INFINITY
  const window = { from: addMs(silence.silentAfter, 1), to: addMs(now, 1) }
  for await (const { startedAt } of readVisitStarts(q, silence.id, [window], 'hostname')) {
    visits += startedAt.length
    for (const at of startedAt) if (at < first) first = at
  }
  return visits === 0 ? undefined : { visits, firstVisitAt: new Date(first) }
}

export interface TopSource {
  source: string
  visits: number
}

/** Returns the source of the most visits that began from `from` on and before `to`. */
export async function findTopSource(
  db: Database,
  websiteId: number,
  from: Date,
  to: Date,
): Promise<TopSource | undefined> {
  return db.snapshot(async (q) => {
    const visitsBySource = await countVisitsBySource(q, websiteId, { from, to })
    const [top] = [...visitsBySource].sort(([, visits], [, otherVisits]) => otherVisits - visits)
    if (top === undefined) return undefined
    const [sourceId, visits] = top
    const [row] = await q.query<{ source: string }>(
      'select value as source from traffic_values where website_id = $1 and id = $2',
      [websiteId, sourceId],
    )
    return row && { source: row.source, visits }
  })
}

/** Returns the number of visits by the id of their source. 0 stands for unknown sources. */
async function countVisitsBySource(
  q: TransactionQueries,
  websiteId: number,
  window: { from: Date; to: Date },
): Promise<Map<number, number>> {
  const rows = await q.query<{ source_id: number; visits: number }>(
    `select coalesce(source, 0) as source_id, count(*)::int as visits
       from visits
      where website_id = $1 and started_at >= $2 and started_at < $3 and day >= ($2 at time zone 'UTC')::date - 1
      group by source
      order by visits desc, source`,
    [websiteId, window.from, window.to],
  )
  const visitsBySource = new Map(rows.map(({ source_id, visits }) => [source_id, visits]))
  for await (const { valueIds } of readVisitStarts(q, websiteId, [window], 'source'))
    for (const id of valueIds) visitsBySource.set(id, (visitsBySource.get(id) ?? 0) + 1)
  return visitsBySource
}
