import { CircleAlert, CircleCheck, CirclePause } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { AcknowledgeButton } from '../../components/acknowledge-button.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { IncidentPostLink } from '../../components/incident-post-link.tsx'
import { Skeleton } from '../../components/states.tsx'
import { DateTime, RelativeTime } from '../../components/time.tsx'
import { causeTexts, toSentence } from '../../lib/causes.ts'
import type { Channel } from '../../lib/channels.ts'
import { formatDateTime, formatDateTimeRange, pluralize } from '../../lib/format.ts'
import { countSecondsSince, useServerNow } from '../../lib/server-clock.ts'
import { AlertList } from './alert-list.tsx'
import { summarizeAlerts } from './alert-summary.ts'
import { IncidentContext } from './incident-context.tsx'
import { IncidentImpact } from './incident-impact.tsx'
import { describeIncident } from './labels.ts'
import { type Alert, type Incident, useAlerts } from './queries.ts'

interface IncidentItemProps {
  incident: Incident
  /** Whether the page was opened for this incident. */
  isTarget: boolean
  /** Undefined while loading. */
  alerts: readonly Alert[] | undefined
  /** False if there were more alerts than one response can hold. */
  hasAllAlerts: boolean
  channels: readonly Channel[]
}

export function IncidentItem({ incident, isTarget, ...alertProps }: IncidentItemProps) {
  const { status, resolution, cause, detail, started_at, resolved_at } = incident
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (!isTarget) return
    item.current?.scrollIntoView({ block: 'center' })
    item.current?.focus({ preventScroll: true })
  }, [isTarget])
  const isOpen = status === 'open'
  const icon = isOpen ? CircleAlert : resolution === 'paused' ? CirclePause : CircleCheck
  return (
    <li
      ref={item}
      id={`incident-${incident.id}`}
      tabIndex={-1}
      class={`monitor-incident${isOpen ? ' monitor-incident-open' : ''}${isTarget ? ' monitor-incident-target' : ''}`}
    >
      <span class="monitor-incident-icon">
        <Icon icon={icon} size={18} />
      </span>
      <div class="monitor-incident-head">
        <h3>
          <Link href={`/incidents/${incident.id}`}>{causeTexts[cause].title}</Link>
        </h3>
        <span class="numbers">
          {isOpen ? <OngoingDuration incident={incident} /> : describeIncident(incident, incident.duration_seconds)}
        </span>
      </div>
      <p>{toSentence(detail)}</p>
      <IncidentContext incident={incident} />
      <Acknowledgement incident={incident} />
      <p class="small muted">
        {resolved_at === null ? <DateTime at={started_at} hasSeconds /> : formatDateTimeRange(started_at, resolved_at)}
        {resolution === 'paused' && ' · Monitor paused'}
      </p>
      <IncidentImpact incident={incident} />
      <Notifications incident={incident} {...alertProps} />
      <div class="monitor-incident-actions">
        {isOpen && incident.acknowledged_at === null && <AcknowledgeButton small incident={incident} />}
        <IncidentPostLink small incident={incident} />
        <ButtonLink small to={`/incidents/${incident.id}`}>
          View incident<span class="hidden-text"> of {formatDateTime(started_at)}</span>
        </ButtonLink>
      </div>
    </li>
  )
}

/** Who acknowledged the incident, and a link to the notes. */
function Acknowledgement({
  incident: { id, acknowledged_at, acknowledged_by, notes },
}: Pick<IncidentItemProps, 'incident'>) {
  if (acknowledged_at === null && notes.length === 0) return null
  return (
    <p class="small">
      {acknowledged_at !== null && (
        <>
          Acknowledged by {acknowledged_by} <RelativeTime at={acknowledged_at} />
        </>
      )}
      {acknowledged_at !== null && notes.length > 0 && ' · '}
      {notes.length > 0 && <Link href={`/incidents/${id}`}>{pluralize(notes.length, 'note')}</Link>}
    </p>
  )
}

/** The list of notifications can be expanded only if it isn't empty. */
function Notifications({ incident, alerts, hasAllAlerts, channels }: Omit<IncidentItemProps, 'isTarget'>) {
  const [isExpanded, setExpanded] = useState(false)
  if (alerts === undefined) return null
  const summary = summarizeAlerts(alerts, hasAllAlerts)
  if (hasAllAlerts && alerts.length === 0) return <p class="small muted">{summary}</p>
  return (
    <details onToggle={(event) => setExpanded(event.currentTarget.open)}>
      <summary class="small">{summary}</summary>
      {isExpanded && (
        <IncidentAlerts incident={incident} alerts={hasAllAlerts ? alerts : undefined} channels={channels} />
      )}
    </details>
  )
}

interface IncidentAlertsProps {
  incident: Incident
  /**
   * Undefined if the response with the alerts of all listed incidents was incomplete. This component then fetches the
   * alerts of its own incident.
   */
  alerts: readonly Alert[] | undefined
  channels: readonly Channel[]
}

function IncidentAlerts({ incident, alerts, channels }: IncidentAlertsProps) {
  const { data } = useAlerts(incident.monitor_id, alerts === undefined ? [incident.id] : [])
  if (alerts !== undefined) return <AlertList alerts={alerts} total={alerts.length} channels={channels} />
  if (data === undefined) return <Skeleton height="3rem" />
  return <AlertList alerts={data.data.toReversed()} total={data.meta.total} channels={channels} />
}

function OngoingDuration({ incident }: { incident: Incident }) {
  return <>{describeIncident(incident, countSecondsSince(incident.started_at, useServerNow(true)))}</>
}
