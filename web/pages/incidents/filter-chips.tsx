/** The active filters as chips. A click removes one. */
import { X } from 'lucide-preact'
import { useRef } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { TagDot } from '../../components/tag-list.tsx'
import { toDisplayHost } from '../../lib/address.ts'
import { causeTexts } from '../../lib/causes.ts'
import type { Overview } from '../../lib/queries.ts'
import { withoutTag } from '../../lib/tags.ts'
import { type ChangeIncidentFilters, type IncidentFilters, noIncidentFilters } from './filters.ts'

interface FilterChipsProps {
  filters: IncidentFilters
  monitors: Overview['monitors']
  websites: Overview['websites']
  onChange: ChangeIncidentFilters
}

interface Chip {
  name: string
  label: string
  tag?: string
  /** The change that removes the filter. */
  removal: Partial<IncidentFilters>
}

function listChips({ filters, monitors, websites }: Omit<FilterChipsProps, 'onChange'>): Chip[] {
  const { cause, monitorId, websiteId, tags } = filters
  const chips: Chip[] = []
  if (cause !== undefined) chips.push({ name: 'Cause', label: causeTexts[cause].title, removal: { cause: undefined } })
  if (monitorId !== undefined) {
    // The monitor was deleted, or the overview has not arrived yet.
    const label = monitors.find(({ id }) => id === monitorId)?.friendly_name ?? `#${monitorId}`
    chips.push({ name: 'Monitor', label, removal: { monitorId: undefined } })
  }
  if (websiteId !== undefined) {
    const domain = websites.find(({ id }) => id === websiteId)?.domain
    const label = domain === undefined ? `#${websiteId}` : toDisplayHost(domain)
    chips.push({ name: 'Website', label, removal: { websiteId: undefined } })
  }
  for (const tag of tags) chips.push({ name: 'Tag', label: tag, tag, removal: { tags: withoutTag(tags, tag) } })
  return chips
}

export function IncidentFilterChips({ onChange, ...lists }: FilterChipsProps) {
  const container = useRef<HTMLDivElement>(null)
  const chips = listChips(lists)
  if (chips.length === 0) return null
  // The focused chip is removed, so move the focus to another chip or else to the first filter.
  const change = (removal: Partial<IncidentFilters>) => {
    onChange(removal)
    requestAnimationFrame(() => {
      const remainingChip = container.current?.querySelector<HTMLElement>('button')
      ;(remainingChip ?? document.querySelector<HTMLElement>('.incidents-filters button'))?.focus()
    })
  }
  const { state, period } = lists.filters
  return (
    <div ref={container} class="incidents-chips">
      <ul aria-label="Filters">
        {chips.map(({ name, label, tag, removal }) => (
          <li key={`${name}:${label}`}>
            <button type="button" class="chip chip-filter" title={label} onClick={() => change(removal)}>
              <span class="hidden-text">Remove filter </span>
              <span class="muted">{name}:</span> {tag !== undefined && <TagDot tag={tag} />}
              <span class="clip">{label}</span>
              <Icon icon={X} size={14} />
            </button>
          </li>
        ))}
      </ul>
      {chips.length > 1 && (
        <Button kind="quiet" small onClick={() => change({ ...noIncidentFilters, state, period })}>
          Clear all
        </Button>
      )}
    </div>
  )
}
