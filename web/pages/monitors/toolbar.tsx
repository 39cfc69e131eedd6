import { SearchBox } from '../../components/search-box.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { ChosenTags, TagMenu } from '../../components/tag-filter.tsx'
import { monitorTypeInfo } from '../../lib/monitor-types.ts'
import type { TagCount } from '../../lib/tags.ts'
import {
  type MonitorListOptions,
  type SortOrder,
  type StatusFilter,
  sortOrders,
  statusFilters,
  type TypeFilter,
  typeFilters,
} from './list-view.ts'

const statusFilterLabels: Record<StatusFilter, string> = { all: 'All', up: 'Up', down: 'Down', paused: 'Paused' }
const typeLabels = Object.fromEntries(
  typeFilters.map((type) => [type, type === 'all' ? 'All types' : monitorTypeInfo[type].label]),
) as Record<TypeFilter, string>
const sortLabels: Record<SortOrder, string> = {
  status: 'Down first',
  name: 'Name',
  uptime: 'Lowest uptime first',
  response: 'Slowest first',
}

interface MonitorsToolbarProps {
  options: MonitorListOptions
  countByStatus: Record<StatusFilter, number>
  /** The tags of all monitors. */
  tagCounts: readonly TagCount[]
  onChange: (change: Partial<MonitorListOptions>) => void
}

export function MonitorsToolbar({ options, countByStatus, tagCounts, onChange }: MonitorsToolbarProps) {
  return (
    <search class="monitors-toolbar">
      <SearchBox
        label="Search by name or URL"
        placeholder="Search by name or URL"
        value={options.q}
        onValue={(q) => onChange({ q })}
      />
      <SegmentedControl
        label="Status"
        choices={statusFilters.map((value) => ({
          value,
          label: statusFilterLabels[value],
          count: countByStatus[value],
        }))}
        value={options.status}
        onValue={(status) => onChange({ status })}
      />
      <Dropdown
        label="Type"
        labels={typeLabels}
        choices={typeFilters}
        value={options.type}
        onValue={(type) => onChange({ type })}
      />
      <Dropdown
        label="Sort by"
        labels={sortLabels}
        choices={sortOrders}
        value={options.sort}
        onValue={(sort) => onChange({ sort })}
      />
      <TagMenu tags={options.tags} counts={tagCounts} onTags={(tags) => onChange({ tags })} />
      <ChosenTags tags={options.tags} onTags={(tags) => onChange({ tags })} />
    </search>
  )
}

interface DropdownProps<T extends string> {
  label: string
  labels: Record<T, string>
  choices: readonly T[]
  value: T
  onValue: (value: T) => void
}

function Dropdown<T extends string>({ label, labels, choices, value, onValue }: DropdownProps<T>) {
  return (
    <select
      class="input monitors-dropdown"
      aria-label={label}
      value={value}
      onChange={(event) => onValue(event.currentTarget.value as T)}
    >
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {labels[choice]}
        </option>
      ))}
    </select>
  )
}
