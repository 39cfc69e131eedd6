/** How requests and responses contain tags. */
import { Type } from '../lib/type.ts'
import { MAX_TAG_LENGTH, MAX_TAGS } from '../shared/tags.ts'

const description = `Up to ${MAX_TAGS} tags of up to ${MAX_TAG_LENGTH} characters. Tags that differ only in case are the same tag.`

/** The length of a tag is checked after trimming, so this limit is larger. */
export const TagsInput = Type.Array(Type.String({ maxLength: 10 * MAX_TAG_LENGTH }), {
  maxItems: 10 * MAX_TAGS,
  description,
  examples: [['production', 'shop']],
})

export const TagsRecord = Type.Array(Type.String(), { description, examples: [['production', 'shop']] })

/** A repeatable query parameter. */
export const TagQuery = Type.Array(Type.String({ minLength: 1, maxLength: 10 * MAX_TAG_LENGTH }), {
  minItems: 1,
  maxItems: MAX_TAGS,
  description: 'Only entries with this tag, ignoring case. The parameter can be repeated: all tags must match.',
  examples: [['production']],
})
