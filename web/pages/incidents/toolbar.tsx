import { CalendarDays, CircleHelp, Globe, Radar } from 'lucide-preact'
import { useMemo, useState } from 'preact/hooks'
import { causes } from '../../../src/shared/causes.ts'
import { type IncidentState, incidentStates } from '../../../src/shared/incidents.ts'
import { FilterPicker } from '../../components/filter-picker.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { SiteIcon } from '../../components/site-icon.tsx'
import { StatusDot } from '../../components/status.tsx'
import { TagMenu } from '../../components/tag-filter.tsx'
import { toDisplayHost } from '../../lib/address.ts'
import { causeTexts } from '../../lib/causes.ts'
import { formatDays } from '../../lib/format.ts'
import { incidentStateLabels } from '../../lib/incidents.ts'
import { describeTarget } from '../../lib/monitor-types.ts'
import type { Overview } from '../../lib/queries.ts'
import { countTags } from '../../lib/tags.ts'
import { getPeriodDays, periodNames, periods } from '../website/period.ts'
import { RangeDialog } from '../website/range-dialog.tsx'
import { IncidentFilterChips } from './filter-chips.tsx'
import type { ChangeIncidentFilters, IncidentFilters } from './filters.ts'
import type { IncidentCounts } from './queries.ts'

interface IncidentsToolbarProps {
  filters: IncidentFilters
  onChange: ChangeIncidentFilters
  today: string
  /** Undefined until the first response. */
  counts: IncidentCounts | undefined
  /** Undefined until it arrives. It names the monitors, websites and tags. */
  overview: Overview | undefined
}

export function IncidentsToolbar({ filters, onChange, today, counts, overview }: IncidentsToolbarProps) {
  const { state, tags } = filters
  const { monitors = [], websites = [] } = overview ?? {}
  const choices = useChoices(monitors, websites)
  const tagCounts = useMemo(() => countTags(monitors), [monitors])
  const countOf = (name: IncidentState | 'all') =>
    counts && (name === 'all' ? counts.open + counts.resolved : counts[name])
  return (
    <search class="incidents-toolbar">
      <SegmentedControl
        label="State"
        value={state ?? 'all'}
        onValue={(value) => onChange({ state: value === 'all' ? undefined : value })}
        choices={(['all', ...incidentStates] as const).map((value) => ({
          value,
          label: value === 'all' ? 'All' : incidentStateLabels[value],
          count: countOf(value),
        }))}
      />
      <div class="incidents-filters">
        <PeriodPicker filters={filters} today={today} onChange={onChange} />
        <FilterPicker
          label="Cause"
          icon={CircleHelp}
          choices={causeChoices}
          value={filters.cause}
          onValue={(cause) => onChange({ cause })}
        />
        <FilterPicker
          label="Monitor"
          icon={Radar}
          choices={choices.monitors}
          value={filters.monitorId}
          onValue={(monitorId) => onChange({ monitorId })}
        />
        {websites.length > 0 && (
          <FilterPicker
            label="Website"
            icon={Globe}
            choices={choices.websites}
            value={filters.websiteId}
            onValue={(websiteId) => onChange({ websiteId })}
          />
        )}
        <TagMenu tags={tags} counts={tagCounts} onTags={(tags) => onChange({ tags })} />
      </div>
      <IncidentFilterChips filters={filters} monitors={monitors} websites={websites} onChange={onChange} />
    </search>
  )
}

const causeChoices = causes
  .map((cause) => ({ value: cause, label: causeTexts[cause].title }))
  .sort((a, b) => a.label.localeCompare(b.label))

function useChoices(monitors: Overview['monitors'], websites: Overview['websites']) {
  return {
    monitors: useMemo(
      () =>
        monitors
          .map((monitor) => ({
            value: monitor.id,
            label: monitor.friendly_name,
            detail: describeTarget(monitor),
            icon: <StatusDot monitor={monitor} isDecoration />,
          }))
          .sort((a, b) => a.label.localeCompare(b.label)),
      [monitors],
    ),
    websites: useMemo(
      () =>
        websites.map((website) => ({
          value: website.id,
          label: toDisplayHost(website.domain),
          icon: <SiteIcon website={website} />,
        })),
      [websites],
    ),
  }
}

type PeriodPickerProps = Pick<IncidentsToolbarProps, 'filters' | 'today' | 'onChange'>

function PeriodPicker({ filters: { period }, today, onChange }: PeriodPickerProps) {
  const [isDialogOpen, setDialogOpen] = useState(false)
  const label = typeof period === 'object' ? formatDays(period) : periods[period].label
  return (
    <>
      <Menu icon={CalendarDays} label={<span class="clip">{label}</span>} name={`Period: ${label}`}>
        {periodNames.map((name) => (
          <MenuItem key={name} isChecked={period === name} onSelect={() => onChange({ period: name })}>
            {periods[name].label}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem isChecked={typeof period === 'object'} onSelect={() => setDialogOpen(true)}>
          Custom range…
        </MenuItem>
      </Menu>
      {isDialogOpen && (
        <RangeDialog
          range={typeof period === 'object' ? period : getPeriodDays(period, today)}
          today={today}
          firstDay={undefined}
          onApply={(range) => {
            setDialogOpen(false)
            onChange({ period: range })
          }}
          onClose={() => setDialogOpen(false)}
        />
      )}
    </>
  )
}
