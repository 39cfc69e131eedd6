/**
 * SQL for noticing when no node was able to store beats, because none was running or the database was unavailable. It uses only
 * PostgreSQL's clock, so the nodes' clocks may differ.
 */
import type { Queries } from '../storage/transaction.ts'
import type { ReceivingOutage } from './evaluate.ts'

/**
 * Nodes with the role `web` call this every two seconds. Without a call for five seconds, beats may have been lost, and
 * events of websites, too. `collection_gaps` keeps these periods, so that missing visits in them don't count as a stop.
 * Two nodes that end the same outage at the same time read the same `receiving_until`, so only one of them stores the
 * gap. A restored backup has no `beat_reception`: its gap begins on the last day with visits.
 */
export async function recordReceiving(q: Queries): Promise<void> {
  await q.query(
    `with gap as (
       insert into collection_gaps (started_at, ended_at)
       select receiving_until, now() from beat_reception where receiving_until < now() - interval '5 seconds'
        union all
       select max(day)::timestamptz, now() from traffic_days where not exists (select from beat_reception)
       having max(day)::timestamptz < now()
       on conflict do nothing
     )
     insert into beat_reception as r (receiving_until)
     values (now())
     on conflict (only_row) do update
       set outage_from = case when r.receiving_until < now() - interval '5 seconds' then r.receiving_until else r.outage_from end,
           outage_until = case when r.receiving_until < now() - interval '5 seconds' then now() else r.outage_until end,
           receiving_until = greatest(r.receiving_until, now())`,
  )
}

/** Keeps more than a year, because the replay of traffic alerts reads the gaps of a year. */
export async function deleteOldCollectionGaps(q: Queries, now: Date): Promise<void> {
  await q.query(`delete from collection_gaps where ended_at < $1::timestamptz - interval '400 days'`, [now])
}

export async function findLastOutage(q: Queries): Promise<ReceivingOutage | null> {
  const [row] = await q.query<{ from: Date; until: Date }>(
    'select outage_from as "from", outage_until as "until" from beat_reception where outage_until is not null',
  )
  return row ?? null
}
