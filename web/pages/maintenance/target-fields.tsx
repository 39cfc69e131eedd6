/** The fields that select the monitors of a maintenance. */
import { Globe, ListChecks, Radar, Tag } from 'lucide-preact'
import { useMemo, useState } from 'preact/hooks'
import { ChoiceCards } from '../../components/choice-cards.tsx'
import { TextField } from '../../components/field.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { Section } from '../../components/section.tsx'
import { ErrorState, Loading, Skeleton } from '../../components/states.tsx'
import { TagInput } from '../../components/tag-input.tsx'
import { pluralize } from '../../lib/format.ts'
import { type OverviewMonitor, useOverview } from '../../lib/queries.ts'
import { countTags, hasTag } from '../../lib/tags.ts'
import { MonitorCheckboxes } from '../channel/monitor-checkboxes.tsx'
import type { MaintenanceSectionProps } from './duration-field.tsx'
import '../channel/channel.css'

const targets = [
  { value: 'all', label: 'All monitors', hint: 'Includes monitors that you add later', icon: Globe },
  { value: 'tags', label: 'Monitors with a tag', hint: 'Includes monitors that get the tag later', icon: Tag },
  { value: 'monitors', label: 'Selected monitors', hint: 'Choose from a list', icon: ListChecks },
] as const

export function TargetFields({ form }: MaintenanceSectionProps) {
  const { values, set, errorsFor } = form
  const overview = useOverview()
  const monitors = overview.data?.monitors ?? []
  const targetErrors = errorsFor('monitor_ids') && ['Choose at least one monitor or tag.']
  return (
    <Section title="Monitors" icon={Radar} description="No alerts are sent for these monitors.">
      <div class="form">
        <FieldGroup legend="Monitors" isLegendHidden errors={values.target === 'monitors' ? targetErrors : undefined}>
          <ChoiceCards choices={targets} value={values.target} onValue={(target) => set('target', target)} />
        </FieldGroup>
        {values.target === 'tags' && (
          <TagInput
            label="Tags"
            hint={describeMatches(monitors, values.tags)}
            errors={errorsFor('tags') ?? targetErrors}
            suggestions={countTags(monitors).map(({ tag }) => tag)}
            value={values.tags}
            onValue={(tags) => set('tags', tags)}
          />
        )}
        {values.target === 'monitors' &&
          (overview.data ? (
            <MonitorChoice
              monitors={monitors}
              selectedIds={values.monitor_ids}
              onSelect={(ids) => set('monitor_ids', ids)}
            />
          ) : overview.isError ? (
            <ErrorState error={overview.error} retry={() => void overview.refetch()} />
          ) : (
            <Loading what="monitors">
              <Skeleton height="10rem" />
            </Loading>
          ))}
      </div>
    </Section>
  )
}

function describeMatches(monitors: readonly OverviewMonitor[], tags: readonly string[]): string {
  if (tags.length === 0) return 'Monitors with any of these tags.'
  const count = monitors.filter((monitor) => tags.some((tag) => hasTag(monitor.tags, tag))).length
  return `Monitors with any of these tags: ${pluralize(count, 'monitor')} now.`
}

interface MonitorChoiceProps {
  monitors: readonly OverviewMonitor[]
  selectedIds: readonly number[]
  onSelect: (ids: readonly number[]) => void
}

function MonitorChoice({ monitors, selectedIds, onSelect }: MonitorChoiceProps) {
  const [search, setSearch] = useState('')
  const selected = useMemo(() => new Set(selectedIds), [selectedIds])
  const term = search.trim().toLowerCase()
  const shownMonitors = useMemo(
    () => monitors.filter(({ friendly_name, url }) => `${friendly_name}\n${url}`.toLowerCase().includes(term)),
    [monitors, term],
  )
  return (
    <>
      <TextField
        label="Search monitors"
        type="search"
        placeholder="Name or URL"
        hint={`${pluralize(selectedIds.length, 'monitor')} selected`}
        autocomplete="off"
        value={search}
        onValue={setSearch}
      />
      {shownMonitors.length === 0 ? (
        <p class="muted">No matching monitors</p>
      ) : (
        <MonitorCheckboxes
          monitors={shownMonitors}
          isChecked={(id) => selected.has(id)}
          isDisabled={() => false}
          onCheck={(id, isChecked) =>
            onSelect(isChecked ? [...selectedIds, id] : selectedIds.filter((other) => other !== id))
          }
        />
      )}
    </>
  )
}
