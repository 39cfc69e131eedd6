/** One incident at its own address: what happened, who was notified, who acknowledged it, and notes. */
import { Radar } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { AcknowledgeButton } from '../components/acknowledge-button.tsx'
import { AllowAddress } from '../components/allow-address.tsx'
import { ButtonLink } from '../components/button.tsx'
import { DurationSince } from '../components/duration-since.tsx'
import { Icon } from '../components/icon.tsx'
import { IncidentPostLink } from '../components/incident-post-link.tsx'
import { NotFoundPage } from '../components/not-found-page.tsx'
import { Page, Panel } from '../components/page.tsx'
import { SampleBadge, SampleNotice } from '../components/sample-data.tsx'
import { ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { DateTime, RelativeTime } from '../components/time.tsx'
import { isNotFound } from '../lib/api.ts'
import { causeTexts, toSentence } from '../lib/causes.ts'
import { formatDurationSeconds, formatNumber, pluralize } from '../lib/format.ts'
import { missingEstimateTexts } from '../lib/impact.ts'
import {
  type AccountIncident,
  getDetectionSeconds,
  getIncidentState,
  incidentStateLabels,
  useIncident,
} from '../lib/incidents.ts'
import { queryClient, queryKeys } from '../lib/queries.ts'
import { useLive } from '../lib/use-live.ts'
import { DetailsPanel, NotifiedPanel } from './incident/details-panel.tsx'
import { PostsPanel } from './incident/posts-panel.tsx'
import { TimelinePanel } from './incident/timeline-panel.tsx'
import { getIncidentIcon } from './incidents/row.tsx'
import { IncidentContext } from './monitor/incident-context.tsx'
import { IncidentFacts, IncidentVisits } from './monitor/incident-impact.tsx'
import { Tile } from './monitor/tile.tsx'
import './monitor/monitor.css'
import './incident/incident.css'

const parent = { href: '/incidents', label: 'Incidents' }

export default function IncidentPage({ id }: { id: number }) {
  const { data, error, refetch } = useIncident(id)
  if (isNotFound(error)) return <NotFoundPage />
  if (data !== undefined) return <LoadedIncident incident={data} />
  return (
    <Page title="Incident" parent={parent}>
      {error === null ? (
        <Loading what="incident">
          <Skeleton height="6rem" />
          <Skeleton height="6rem" />
          <Skeleton height="24rem" />
        </Loading>
      ) : (
        <ErrorState error={error} retry={() => void refetch()} />
      )}
    </Page>
  )
}

function LoadedIncident({ incident }: { incident: AccountIncident }) {
  const { monitor, monitor_id, cause, status, acknowledged_at, impact } = incident
  useLive({ monitorId: monitor_id, incidentId: incident.id })
  useEffect(() => {
    // A recovery or an acknowledgement changes which alerts are sent.
    void queryClient.invalidateQueries({ queryKey: queryKeys.alerts(monitor_id) })
  }, [monitor_id, status, acknowledged_at])
  const state = getIncidentState(incident)
  return (
    <Page
      title={`${monitor.friendly_name}: ${causeTexts[cause].title}`}
      heading={
        <>
          <span class="monitor-name">{monitor.friendly_name}</span> {monitor.is_sample && <SampleBadge />}
        </>
      }
      parent={parent}
      actions={
        <>
          {state === 'open' && (
            <span class="incident-acknowledge">
              <AcknowledgeButton kind="primary" incident={incident} />
            </span>
          )}
          <IncidentPostLink incident={incident} />
          <ButtonLink kind="quiet" icon={Radar} to={`/monitors/${monitor.id}`}>
            View monitor
          </ButtonLink>
        </>
      }
    >
      <div class="stack">
        {monitor.is_sample && (
          <SampleNotice>
            This incident and the visits around it are generated. Totals and reports leave them out.
          </SampleNotice>
        )}
        <IncidentBanner incident={incident} />
        <IncidentTiles incident={incident} />
        {impact?.basis === 'profile' && (
          <Panel title="Visits around the incident">
            <IncidentVisits incident={incident} impact={impact} />
          </Panel>
        )}
        <div class="monitor-columns">
          <TimelinePanel incident={incident} />
          <div class="stack">
            <PostsPanel incident={incident} />
            <DetailsPanel incident={incident} />
            <NotifiedPanel incident={incident} />
          </div>
        </div>
      </div>
    </Page>
  )
}

function IncidentBanner({ incident }: { incident: AccountIncident }) {
  const { cause, detail, acknowledged_at, acknowledged_by } = incident
  const state = getIncidentState(incident)
  return (
    <section class={`panel incident-banner incident-banner-${state}`} aria-label="Summary">
      <span class="incident-banner-icon" aria-hidden="true">
        <Icon icon={getIncidentIcon(incident)} size={22} />
      </span>
      <div class="incident-banner-text">
        <p class="incident-banner-title">
          <strong role="status">{incidentStateLabels[state]}</strong> · {causeTexts[cause].title}
        </p>
        <p>{toSentence(detail)}</p>
        <p class="small muted">{causeTexts[cause].explanation}</p>
        {cause === 'blocked' && state !== 'resolved' && <AllowAddress detail={detail} />}
        {acknowledged_at !== null && (
          <p class="small">
            Acknowledged by <strong>{acknowledged_by}</strong> <RelativeTime at={acknowledged_at} />
            {state === 'acknowledged' && '. Reminders and delayed alerts have stopped.'}
          </p>
        )}
        <IncidentContext incident={incident} />
        <IncidentFacts incident={incident} hasMissedVisits={false} />
      </div>
    </section>
  )
}

function IncidentTiles({ incident }: { incident: AccountIncident }) {
  const { status, started_at, resolved_at, duration_seconds, notified } = incident
  const isOpen = status === 'open'
  const detectionSeconds = getDetectionSeconds(incident)
  const sentCount = notified.filter(({ state }) => state === 'sent').length
  const reminderCount = notified.reduce((sum, { reminders }) => sum + reminders, 0)
  return (
    <dl class="panel monitor-tiles">
      <Tile
        name="Duration"
        value={isOpen ? <DurationSince since={started_at} /> : formatDurationSeconds(duration_seconds)}
        note={
          resolved_at === null ? (
            <>
              Since <DateTime at={started_at} />
            </>
          ) : (
            <>
              Until <DateTime at={resolved_at} />
            </>
          )
        }
        {...(isOpen && { tone: incident.acknowledged_at === null ? ('bad' as const) : ('warn' as const) })}
      />
      <MissedVisitsTile incident={incident} />
      <Tile
        name="Detected after"
        value={formatDurationSeconds(detectionSeconds)}
        note={detectionSeconds === 0 ? 'With the first failed check' : 'Confirmed by retries'}
      />
      <Tile
        name="Notified"
        value={pluralize(sentCount, 'channel')}
        note={reminderCount === 0 ? 'No reminders' : `${pluralize(reminderCount, 'reminder')} sent`}
      />
    </dl>
  )
}

function MissedVisitsTile({ incident }: { incident: AccountIncident }) {
  const { impact, visitors } = incident
  const name = 'Visits missed'
  if (visitors === 'normal') return <Tile name={name} value="None" note="Visitors arrived as usual" />
  if (impact === null || impact.visits_missed === null) {
    const reason = impact === null ? 'Not measured' : (missingEstimateTexts[impact.basis] ?? 'Not measured')
    return <Tile name={name} value="–" note={reason} />
  }
  const { visits_missed, visits_missed_low: low, visits_missed_high: high } = impact
  return (
    <Tile
      name={name}
      value={formatNumber(visits_missed)}
      note={`Between ${formatNumber(low ?? 0)} and ${formatNumber(high ?? 0)}`}
    />
  )
}
