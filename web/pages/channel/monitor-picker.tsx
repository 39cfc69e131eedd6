import { useEffect, useMemo, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { ChosenTags, TagMenu } from '../../components/tag-filter.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { countTags, hasAllTags } from '../../lib/tags.ts'
import { sortMonitors } from '../monitors/list-view.ts'
import { type AssignedMonitors, diffAssignments, type MonitorSelection } from './assignment-changes.ts'
import { MonitorCheckboxes } from './monitor-checkboxes.tsx'
import { SaveBar } from './save-bar.tsx'

interface MonitorPickerProps {
  channelId: number
  monitors: readonly OverviewMonitor[]
  assignedMonitors: AssignedMonitors
  onUnsavedChange: (hasUnsavedChanges: boolean) => void
}

const filterChoices = [
  { value: 'all', label: 'All' },
  { value: 'assigned', label: 'Assigned' },
  { value: 'unassigned', label: 'Not assigned' },
] as const
type AssignmentFilter = (typeof filterChoices)[number]['value']

export function MonitorPicker({ channelId, monitors, assignedMonitors, onUnsavedChange }: MonitorPickerProps) {
  const [search, setSearch] = useState('')
  const [filter, setFilter] = useState<AssignmentFilter>('all')
  const [tags, setTags] = useState<readonly string[]>([])
  const [selection, setSelection] = useState<MonitorSelection>(new Map())
  const tagCounts = useMemo(() => countTags(monitors), [monitors])
  const sortedMonitors = useMemo(() => sortMonitors(monitors, 'name'), [monitors])

  const shownMonitors = useMemo(() => {
    const term = search.trim().toLowerCase()
    // Filter by the saved assignment, so that a row doesn't vanish when it is unchecked.
    const matchesFilter = (id: number) =>
      filter === 'all' || (assignedMonitors.get(id) === true) === (filter === 'assigned')
    return sortedMonitors.filter(
      (monitor) =>
        matchesFilter(monitor.id) &&
        hasAllTags(monitor.tags, tags) &&
        `${monitor.friendly_name}\n${monitor.url}`.toLowerCase().includes(term),
    )
  }, [sortedMonitors, assignedMonitors, search, filter, tags])

  const changes = diffAssignments(assignedMonitors, selection, monitors)
  const hasUnsavedChanges = changes.idsToEnable.length + changes.idsToRemove.length > 0
  useEffect(() => onUnsavedChange(hasUnsavedChanges), [hasUnsavedChanges])

  const select = (ids: readonly number[], isSelected: boolean) =>
    setSelection((before) => new Map([...before, ...ids.map((id) => [id, isSelected] as const)]))
  const selectShown = (isSelected: boolean) =>
    select(
      shownMonitors.map(({ id }) => id),
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
        <SegmentedControl label="Filter monitors" choices={filterChoices} value={filter} onValue={setFilter} />
        <TagMenu tags={tags} onTags={setTags} counts={tagCounts} />
        <Button small onClick={() => selectShown(true)} disabled={shownMonitors.length === 0}>
          Select all {formatNumber(shownMonitors.length)}
        </Button>
        <Button small onClick={() => selectShown(false)} disabled={shownMonitors.length === 0}>
          Select none
        </Button>
      </div>
      <ChosenTags tags={tags} onTags={setTags} />
      {shownMonitors.length === 0 ? (
        <p class="muted">No matching monitors</p>
      ) : (
        <MonitorCheckboxes
          monitors={shownMonitors}
          isChecked={(id) => selection.get(id) ?? assignedMonitors.get(id) === true}
          isDisabled={(id) => assignedMonitors.get(id) === false && !selection.get(id)}
          onCheck={(id, isChecked) => select([id], isChecked)}
        />
      )}
      <SaveBar
        channelId={channelId}
        assignedMonitors={assignedMonitors}
        changes={changes}
        onDone={() => setSelection(new Map())}
      />
    </div>
  )
}
