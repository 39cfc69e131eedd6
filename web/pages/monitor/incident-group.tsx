import { useMemo } from 'preact/hooks'
import { useChannels } from '../../lib/channels.ts'
import { hasAllAlertsOf } from './alert-summary.ts'
import { IncidentItem } from './incident-item.tsx'
import { type Alert, type Incident, useAlerts } from './queries.ts'

interface IncidentGroupProps {
  monitorId: number
  incidents: readonly Incident[]
  /** The incident to scroll to. */
  targetId: number | undefined
}

/** Fetches the alerts of all incidents of the group in one request. */
export function IncidentGroup({ monitorId, incidents, targetId }: IncidentGroupProps) {
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
