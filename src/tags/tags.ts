/** Tags of monitors, websites and maintenances. Tags that differ only in case are the same tag. */
import { type ParseResult, parseDisplayName } from '../lib/field-parser.ts'
import { foldCase } from '../lib/text.ts'
import { MAX_TAG_LENGTH, MAX_TAGS } from '../shared/tags.ts'

/** Folds a tag to the spelling that is compared. */
export const toTagKey = (tag: string) => foldCase(tag.trim())

export const toTagKeys = (tags: readonly string[]) => tags.map(toTagKey)

/** Keeps the order and the spelling. */
export function parseTags(input: readonly string[]): ParseResult<string[]> {
  if (input.length > MAX_TAGS) return { errors: [`must have at most ${MAX_TAGS} entries`] }
  const tags: string[] = []
  const keys = new Set<string>()
  for (const text of input) {
    const result = parseTag(text)
    if ('errors' in result) return result
    const key = toTagKey(result.value)
    if (keys.has(key)) return { errors: [`must not contain the same tag twice: ${result.value}`] }
    keys.add(key)
    tags.push(result.value)
  }
  return { value: tags }
}

function parseTag(text: string): ParseResult<string> {
  const result = parseDisplayName(text)
  if ('errors' in result) return { errors: ['must contain only tags that are one line and not empty'] }
  if (result.value.length > MAX_TAG_LENGTH) {
    return { errors: [`must contain only tags of at most ${MAX_TAG_LENGTH} characters`] }
  }
  return result
}

/** Appends the tags that are missing. */
export function addTags(current: readonly string[], added: readonly string[]): string[] {
  const keys = new Set(toTagKeys(current))
  return [...current, ...added.filter((tag) => !keys.has(toTagKey(tag)))]
}

export function removeTags(current: readonly string[], removed: readonly string[]): string[] {
  const keys = new Set(toTagKeys(removed))
  return current.filter((tag) => !keys.has(toTagKey(tag)))
}
