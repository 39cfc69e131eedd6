/** Filters a list by tags: a menu with all tags, and the chosen ones as chips that can be removed. */
import { Tag, X } from 'lucide-preact'
import { useRef } from 'preact/hooks'
import { formatNumber } from '../lib/format.ts'
import { hasTag, type TagCount, toggleTag, withoutTag } from '../lib/tags.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Menu, MenuItem } from './menu.tsx'
import { TagDot } from './tag-list.tsx'
import './tags.css'

interface TagFilterProps {
  /** An entry must have all of these tags. */
  tags: readonly string[]
  onTags: (tags: string[]) => void
}

export function TagMenu({ tags, onTags, counts }: TagFilterProps & { counts: readonly TagCount[] }) {
  if (counts.length === 0) return null
  return (
    <div class="tag-menu">
      <Menu icon={Tag} label={<span>Tags</span>} name="Tags" align="end">
        {counts.map(({ tag, count }) => (
          <MenuItem key={tag} isToggle isChecked={hasTag(tags, tag)} onSelect={() => onTags(toggleTag(tags, tag))}>
            <TagDot tag={tag} /> {tag}
            <span class="tag-menu-count">{formatNumber(count)}</span>
          </MenuItem>
        ))}
      </Menu>
    </div>
  )
}

export function ChosenTags({ tags, onTags }: TagFilterProps) {
  const container = useRef<HTMLDivElement>(null)
  if (tags.length === 0) return null
  // The focused chip is removed, so move the focus to another chip or else to the tag menu.
  const change = (next: string[]) => {
    onTags(next)
    requestAnimationFrame(() => {
      const remainingChip = container.current?.querySelector<HTMLElement>('button')
      ;(remainingChip ?? document.querySelector<HTMLElement>('.tag-menu [aria-haspopup]'))?.focus()
    })
  }
  return (
    <div ref={container} class="tag-filters">
      <span class="muted small">Tagged</span>
      {tags.map((tag) => (
        <button key={tag} type="button" class="chip chip-filter" onClick={() => change(withoutTag(tags, tag))}>
          <span class="hidden-text">Remove filter </span>
          <TagDot tag={tag} />
          <span class="clip">{tag}</span>
          <Icon icon={X} size={14} />
        </button>
      ))}
      {tags.length > 1 && (
        <Button kind="quiet" small onClick={() => change([])}>
          Clear all
        </Button>
      )}
    </div>
  )
}
