/** One monitor: its status, history, incidents and notifications. */
import { ChartNoAxesColumn, Plus } from 'lucide-preact'
import { useMemo, useState } from 'preact/hooks'
import type { CheckRecord } from '../../src/checker/schema.ts'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import { ButtonLink } from '../components/button.tsx'
import { CheckPhases } from '../components/check-phases.tsx'
import { HistoryLink } from '../components/history-link.tsx'
import { NotFoundPage } from '../components/not-found-page.tsx'
import { Page, Panel } from '../components/page.tsx'
import { SampleNotice } from '../components/sample-data.tsx'
import { ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { isNotFound } from '../lib/api.ts'
import { listPhases } from '../lib/check-phases.ts'
import { isWaitingForSignal } from '../lib/monitor-status.ts'
import { hasResponseTimes } from '../lib/monitor-types.ts'
import { useMonitor, useOverview } from '../lib/queries.ts'
import { useLive } from '../lib/use-live.ts'
import { MonitorActions } from './monitor/actions.tsx'
import { CheckSettingsPanel } from './monitor/check-settings-panel.tsx'
import { DaysPanel } from './monitor/days-panel.tsx'
import { BeatTiles } from './monitor/heartbeat/beat-tiles.tsx'
import { BeatUrlPanel } from './monitor/heartbeat/beat-url-panel.tsx'
import { BeatsPanel, OutputPanel } from './monitor/heartbeat/beats-panel.tsx'
import { IncidentsPanel } from './monitor/incidents-panel.tsx'
import { NotificationsPanel } from './monitor/notifications-panel.tsx'
import { type RecentCheck, toIncidentWindow, useBeats, useChecks, useIncidents, useUptime } from './monitor/queries.ts'
import { ResponsePanel } from './monitor/response-panel.tsx'
import { SpikesPanel } from './monitor/spikes-panel.tsx'
import { StatusLine } from './monitor/status-line.tsx'
import { StatusPagesPanel } from './monitor/status-pages-panel.tsx'
import { Tiles } from './monitor/tiles.tsx'
import { useLiveRefresh } from './monitor/use-live-refresh.ts'
import { useIncidentSearch, useMonitorView } from './monitor/use-view.ts'
import './monitor/heartbeat/heartbeat.css'
import './monitor/monitor.css'

export default function MonitorPage({ id }: { id: number }) {
  useLive({ monitorId: id })
  const { data, error, refetch } = useMonitor(id)
  if (isNotFound(error)) return <NotFoundPage />
  if (data !== undefined) return <LoadedMonitor monitor={data} />
  return (
    <Page title="Monitor">
      {error === null ? (
        <Loading what="monitor">
          <Skeleton height="4rem" />
          <Skeleton height="6rem" />
          <Skeleton height="22rem" />
        </Loading>
      ) : (
        <ErrorState error={error} retry={() => void refetch()} />
      )}
    </Page>
  )
}

function LoadedMonitor({ monitor }: { monitor: MonitorRecord }) {
  const { id, type, friendly_name } = monitor
  const isHeartbeat = type === 'heartbeat'
  const screenReaderText = useLiveRefresh(monitor)
  const [result, setResult] = useState<CheckRecord>()
  const dayChecks = useChecks(id, '24h')
  const recentChecks = dayChecks.data?.meta.recent ?? NO_CHECKS
  const view = useMonitorView(monitor, dayChecks.data?.meta.to)
  const { window, setWindow, incidentId } = view
  const incidentWindow = toIncidentWindow(window)
  const incidents = useIncidents(id, incidentWindow)
  const search = useIncidentSearch(view, incidents)
  const beats = useBeats(monitor)
  const isWaitingForBeat = isWaitingForSignal(monitor)
  const uptime = useUptime(id)
  const { domain, isSettled: isOverviewSettled } = useWebsiteDomain(id)
  // Panels that load above an incident would move it out of view, so wait for them before scrolling to the incident.
  const isSettled = !dayChecks.isPending && !uptime.isPending && isOverviewSettled && !(isHeartbeat && beats.isPending)
  const listedIncidents = useMemo(() => incidents.data?.pages.flatMap((page) => page.data) ?? [], [incidents.data])

  return (
    <Page
      title={friendly_name}
      heading={<span class="monitor-name">{friendly_name}</span>}
      actions={
        monitor.is_sample ? (
          <SampleActions domain={domain} />
        ) : (
          <MonitorActions monitor={monitor} onResult={setResult} />
        )
      }
    >
      <p class="hidden-text" role="status">
        {screenReaderText}
      </p>
      <div class="stack">
        {monitor.is_sample && (
          <SampleNotice>
            Its checks and incidents are generated. Belfry checks nothing, and totals leave this monitor out.
          </SampleNotice>
        )}
        <StatusLine
          monitor={monitor}
          lastCheck={recentChecks[0]}
          domain={domain}
          result={result}
          onClose={() => setResult(undefined)}
        />
        {search === 'missing' && (
          <div class="notice notice-warn" role="status">
            This incident isn't listed: it is older than 12 months, or it was deleted.
          </div>
        )}
        {isWaitingForBeat && <BeatUrlPanel monitor={monitor} isWaiting />}
        {isHeartbeat && !isWaitingForBeat && <BeatTiles meta={beats.data?.meta} />}
        <Tiles monitor={monitor} query={uptime} />
        <DaysPanel monitor={monitor} uptime={uptime.data} />
        {hasResponseTimes(type) && !isWaitingForBeat && (
          <ResponsePanel
            monitor={monitor}
            window={window}
            onWindow={setWindow}
            incidents={listedIncidents}
            recentChecks={recentChecks}
          />
        )}
        <div class="monitor-columns">
          <div class="stack">
            {isHeartbeat && beats.data && <OutputPanel meta={beats.data.meta} />}
            {isHeartbeat && beats.data && <BeatsPanel beats={beats.data} />}
            <IncidentsPanel
              monitor={monitor}
              window={incidentWindow}
              onWindow={hasResponseTimes(type) ? undefined : setWindow}
              query={incidents}
              targetId={search === 'found' && isSettled ? incidentId : undefined}
            />
            {isHeartbeat && !isWaitingForBeat && <BeatUrlPanel monitor={monitor} isWaiting={false} />}
            {type === 'traffic' && <SpikesPanel monitorId={id} />}
          </div>
          <div class="stack">
            {!monitor.is_sample && <NotificationsPanel monitorId={id} />}
            <LastCheckPanel check={recentChecks[0]} />
            <CheckSettingsPanel monitor={monitor} />
            {!monitor.is_sample && <StatusPagesPanel monitorId={id} />}
            <HistoryLink object="monitor" id={id} />
          </div>
        </div>
      </div>
    </Page>
  )
}

/** A sample monitor can't be checked, resumed or changed in a way that matters. */
function SampleActions({ domain }: { domain: string | undefined }) {
  return (
    <>
      {domain !== undefined && (
        <ButtonLink to={`/${domain}`} icon={ChartNoAxesColumn}>
          Statistics
        </ButtonLink>
      )}
      <ButtonLink kind="primary" to="/monitors/new" icon={Plus} needs="edit">
        Add your own monitor
      </ButtonLink>
    </>
  )
}

const NO_CHECKS: readonly RecentCheck[] = []

function LastCheckPanel({ check }: { check: RecentCheck | undefined }) {
  if (check === undefined || listPhases(check).length === 0) return null
  return (
    <Panel title="Last check">
      <CheckPhases check={check} />
    </Panel>
  )
}

/** The website that the monitor checks. */
function useWebsiteDomain(monitorId: number) {
  const { data, isPending } = useOverview()
  const monitor = data?.monitors.find(({ id }) => id === monitorId)
  const domain = monitor && data?.websites.find(({ id }) => id === monitor.website_id)?.domain
  return { domain, isSettled: !isPending }
}
