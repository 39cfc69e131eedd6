import {
  Bell,
  BellOff,
  BellRing,
  CheckCheck,
  CircleAlert,
  CircleCheck,
  CirclePause,
  CircleX,
  type LucideIcon,
  ScanSearch,
  StickyNote,
} from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { Panel } from '../../components/page.tsx'
import { DateTime } from '../../components/time.tsx'
import { toSentence } from '../../lib/causes.ts'
import { type Channel, channelTypeLabels, useChannels } from '../../lib/channels.ts'
import { formatDurationSeconds, pluralize } from '../../lib/format.ts'
import { type AccountIncident, getDetectionSeconds } from '../../lib/incidents.ts'
import { can } from '../../lib/team.ts'
import { getRecipientName } from '../monitor/alert-list.tsx'
import { alertEventLabels, describeIncident } from '../monitor/labels.ts'
import { type Alert, useAlerts } from '../monitor/queries.ts'
import { DeleteNoteButton, NoteForm, NoteText } from './notes.tsx'
import { type AlertGroup, listTimeline, type TimelineEvent } from './timeline.ts'

export function TimelinePanel({ incident }: { incident: AccountIncident }) {
  const { data } = useAlerts(incident.monitor_id, [incident.id])
  const channels = useChannels().data ?? []
  const events = useMemo(() => listTimeline(incident, data?.data ?? []), [incident, data])
  const hiddenCount = data === undefined ? 0 : data.meta.total - data.data.length
  return (
    <Panel title="Timeline">
      {can('edit') && <NoteForm incident={incident} />}
      <ol class="incident-timeline">
        {events.map((event) => {
          const { icon, tone, title, content } = describeEvent(event, incident, channels)
          return (
            <li key={toEventKey(event)} class={`incident-event-${event.kind}`}>
              <span class={`incident-event-icon incident-tone-${tone}`} aria-hidden="true">
                <Icon icon={icon} size={15} />
              </span>
              <div class="incident-event">
                <div class="incident-event-head">
                  <span class="incident-event-title">{title}</span>
                  <span class="small muted numbers">
                    <DateTime at={event.at} hasSeconds />
                  </span>
                  {event.kind === 'note' && <DeleteNoteButton incident={incident} note={event.note} />}
                </div>
                {content}
              </div>
            </li>
          )
        })}
      </ol>
      {hiddenCount > 0 && <p class="small muted">{pluralize(hiddenCount, 'earlier alert')} not shown.</p>}
    </Panel>
  )
}

const toEventKey = (event: TimelineEvent<Alert>) =>
  event.kind === 'note'
    ? `note-${event.note.id}`
    : event.kind === 'alerts'
      ? `alerts-${event.alerts[0]?.id}`
      : event.kind

interface EventView {
  icon: LucideIcon
  tone: 'down' | 'up' | 'warn' | 'idle' | 'accent'
  title: ComponentChildren
  content?: ComponentChildren
}

function describeEvent(
  event: TimelineEvent<Alert>,
  incident: AccountIncident,
  channels: readonly Channel[],
): EventView {
  switch (event.kind) {
    case 'started':
      return {
        icon: CircleAlert,
        tone: 'down',
        title: 'Incident started',
        content: <p class="small">{toSentence(incident.detail)}</p>,
      }
    case 'detected': {
      const seconds = getDetectionSeconds(incident)
      return {
        icon: ScanSearch,
        tone: 'down',
        title: `Confirmed by retries after ${formatDurationSeconds(seconds)}`,
      }
    }
    case 'acknowledged':
      return {
        icon: CheckCheck,
        tone: 'warn',
        title: <>Acknowledged by {incident.acknowledged_by}</>,
        content: <p class="small muted">Reminders and delayed alerts stopped.</p>,
      }
    case 'resolved':
      return incident.resolution === 'paused'
        ? { icon: CirclePause, tone: 'idle', title: `Monitor paused, closed after ${formatTotal(incident)}` }
        : { icon: CircleCheck, tone: 'up', title: describeIncident(incident, incident.duration_seconds) }
    case 'note':
      return {
        icon: StickyNote,
        tone: 'accent',
        title: event.note.author,
        content: <NoteText text={event.note.text} />,
      }
    case 'alerts':
      return {
        ...alertStates[event.state],
        title: <AlertTitle group={event} channels={channels} />,
        ...renderReasons(event),
      }
  }
}

const formatTotal = ({ duration_seconds }: AccountIncident) => formatDurationSeconds(duration_seconds)

const alertStates: Record<Alert['state'], { icon: LucideIcon; tone: EventView['tone']; verb: string }> = {
  sent: { icon: Bell, tone: 'idle', verb: 'sent to' },
  waiting: { icon: BellRing, tone: 'warn', verb: 'due for' },
  failed: { icon: CircleX, tone: 'down', verb: 'failed for' },
  skipped: { icon: BellOff, tone: 'idle', verb: 'skipped for' },
}

function AlertTitle({ group, channels }: { group: AlertGroup<Alert>; channels: readonly Channel[] }) {
  return (
    <>
      {alertEventLabels[group.event]} {alertStates[group.state].verb}{' '}
      {group.alerts.map((alert, index) => (
        <span key={alert.id}>
          {index > 0 && ', '}
          <strong>{getRecipientName(alert, channels)}</strong> ({channelTypeLabels[alert.provider_type]})
        </span>
      ))}
    </>
  )
}

/** Why alerts failed or were skipped. Alerts to several channels often fail for the same reason. */
function renderReasons({ state, alerts }: AlertGroup<Alert>): Pick<EventView, 'content'> {
  if (state === 'skipped') {
    return {
      content: (
        <p class="small muted">
          Before the delay ended, the incident was resolved or acknowledged, or the channel was removed.
        </p>
      ),
    }
  }
  const reasons = state === 'sent' ? [] : [...new Set(alerts.flatMap(({ answer }) => answer ?? []))]
  return reasons.length === 0
    ? {}
    : {
        content: reasons.map((reason) => (
          <p class="small" key={reason}>
            {reason}
          </p>
        )),
      }
}
