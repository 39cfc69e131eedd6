/** SQL for the list of a heartbeat's beats. */
import { MAX_LISTED_BEATS } from '../shared/monitors.ts'
import type { Queries } from '../storage/transaction.ts'
import type { ProcessedBeat } from './beats.ts'

export interface LastOutput {
  text: string
  at: Date
}

/** Reads the latest beats that have been processed, and the output of the latest beat that had one, processed or not. */
export async function readProcessedBeats(
  q: Queries,
  monitorId: number,
): Promise<{ beats: ProcessedBeat[]; lastOutput: LastOutput | undefined }> {
  const [beats, outputs] = await q.batch(
    {
      text: `select id, received_at as "receivedAt", kind, exit_code as "exitCode", is_failure as "isFailure",
                    duration_ms as "durationMs"
               from beats
              where user_id = own_team() and monitor_id = $1
              order by id desc
              limit $2`,
      values: [monitorId, MAX_LISTED_BEATS],
    },
    {
      text: `select text, at
               from (select output as text, received_at as at, id
                       from beat_inbox
                      where user_id = own_team() and monitor_id = $1 and output is not null
                      union all
                     select last_output, last_output_at, 0
                       from heartbeats
                      where user_id = own_team() and monitor_id = $1 and last_output is not null) outputs
              order by at desc, id desc
              limit 1`,
      values: [monitorId],
    },
  )
  return { beats: (beats?.rows ?? []) as ProcessedBeat[], lastOutput: outputs?.rows[0] as LastOutput | undefined }
}

/**
 * Deletes beats that no check will process, because their monitor was deleted or paused, or is no longer a heartbeat. Beats of an
 * active heartbeat stay, however long no node has run checks.
 */
export async function deleteAbandonedBeats(q: Queries, before: Date): Promise<void> {
  await q.query(
    `delete from beat_inbox i
      where i.received_at < $1
        and not exists (
          select from monitors m
           where m.user_id = i.user_id and m.id = i.monitor_id and m.type = 'heartbeat' and m.status <> 'paused'
        )`,
    [before],
  )
}
