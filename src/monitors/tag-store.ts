/** SQL for the tags of many monitors. */
import type { Queries } from '../storage/client.ts'

/** Returns the monitors that exist. All transactions lock monitors in the same order, which prevents deadlocks. */
export function lockTags(q: Queries, ids: readonly number[]): Promise<{ id: number; tags: string[] }[]> {
  return q.query<{ id: number; tags: string[] }>(
    `select id, tags
       from monitors
      where user_id = caller_id() and id = any ($1)
      order by id
        for no key update`,
    [ids],
  )
}

interface TaggedMonitor {
  id: number
  tags: readonly string[]
  /** The tags, folded to one case. */
  tagKeys: readonly string[]
}

/** Sends the tags as JSON, because PostgreSQL's arrays of arrays need rows of equal length. */
export async function updateTags(q: Queries, monitors: readonly TaggedMonitor[], now: Date): Promise<void> {
  if (monitors.length === 0) return
  await q.query(
    `update monitors m
        set tags = array(select jsonb_array_elements_text(changed.tags)),
            tag_keys = array(select jsonb_array_elements_text(changed."tagKeys")),
            updated_at = $2
       from jsonb_to_recordset($1) as changed (id bigint, tags jsonb, "tagKeys" jsonb)
      where m.user_id = caller_id() and m.id = changed.id`,
    [JSON.stringify(monitors), now],
  )
}
