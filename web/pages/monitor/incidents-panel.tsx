import { CircleCheck } from 'lucide-preact'
import { useMemo, useState } from 'preact/hooks'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Panel } from '../../components/page.tsx'
import { Loading, QueryContent, Skeleton } from '../../components/states.tsx'
import { formatDurationSeconds, pluralize } from '../../lib/format.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { getUptimeWords } from './get-uptime-words.ts'
import { groupIncidents } from './group-incidents.ts'
import { growDowntime } from './grow-downtime.ts'
import { windowLabels } from './labels.ts'
import { PeriodControl } from './period-control.tsx'
import {
  type Alert,
  type Incident,
  type IncidentWindow,
  incidentWindows,
  useAlerts,
  type useIncidents,
} from './queries.ts'
import './incidents.css'
import { useChannels } from '../../lib/channels.ts'
import { hasAllAlertsOf } from './alert-summary.ts'
import { IncidentItem } from './incident-item.tsx'

interface IncidentsPanelProps {
  monitor: MonitorRecord
  window: IncidentWindow
  /** Undefined if another panel already selects the period. */
  onWindow: ((window: IncidentWindow) => void) | undefined
  query: ReturnType<typeof useIncidents>
  /** The incident to scroll to. */
  targetId: number | undefined
}

export function IncidentsPanel(props: IncidentsPanelProps) {
  const { window, onWindow, query } = props
  return (
    <Panel
      title={`Incidents in the last ${windowLabels[window]}`}
      actions={
        <>
          <IncidentTotals {...props} />
          {onWindow && <PeriodControl windows={incidentWindows} value={window} onValue={onWindow} />}
        </>
      }
    >
      <QueryContent
        query={query}
        loading={
          <Loading what="incidents">
            <Skeleton height="8rem" />
          </Loading>
        }
      >
        {({ pages }) => <IncidentGroups {...props} incidents={pages.flatMap((page) => page.data)} key={window} />}
      </QueryContent>
    </Panel>
  )
}

function IncidentTotals({ monitor: { type, down_since }, query }: IncidentsPanelProps) {
  const now = useServerNow(down_since !== null)
  const meta = query.data?.pages[0]?.meta
  if (meta === undefined || meta.total === 0) return null
  return (
    <span class="small muted numbers">
      {pluralize(meta.total, 'incident')},{' '}
      {getUptimeWords(type).downtime(formatDurationSeconds(growDowntime(meta, down_since, now)))}
    </span>
  )
}

interface IncidentGroupsProps extends IncidentsPanelProps {
  incidents: readonly Incident[]
}

function IncidentGroups({ monitor, window, query, targetId, incidents }: IncidentGroupsProps) {
  const [chosenGroupCount, setChosenGroupCount] = useState(1)
  const [initialNewestId] = useState(incidents[0]?.id)
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  if (incidents.length === 0) {
    return (
      <p class="monitor-no-incidents muted">
        <Icon icon={CircleCheck} size={20} /> No incidents in the last {windowLabels[window]}.
      </p>
    )
  }
  const groups = groupIncidents(incidents, initialNewestId)
  const targetGroup = groups.findIndex((group) => group.some(({ id }) => id === targetId))
  const shownGroupCount = Math.max(chosenGroupCount, targetGroup + 1)
  return (
    <>
      {groups.slice(0, shownGroupCount).map((group, index) => (
        <IncidentGroup key={index} monitorId={monitor.id} incidents={group} targetId={targetId} />
      ))}
      {(shownGroupCount < groups.length || hasNextPage) && (
        <Button
          busy={isFetchingNextPage}
          onClick={() => {
            setChosenGroupCount(shownGroupCount + 1)
            if (shownGroupCount >= groups.length - 1 && hasNextPage) void fetchNextPage()
          }}
        >
          Show more
        </Button>
      )}
    </>
  )
}

interface IncidentGroupProps {
  monitorId: number
  incidents: readonly Incident[]
  /** The incident to scroll to. */
  targetId: number | undefined
}

/** Fetches the alerts of all incidents of the group in one request. */
function IncidentGroup({ monitorId, incidents, targetId }: IncidentGroupProps) {
  const ids = useMemo(() => incidents.map((incident) => incident.id), [incidents])
  const { data } = useAlerts(monitorId, ids)
  const channels = useChannels().data ?? []
  const alertsByIncident = useMemo(() => Map.groupBy(data?.data ?? [], (alert) => alert.incident_id), [data])
  return (
    <ol class="monitor-incidents">
      {incidents.map((incident) => (
        <IncidentItem
          key={incident.id}
          incident={incident}
          isTarget={incident.id === targetId}
          alerts={data && listAlerts(incident, alertsByIncident)}
          hasAllAlerts={data !== undefined && hasAllAlertsOf(incident, data)}
          channels={channels}
        />
      ))}
    </ol>
  )
}

/** Returns the oldest alert first. */
const listAlerts = ({ id }: Incident, alertsByIncident: Map<number | null, Alert[]>) =>
  alertsByIncident.get(id)?.toReversed() ?? []
