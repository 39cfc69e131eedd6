import { SearchBox } from '../../components/search-box.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { formatNumber } from '../../lib/format.ts'
import {
  type MonitorListView,
  type SortOrder,
  type StatusFilter,
  sortOrders,
  statusFilters,
  type TypeFilter,
  typeFilters,
} from './list-view.ts'

const statusLabels: Record<StatusFilter, string> = { all: 'All', up: 'Up', down: 'Down', paused: 'Paused' }
const typeLabels: Record<TypeFilter, string> = { all: 'All types', http: 'HTTP', ping: 'Ping' }
const sortLabels: Record<SortOrder, string> = {
  status: 'Down first',
  name: 'Name',
  uptime: 'Lowest uptime first',
  response: 'Slowest first',
}

interface MonitorsToolbarProps {
  view: MonitorListView
  counts: Record<StatusFilter, number>
  onView: (change: Partial<MonitorListView>) => void
}

export function MonitorsToolbar({ view, counts, onView }: MonitorsToolbarProps) {
  return (
    <search class="monitors-toolbar">
      <SearchBox
        label="Search by name or URL"
        placeholder="Search by name or URL"
        value={view.q}
        onValue={(q) => onView({ q })}
      />
      <SegmentedControl
        label="Status"
        choices={statusFilters.map((value) => ({
          value,
          label: `${statusLabels[value]} ${formatNumber(counts[value])}`,
        }))}
        value={view.status}
        onValue={(status) => onView({ status })}
      />
      <Dropdown
        label="Type"
        labels={typeLabels}
        choices={typeFilters}
        value={view.type}
        onValue={(type) => onView({ type })}
      />
      <Dropdown
        label="Sort by"
        labels={sortLabels}
        choices={sortOrders}
        value={view.sort}
        onValue={(sort) => onView({ sort })}
      />
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
