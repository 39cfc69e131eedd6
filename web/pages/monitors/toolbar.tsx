import { SearchBox } from '../../components/search-box.tsx'
import { Segments } from '../../components/segmented-control.tsx'
import { formatNumber } from '../../lib/format.ts'
import { type Kind, kinds, type Show, type Sort, shows, sorts, type View } from './list-view.ts'

const showWords: Record<Show, string> = { all: 'All', up: 'Up', down: 'Down', paused: 'Paused' }
const kindWords: Record<Kind, string> = { all: 'All types', http: 'HTTP', ping: 'Ping' }
const sortWords: Record<Sort, string> = {
  status: 'Down first',
  name: 'Name',
  uptime: 'Lowest uptime first',
  response: 'Slowest first',
}

interface ToolbarProps {
  view: View
  counts: Record<Show, number>
  onView: (change: Partial<View>) => void
}

export function Toolbar({ view, counts, onView }: ToolbarProps) {
  return (
    <search class="monitors-tools">
      <SearchBox
        label="Search by name or address"
        placeholder="Search by name or address"
        value={view.q}
        onValue={(q) => onView({ q })}
      />
      <Segments
        label="Status"
        choices={shows.map((value) => ({ value, label: `${showWords[value]} ${formatNumber(counts[value])}` }))}
        value={view.status}
        onValue={(status) => onView({ status })}
      />
      <Choice label="Type" words={kindWords} all={kinds} value={view.type} onValue={(type) => onView({ type })} />
      <Choice label="Order" words={sortWords} all={sorts} value={view.sort} onValue={(sort) => onView({ sort })} />
    </search>
  )
}

interface ChoiceProps<T extends string> {
  label: string
  words: Record<T, string>
  all: readonly T[]
  value: T
  onValue: (value: T) => void
}

function Choice<T extends string>({ label, words, all, value, onValue }: ChoiceProps<T>) {
  return (
    <select
      class="input monitors-choice"
      aria-label={label}
      value={value}
      onChange={(event) => onValue(event.currentTarget.value as T)}
    >
      {all.map((one) => (
        <option key={one} value={one}>
          {words[one]}
        </option>
      ))}
    </select>
  )
}
