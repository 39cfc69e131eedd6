/** Tags of monitors and websites. Tags that differ only in case are the same tag, as on the server. */
import { useMemo } from 'preact/hooks'
import { MAX_TAGS } from '../../src/shared/tags.ts'
import { type OverviewMonitor, type OverviewWebsite, useOverview } from './queries.ts'

/** The number of colours in tokens.css. */
const TAG_COLOR_COUNT = 6

/** Tags with the same key are the same tag. */
export const toTagKey = (tag: string) => tag.trim().normalize('NFC').toLowerCase()

export const hasTag = (tags: readonly string[], tag: string) => tags.some((each) => toTagKey(each) === toTagKey(tag))

/** Whether `tags` contains all of `wanted`. */
export const hasAllTags = (tags: readonly string[], wanted: readonly string[]) =>
  wanted.every((tag) => hasTag(tags, tag))

/** Appends those of `added` that `tags` doesn't contain yet. */
export function mergeTags(tags: readonly string[], added: readonly string[]): string[] {
  const merged = [...tags]
  for (const tag of added) if (!hasTag(merged, tag)) merged.push(tag)
  return merged
}

/** Adds the tags of a text with commas, up to `MAX_TAGS`. `rest` has the tags that were not added. */
export function addTagsFromText(tags: readonly string[], text: string): { tags: string[]; rest: string } {
  const typedTags = text
    .split(/[,\n]/)
    .map((tag) => tag.trim())
    .filter(Boolean)
  const merged = mergeTags(tags, typedTags)
  return { tags: merged.slice(0, MAX_TAGS), rest: merged.slice(MAX_TAGS).join(', ') }
}

export const withoutTag = (tags: readonly string[], removed: string) =>
  tags.filter((tag) => toTagKey(tag) !== toTagKey(removed))

export const toggleTag = (tags: readonly string[], tag: string) =>
  hasTag(tags, tag) ? withoutTag(tags, tag) : [...tags, tag]

/**
 * Returns the number of a tag's colour, starting at 1. A tag has the same colour everywhere, because the number depends
 * only on the text.
 */
export function getTagColor(tag: string): number {
  // The hash is FNV-1a, followed by a step that mixes the upper bits into the lower ones, so that similar words get
  // different colours.
  let hash = 0x811c9dc5
  for (const character of toTagKey(tag)) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (((hash ^ (hash >>> 13)) >>> 0) % TAG_COLOR_COUNT) + 1
}

export interface TagCount {
  tag: string
  count: number
}

type Tagged = Pick<OverviewMonitor | OverviewWebsite, 'tags'>

/** Returns the tags sorted by name. If records spell a tag differently, the first spelling is used. */
export function countTags(records: Iterable<Tagged>): TagCount[] {
  const countByKey = new Map<string, TagCount>()
  for (const { tags } of records) {
    for (const tag of tags) {
      const tagCount = countByKey.get(toTagKey(tag))
      if (tagCount === undefined) countByKey.set(toTagKey(tag), { tag, count: 1 })
      else tagCount.count += 1
    }
  }
  return [...countByKey.values()].sort((a, b) => a.tag.localeCompare(b.tag))
}

/** Suggestions needn't be up to date. */
const SUGGESTIONS_STALE_MS = 300_000

/** All tags of the user's monitors and websites. Empty until they have arrived. */
export function useKnownTags(): readonly TagCount[] {
  const { data } = useOverview({ staleTime: SUGGESTIONS_STALE_MS })
  return useMemo(() => (data === undefined ? [] : countTags([...data.monitors, ...data.websites])), [data])
}
