import { useEffect, useMemo, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { type AssignedMonitors, diffAssignments, type MonitorSelection } from './assignment-changes.ts'
import { MonitorCheckboxes } from './monitor-checkboxes.tsx'
import { SaveBar } from './save-bar.tsx'

interface MonitorPickerProps {
  providerId: number
  monitors: readonly OverviewMonitor[]
  assigned: AssignedMonitors
  onUnsavedChange: (hasUnsaved: boolean) => void
}

const filters = [
  { value: 'all', label: 'All' },
  { value: 'assigned', label: 'Assigned' },
  { value: 'unassigned', label: 'Not assigned' },
] as const
type AssignmentFilter = (typeof filters)[number]['value']

export function MonitorPicker({ providerId, monitors, assigned, onUnsavedChange }: MonitorPickerProps) {
  const [search, setSearch] = useState('')
  const [filter, setFilter] = useState<AssignmentFilter>('all')
  const [selection, setSelection] = useState<MonitorSelection>(new Map())

  const shown = useMemo(() => {
    const term = search.trim().toLowerCase()
    // Filter by the saved assignment, so that a row doesn't vanish when it is unchecked.
    const matchesFilter = (id: number) => filter === 'all' || (assigned.get(id) === true) === (filter === 'assigned')
    return monitors.filter(
      ({ id, friendly_name: name, url }) => matchesFilter(id) && `${name}\n${url}`.toLowerCase().includes(term),
    )
  }, [monitors, assigned, search, filter])

  const changes = diffAssignments(assigned, selection, monitors)
  const hasUnsaved = changes.enable.length + changes.remove.length > 0
  useEffect(() => onUnsavedChange(hasUnsaved), [hasUnsaved])

  const select = (ids: readonly number[], isSelected: boolean) =>
    setSelection((before) => new Map([...before, ...ids.map((id) => [id, isSelected] as const)]))
  const selectShown = (isSelected: boolean) =>
    select(
      shown.map(({ id }) => id),
      isSelected,
    )

  if (monitors.length === 0) {
    return (
      <p>
        No monitors yet. <Link href="/monitors/new">Add a monitor</Link>, then assign this channel to it.
      </p>
    )
  }
  return (
    <div class="form">
      <TextField
        label="Search monitors"
        type="search"
        placeholder="Name or URL"
        value={search}
        onValue={setSearch}
        autocomplete="off"
      />
      <div class="row">
        <SegmentedControl label="Filter monitors" choices={filters} value={filter} onValue={setFilter} />
        <Button small onClick={() => selectShown(true)} disabled={shown.length === 0}>
          Select all {formatNumber(shown.length)}
        </Button>
        <Button small onClick={() => selectShown(false)} disabled={shown.length === 0}>
          Select none
        </Button>
      </div>
      {shown.length === 0 ? (
        <p class="muted">No matching monitors</p>
      ) : (
        <MonitorCheckboxes
          monitors={shown}
          isChecked={(id) => selection.get(id) ?? assigned.get(id) === true}
          isDisabled={(id) => assigned.get(id) === false && !selection.get(id)}
          onCheck={(id, isChecked) => select([id], isChecked)}
        />
      )}
      <SaveBar providerId={providerId} assigned={assigned} changes={changes} onDone={() => setSelection(new Map())} />
    </div>
  )
}
