/** One monitor: how it is, how it was, what went wrong, and who was told. */
import { useState } from 'preact/hooks'
import { useSearchParams } from 'wouter-preact'
import type { CheckRecord } from '../../src/checker/schema.ts'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import { Page, Panel } from '../components/page.tsx'
import { Phases } from '../components/check-phases.tsx'
import { ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { isNotFound } from '../lib/api.ts'
import { useLive } from '../lib/live.ts'
import { phasesOf } from '../lib/check-phases.ts'
import { useMonitor, useOverview } from '../lib/queries.ts'
import { MonitorActions } from './monitor/actions.tsx'
import { DaysPanel } from './monitor/days-panel.tsx'
import { IncidentsPanel } from './monitor/incidents-panel.tsx'
import { NotificationsPanel } from './monitor/notifications-panel.tsx'
import { useChecks, useIncidents, windows } from './monitor/queries.ts'
import { ResponsePanel } from './monitor/response-panel.tsx'
import { SettingsPanel } from './monitor/settings-panel.tsx'
import { StatusLine } from './monitor/status-line.tsx'
import { Tiles } from './monitor/tiles.tsx'
import { useFollow } from './monitor/use-live-refresh.ts'
import { NotFoundPage } from './not-found.tsx'
import './monitor/monitor.css'

export default function MonitorPage({ id }: { id: number }) {
  useLive({ monitor: id })
  const { data, error, refetch } = useMonitor(id)
  if (isNotFound(error)) return <NotFoundPage />
  if (data !== undefined) return <Loaded monitor={data} />
  return (
    <Page title="Monitor">
      {error === null ? (
        <Loading what="the monitor">
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

function Loaded({ monitor }: { monitor: MonitorRecord }) {
  const { id, friendly_name } = monitor
  const said = useFollow(monitor)
  const [result, setResult] = useState<CheckRecord>()
  const [params, setParams] = useSearchParams()
  const window = windows.find((name) => name === params.get('window')) ?? '24h'
  const incidents = useIncidents(id, window)
  const lastCheck = useChecks(id, '24h').data?.meta.recent[0]
  const seen = useSeen(id)

  return (
    <Page
      title={friendly_name}
      heading={<span class="monitor-name">{friendly_name}</span>}
      actions={<MonitorActions monitor={monitor} onResult={setResult} />}
    >
      <p class="hidden-text" role="status">
        {said}
      </p>
      <div class="stack">
        <StatusLine
          monitor={monitor}
          lastCheck={lastCheck}
          domain={seen?.domain}
          result={result}
          onClose={() => setResult(undefined)}
        />
        <Tiles monitor={monitor} />
        <DaysPanel seen={seen} />
        <ResponsePanel
          id={id}
          window={window}
          onWindow={(name) => setParams(name === '24h' ? {} : { window: name }, { replace: true })}
          incidents={incidents.data?.pages.flatMap((page) => page.data) ?? []}
        />
        <div class="monitor-columns">
          <IncidentsPanel id={id} window={window} found={incidents} />
          <div class="stack">
            <NotificationsPanel id={id} />
            {lastCheck !== undefined && phasesOf(lastCheck).length > 0 && (
              <Panel title="The last check in detail">
                <Phases check={lastCheck} />
              </Panel>
            )}
            <SettingsPanel monitor={monitor} />
          </div>
        </div>
      </div>
    </Page>
  )
}

/** What the overview knows of it: its days, and the website that it looks at. */
function useSeen(id: number) {
  const { data } = useOverview()
  const monitor = data?.monitors.find((one) => one.id === id)
  if (data === undefined || monitor === undefined) return undefined
  const domain = data.websites.find((website) => website.id === monitor.website_id)?.domain
  return { days: data.days, monitor, domain }
}
