/** The checkboxes that select the monitors that a post is about. */
import { useState } from 'preact/hooks'
import { FieldGroup } from '../../components/field-group.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { StatusDot } from '../../components/status.tsx'
import { useOverview } from '../../lib/queries.ts'
import { listPageMonitors, type StatusPage } from '../../lib/status-pages.ts'

/** Shorter lists need no search. */
const MIN_MONITORS_FOR_SEARCH = 9

interface PostMonitorFieldsProps {
  page: StatusPage
  selectedIds: readonly number[]
  errors: readonly string[] | undefined
  onSelect: (ids: readonly number[]) => void
}

export function PostMonitorFields({ page, selectedIds, errors, onSelect }: PostMonitorFieldsProps) {
  const [search, setSearch] = useState('')
  const { data } = useOverview()
  const monitorCount = listPageMonitors(page).length
  const term = search.trim().toLowerCase()
  const groups = page.groups
    .map(({ name, monitors }) => ({
      name,
      monitors: monitors.filter(({ label }) => label.toLowerCase().includes(term)),
    }))
    .filter(({ monitors }) => monitors.length > 0)
  if (monitorCount === 0) return <p class="muted">This page doesn't have monitors yet.</p>
  const toggle = (id: number, isSelected: boolean) =>
    onSelect(isSelected ? [...selectedIds, id] : selectedIds.filter((other) => other !== id))
  return (
    <FieldGroup legend="Affected monitors" errors={errors}>
      {monitorCount >= MIN_MONITORS_FOR_SEARCH && (
        <SearchBox label="Search monitors" placeholder="Search" value={search} onValue={setSearch} />
      )}
      <div class="post-monitors">
        {groups.map(({ name, monitors }) => (
          <div key={name}>
            <p class="post-monitors-group">{name}</p>
            {monitors.map(({ monitor_id: id, label }) => {
              const monitor = data?.monitors.find((other) => other.id === id)
              return (
                <label key={id} class="post-monitor">
                  <input
                    type="checkbox"
                    checked={selectedIds.includes(id)}
                    onChange={(event) => toggle(id, event.currentTarget.checked)}
                  />
                  <span class="clip">{label}</span>
                  {monitor && <StatusDot monitor={monitor} />}
                </label>
              )
            })}
          </div>
        ))}
        {groups.length === 0 && <p class="muted">No matching monitors</p>}
      </div>
    </FieldGroup>
  )
}
