import {
  CheckCheck,
  CircleAlert,
  CircleCheck,
  CirclePause,
  type LucideIcon,
  StickyNote,
  UserCheck,
} from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { DurationSince } from '../../components/duration-since.tsx'
import { Icon } from '../../components/icon.tsx'
import { SampleBadge } from '../../components/sample-data.tsx'
import { SiteIcon } from '../../components/site-icon.tsx'
import { TagList } from '../../components/tag-list.tsx'
import { DateTime } from '../../components/time.tsx'
import { causeTexts } from '../../lib/causes.ts'
import { formatDateTime, formatDurationSeconds, formatNumber, pluralize } from '../../lib/format.ts'
import { formatMissedVisits, formatVisitors, missingEstimateTexts } from '../../lib/impact.ts'
import { type AccountIncident, getIncidentState, incidentStateLabels } from '../../lib/incidents.ts'
import { NotifiedChannels } from './notified-channels.tsx'

interface IncidentRowProps {
  incident: AccountIncident
  index: number
  onAcknowledge: () => Promise<void>
  onTag: (tag: string) => void
}

export function IncidentRow({ incident, index, onAcknowledge, onTag }: IncidentRowProps) {
  const { id, monitor, website, cause, detail, started_at, status, notes } = incident
  const state = getIncidentState(incident)
  return (
    <li class={`incidents-row incidents-row-${state}`} data-index={index}>
      <span class="incidents-icon">
        <Icon icon={getIncidentIcon(incident)} size={18} />
        <span class="hidden-text">{incidentStateLabels[state]}</span>
      </span>
      <div class="incidents-what">
        <div class="incidents-title">
          <Link href={`/incidents/${id}`} class="clip" data-row-focus>
            {monitor.friendly_name}
          </Link>
          {monitor.is_sample && <SampleBadge />}
          {notes.length > 0 && <NoteCount count={notes.length} />}
          <span class="tags-row">
            <TagList tags={monitor.tags} max={2} onFilter={onTag} />
          </span>
        </div>
        <p class="incidents-cause small">
          <span>{causeTexts[cause].title}</span> <span class="muted">{detail}</span>
        </p>
      </div>
      <span class="incidents-website small">
        {website && (
          <>
            <SiteIcon website={website} />
            <span class="clip">{website.name}</span>
          </>
        )}
      </span>
      <span class="incidents-missed numbers">
        <MissedVisits incident={incident} />
      </span>
      <span class="incidents-notified">
        <NotifiedChannels notified={incident.notified} />
      </span>
      <span class="incidents-started small muted">
        <span class="hidden-text">Started </span>
        <DateTime at={started_at} />
      </span>
      <span class="incidents-duration numbers">
        <span class="hidden-text">Duration </span>
        {status === 'open' ? <DurationSince since={started_at} /> : formatDurationSeconds(incident.duration_seconds)}
      </span>
      <span class="incidents-state small">
        <StateCell incident={incident} onAcknowledge={onAcknowledge} />
      </span>
    </li>
  )
}

export function getIncidentIcon(incident: AccountIncident): LucideIcon {
  const state = getIncidentState(incident)
  if (state === 'open') return CircleAlert
  if (state === 'acknowledged') return UserCheck
  return incident.resolution === 'paused' ? CirclePause : CircleCheck
}

const NoteCount = ({ count }: { count: number }) => (
  <span class="incidents-notes small muted numbers" title={pluralize(count, 'note')}>
    <Icon icon={StickyNote} size={13} />
    {count}
    <span class="hidden-text"> {count === 1 ? 'note' : 'notes'}</span>
  </span>
)

/** The range of the estimate is below the number. */
function MissedVisits({ incident }: { incident: AccountIncident }) {
  const { impact, visitors } = incident
  if (visitors === 'normal') {
    return (
      <span class="muted" title={formatVisitors(incident)}>
        None<span class="hidden-text"> of the expected visits missed</span>
      </span>
    )
  }
  const text = formatMissedVisits(impact)
  if (impact === null || text === undefined) {
    return (
      <span class="muted" title={impact === null ? undefined : missingEstimateTexts[impact.basis]}>
        –
      </span>
    )
  }
  return (
    <span title={text}>
      <span aria-hidden="true">
        {formatNumber(impact.visits_missed ?? 0)}
        <span class="incidents-range muted">
          {formatNumber(impact.visits_missed_low ?? 0)}–{formatNumber(impact.visits_missed_high ?? 0)}
        </span>
      </span>
      <span class="hidden-text">{text}</span>
    </span>
  )
}

function StateCell({ incident, onAcknowledge }: Pick<IncidentRowProps, 'incident' | 'onAcknowledge'>) {
  const [isBusy, setBusy] = useState(false)
  const { monitor, acknowledged_at, acknowledged_by, resolution } = incident
  const state = getIncidentState(incident)
  if (state === 'open') {
    return (
      <Button
        small
        icon={CheckCheck}
        busy={isBusy}
        aria-label={`Acknowledge the incident of ${monitor.friendly_name}`}
        onClick={() => {
          setBusy(true)
          void onAcknowledge().finally(() => setBusy(false))
        }}
      >
        Acknowledge
      </Button>
    )
  }
  const acknowledgement =
    acknowledged_at === null ? undefined : `Acknowledged by ${acknowledged_by} on ${formatDateTime(acknowledged_at)}`
  if (state === 'resolved') {
    return (
      <span class="muted" title={acknowledgement}>
        {resolution === 'paused' ? 'Monitor paused' : 'Resolved'}
      </span>
    )
  }
  return (
    <span class="incidents-acknowledged" title={acknowledgement}>
      <span class="avatar" aria-hidden="true">
        {[...(acknowledged_by ?? '?')][0]}
      </span>
      <span class="incidents-acknowledged-by">
        <span>Acknowledged</span>
        <span class="hidden-text"> by </span>
        <span class="clip muted">{acknowledged_by}</span>
      </span>
    </span>
  )
}
