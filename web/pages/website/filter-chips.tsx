import { X } from 'lucide-preact'
import { useRef } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { ValueIcon } from '../../components/value-icon.tsx'
import { formatFilter, type TrafficFilter, toggleFilter, unescapePattern } from './filters.ts'
import { formatPanelValue, panelLabels } from './panel-labels.ts'
import { useRegionNames } from './use-region-names.ts'

interface FilterChipsProps {
  filters: readonly TrafficFilter[]
  onChange: (filters: TrafficFilter[]) => void
}

export function FilterChips({ filters, onChange }: FilterChipsProps) {
  const container = useRef<HTMLDivElement>(null)
  useRegionNames(filters.some(({ name }) => name === 'region'))
  // The focused chip is removed, so move the focus to another chip or else to the period picker.
  const change = (next: TrafficFilter[]) => {
    onChange(next)
    requestAnimationFrame(() => {
      const remainingChip = container.current?.querySelector<HTMLElement>('button')
      ;(remainingChip ?? document.querySelector<HTMLElement>('.website-period [aria-haspopup]'))?.focus()
    })
  }
  return (
    <div ref={container} class="website-chips">
      {filters.length > 0 && (
        <ul aria-label="Filters">
          {filters.map((filter) => (
            <li key={formatFilter(filter)}>
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

function Chip({ filter, onRemove }: { filter: TrafficFilter; onRemove: () => void }) {
  const value = unescapePattern(filter)
  const label = formatPanelValue(filter.name, value)
  return (
    <button type="button" class="website-chip" title={label} onClick={onRemove}>
      <span class="hidden-text">Remove filter </span>
      <span class="muted">{panelLabels[filter.name].singular}:</span> <ValueIcon panel={filter.name} value={value} />
      <span class="clip">{label}</span>
      <Icon icon={X} size={14} />
    </button>
  )
}
