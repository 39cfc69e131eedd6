/** Adds tags to many monitors, or removes tags from them. */
import { FieldParser } from '../lib/field-parser.ts'
import { invalid } from '../lib/problem.ts'
import { MAX_TAGS } from '../shared/tags.ts'
import type { Queries } from '../storage/client.ts'
import { addTags, parseTags, removeTags, toTagKeys } from '../tags/tags.ts'
import { lockTags, updateTags } from './tag-store.ts'

/** Call this in a transaction. Returns the ids that exist. */
export async function changeTags(
  q: Queries,
  {
    ids,
    action,
    tags: sentTags,
  }: { ids: readonly number[]; action: 'add_tags' | 'remove_tags'; tags: readonly string[] | undefined },
  now: Date,
): Promise<number[]> {
  const parser = new FieldParser()
  const tags = parser.parse('tags', sentTags, parseTags) ?? []
  if (sentTags === undefined) parser.addErrors('tags', [`is required for the action ${action}`])
  parser.throwIfInvalid()
  const change = action === 'add_tags' ? addTags : removeTags
  const monitors = await lockTags(q, ids)
  const changedMonitors = monitors
    .map(({ id, tags: current }) => ({ id, current, tags: change(current, tags) }))
    .filter(({ current, tags }) => current.length !== tags.length)
    .map(({ id, tags }) => ({ id, tags, tagKeys: toTagKeys(tags) }))
  const tooMany = changedMonitors.find(({ tags }) => tags.length > MAX_TAGS)
  if (tooMany !== undefined) {
    throw invalid({ tags: [`Monitor ${tooMany.id} would have more than ${MAX_TAGS} tags. Nothing was changed.`] })
  }
  await updateTags(q, changedMonitors, now)
  return monitors.map(({ id }) => id)
}
