/** One monitor: its status, history, incidents and notifications. */
import { useState } from 'preact/hooks'
import { useSearchParams } from 'wouter-preact'
import type { CheckRecord } from '../../src/checker/schema.ts'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import { CheckPhases } from '../components/check-phases.tsx'
import { Page, Panel } from '../components/page.tsx'
import { ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { isNotFound } from '../lib/api.ts'
import { listPhases } from '../lib/check-phases.ts'
import { useLive } from '../lib/live.ts'
import { useMonitor, useOverview } from '../lib/queries.ts'
import { MonitorActions } from './monitor/actions.tsx'
import { DaysPanel } from './monitor/days-panel.tsx'
import { IncidentsPanel } from './monitor/incidents-panel.tsx'
import { NotificationsPanel } from './monitor/notifications-panel.tsx'
import { monitorWindows, useChecks, useIncidents } from './monitor/queries.ts'
import { ResponsePanel } from './monitor/response-panel.tsx'
import { CheckSettingsPanel } from './monitor/settings-panel.tsx'
import { StatusLine } from './monitor/status-line.tsx'
import { Tiles } from './monitor/tiles.tsx'
import { useLiveRefresh } from './monitor/use-live-refresh.ts'
import { NotFoundPage } from './not-found.tsx'
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
  const { id, friendly_name } = monitor
  const screenReaderText = useLiveRefresh(monitor)
  const [result, setResult] = useState<CheckRecord>()
  const [params, setParams] = useSearchParams()
  const window = monitorWindows.find((name) => name === params.get('window')) ?? '24h'
  const incidents = useIncidents(id, window)
  const lastCheck = useChecks(id, '24h').data?.meta.recent[0]
  const summary = useOverviewSummary(id)

  return (
    <Page
      title={friendly_name}
      heading={<span class="monitor-name">{friendly_name}</span>}
      actions={<MonitorActions monitor={monitor} onResult={setResult} />}
    >
      <p class="hidden-text" role="status">
        {screenReaderText}
      </p>
      <div class="stack">
        <StatusLine
          monitor={monitor}
          lastCheck={lastCheck}
          domain={summary?.domain}
          result={result}
          onClose={() => setResult(undefined)}
        />
        <Tiles monitor={monitor} />
        <DaysPanel summary={summary} />
        <ResponsePanel
          monitorId={id}
          window={window}
          onWindow={(name) => setParams(name === '24h' ? {} : { window: name }, { replace: true })}
          incidents={incidents.data?.pages.flatMap((page) => page.data) ?? []}
        />
        <div class="monitor-columns">
          <IncidentsPanel monitorId={id} window={window} query={incidents} />
          <div class="stack">
            <NotificationsPanel monitorId={id} />
            {lastCheck !== undefined && listPhases(lastCheck).length > 0 && (
              <Panel title="Last check">
                <CheckPhases check={lastCheck} />
              </Panel>
            )}
            <CheckSettingsPanel monitor={monitor} />
          </div>
        </div>
      </div>
    </Page>
  )
}

/** The monitor's data in the overview: daily uptime and the website it checks. */
function useOverviewSummary(id: number) {
  const { data } = useOverview()
  const monitor = data?.monitors.find((monitor) => monitor.id === id)
  if (data === undefined || monitor === undefined) return undefined
  const domain = data.websites.find((website) => website.id === monitor.website_id)?.domain
  return { days: data.days, monitor, domain }
}
