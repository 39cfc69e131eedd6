import { useEffect, useState } from 'preact/hooks'
import { Skeleton } from '../../components/states.tsx'
import { DateTime } from '../../components/time.tsx'
import { causeTexts, toSentence } from '../../lib/causes.ts'
import type { Provider } from '../../lib/providers.ts'
import { AlertList } from './alert-list.tsx'
import { summarizeAlerts } from './alert-summary.ts'
import { describeIncident } from './labels.ts'
import { type Alert, type Incident, useAlerts } from './queries.ts'

interface IncidentItemProps {
  incident: Incident
  /** When the duration was fetched, in Unix milliseconds. */
  fetchedAt: number
  /** Undefined while loading. */
  alerts: readonly Alert[] | undefined
  /** False if there were more alerts than one response can hold. */
  hasAllAlerts: boolean
  providers: readonly Provider[]
}

export function IncidentItem({ incident, fetchedAt, alerts, hasAllAlerts, providers }: IncidentItemProps) {
  const { status, resolution, cause, detail, started_at, resolved_at } = incident
  const isOpen = status === 'open'
  const [isExpanded, setExpanded] = useState(false)
  return (
    <li class={`monitor-incident${isOpen ? ' monitor-incident-open' : ''}`}>
      <div class="monitor-incident-head">
        <h3>{causeTexts[cause].title}</h3>
        <span class="numbers">
          {isOpen ? (
            <OngoingDuration incident={incident} fetchedAt={fetchedAt} />
          ) : (
            describeIncident(incident, incident.duration_seconds)
          )}
        </span>
      </div>
      <p>{toSentence(detail)}</p>
      <p class="small muted">
        <DateTime at={started_at} hasSeconds />
        {resolved_at !== null && (
          <>
            {' – '}
            <DateTime at={resolved_at} hasSeconds />
          </>
        )}
        {resolution === 'paused' && ' · Monitor paused'}
      </p>
      {alerts !== undefined && (
        <details onToggle={(event) => setExpanded(event.currentTarget.open)}>
          <summary class="small">{summarizeAlerts(alerts, hasAllAlerts)}</summary>
          {isExpanded && (
            <IncidentAlerts incident={incident} alerts={hasAllAlerts ? alerts : undefined} providers={providers} />
          )}
        </details>
      )}
    </li>
  )
}

interface IncidentAlertsProps {
  incident: Incident
  /** Undefined if the response with the alerts of all listed incidents was incomplete. This component then fetches its own. */
  alerts: readonly Alert[] | undefined
  providers: readonly Provider[]
}

function IncidentAlerts({ incident, alerts, providers }: IncidentAlertsProps) {
  const { data } = useAlerts(incident.monitor_id, alerts === undefined ? [incident.id] : [])
  if (alerts !== undefined) return <AlertList alerts={alerts} total={alerts.length} providers={providers} />
  if (data === undefined) return <Skeleton height="3rem" />
  return <AlertList alerts={data.data.toReversed()} total={data.meta.total} providers={providers} />
}

/** Adds the time since the fetch to the server's duration, because the browser's clock may be wrong. */
function OngoingDuration({ incident, fetchedAt }: { incident: Incident; fetchedAt: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const secondsSinceFetch = Math.max(0, Math.floor((now - fetchedAt) / 1_000))
  return <>{describeIncident(incident, incident.duration_seconds + secondsSinceFetch)}</>
}
