/** Chooses the monitor that the edited monitor depends on. */
import { useMemo, useState } from 'preact/hooks'
import { SelectField, TextField } from '../../components/field.tsx'
import { useOverview } from '../../lib/queries.ts'
import type { MonitorSectionProps } from './fields.ts'

/** If there are more monitors, a search field narrows the choices. */
const MAX_CHOICES = 100

export function DependencyField({
  form,
  errorsFor,
  monitorId,
}: MonitorSectionProps & { monitorId?: number | undefined }) {
  const { data } = useOverview()
  const [search, setSearch] = useState('')
  const selectedId = form.values.depends_on
  const others = useMemo(
    () =>
      (data?.monitors ?? [])
        .filter(({ id }) => id !== monitorId)
        .map(({ id, friendly_name }) => ({ value: `${id}`, label: friendly_name }))
        .sort((a, b) => a.label.localeCompare(b.label)),
    [data, monitorId],
  )
  const isLong = others.length > MAX_CHOICES
  const term = isLong ? search.trim().toLowerCase() : ''
  const matches = others.filter(({ value, label }) => value === selectedId || label.toLowerCase().includes(term))
  // The saved choice must be in the list even before the names have arrived.
  const isSelectedMissing = selectedId !== '' && !others.some(({ value }) => value === selectedId)
  const choices = [
    { value: '', label: 'No other monitor' },
    ...(isSelectedMissing ? [{ value: selectedId, label: `Monitor ${selectedId}` }] : []),
    ...matches.slice(0, MAX_CHOICES),
    ...matches.slice(MAX_CHOICES).filter(({ value }) => value === selectedId),
  ]
  return (
    <div class={isLong ? 'form-pair' : undefined}>
      {isLong && (
        <TextField
          label="Search monitors"
          hint={`${Math.min(matches.length, MAX_CHOICES)} of ${others.length} monitors listed`}
          type="search"
          value={search}
          onValue={setSearch}
          autocomplete="off"
        />
      )}
      <SelectField
        label="Depends on"
        hint="For example, the router in front of the server. While that monitor is down, this monitor records incidents, but you get no separate alerts."
        errors={errorsFor('depends_on')}
        value={selectedId}
        choices={choices}
        onValue={(id) => form.set('depends_on', id)}
      />
    </div>
  )
}
