import { useRef } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { type Filter, filteredValue, filterText, toggleFilter } from './filters.ts'
import { nameValue, panelWords } from './panel-labels.ts'

interface FilterChipsProps {
  filters: readonly Filter[]
  onChange: (filters: Filter[]) => void
}

export function FilterChips({ filters, onChange }: FilterChipsProps) {
  const place = useRef<HTMLDivElement>(null)
  /** The chip with the focus is about to go; another one, or whatever stands before them, takes it. */
  const change = (next: Filter[]) => {
    onChange(next)
    requestAnimationFrame(() => {
      const rest = place.current?.querySelector<HTMLElement>('button')
      ;(rest ?? document.querySelector<HTMLElement>('.website-period'))?.focus()
    })
  }
  return (
    <div ref={place} class="website-chips">
      {filters.length > 0 && (
        <ul aria-label="Filters">
          {filters.map((filter) => (
            <li key={filterText(filter)}>
              <Chip filter={filter} onRemove={() => change(toggleFilter(filters, filter))} />
            </li>
          ))}
        </ul>
      )}
      {filters.length > 1 && (
        <Button kind="quiet" small onClick={() => change([])}>
          Clear all
        </Button>
      )}
    </div>
  )
}

function Chip({ filter, onRemove }: { filter: Filter; onRemove: () => void }) {
  const value = nameValue(filter.name, filteredValue(filter))
  return (
    <button type="button" class="website-chip" title={value} onClick={onRemove}>
      <span class="hidden-text">Remove the filter </span>
      <span class="muted">{panelWords[filter.name].one}:</span> <span class="clip">{value}</span>
      <span aria-hidden="true">✕</span>
    </button>
  )
}
