/** Tags as small chips, each with a dot in the colour of the tag. */
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { withQuery } from '../lib/api.ts'
import { getTagColor } from '../lib/tags.ts'
import { Tooltip } from './tooltip.tsx'
import './tags.css'

export const TagDot = ({ tag }: { tag: string }) => (
  <span class={`tag-dot tag-color-${getTagColor(tag)}`} aria-hidden="true" />
)

interface TagListProps {
  tags: readonly string[]
  /** How many tags are shown. A number stands for the others, such as "+3". */
  max?: number
  /** Makes each tag a button that shows only entries with this tag. */
  onFilter?: ((tag: string) => void) | undefined
  /** Shown before the tags. */
  children?: ComponentChildren
}

/**
 * In a list of rows, the buttons are for the mouse only. Otherwise keyboard and screen reader users would have to step
 * through the tags of every row. They can use the tag menu above the list.
 */
export function TagList({ tags, max = tags.length, onFilter, children }: TagListProps) {
  const shownTags = tags.slice(0, max)
  const hiddenTags = tags.slice(shownTags.length)
  if (tags.length === 0 && !children) return null
  return (
    <span class="tags">
      {children}
      {shownTags.map((tag) =>
        onFilter ? (
          <button
            key={tag}
            type="button"
            class="chip"
            tabIndex={-1}
            title={`Filter by tag ${tag}`}
            onClick={(event) => {
              event.stopPropagation()
              onFilter(tag)
            }}
          >
            <TagDot tag={tag} />
            <span class="clip">{tag}</span>
          </button>
        ) : (
          <span key={tag} class="chip">
            <TagDot tag={tag} />
            <span class="clip">{tag}</span>
          </span>
        ),
      )}
      {hiddenTags.length > 0 && (
        <Tooltip content={hiddenTags.join(', ')} class="tags-more">
          <span class="chip">
            +{hiddenTags.length}
            <span class="hidden-text"> tags: {hiddenTags.join(', ')}</span>
          </span>
        </Tooltip>
      )}
    </span>
  )
}

/** Each tag links to the list of the monitors that have it. */
export function TagLinks({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null
  return (
    <ul class="tags" aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag}>
          <Link href={withQuery('/monitors', { tag })} class="chip">
            <TagDot tag={tag} />
            <span class="clip">{tag}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
