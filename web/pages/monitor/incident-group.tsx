import { useMemo } from 'preact/hooks'
import { useProviders } from '../../lib/providers.ts'
import { IncidentItem } from './incident-item.tsx'
import { type Alert, type Incident, useSent } from './queries.ts'

interface IncidentGroupProps {
  id: number
  incidents: readonly Incident[]
  /** When the durations were true, in Unix milliseconds. */
  askedAt: number
}

/** What was sent about all of them is one question. */
export function IncidentGroup({ id, incidents, askedAt }: IncidentGroupProps) {
  const ids = useMemo(() => incidents.map((incident) => incident.id), [incidents])
  const { data } = useSent(id, ids)
  const providers = useProviders().data ?? []
  const byIncident = useMemo(() => Map.groupBy(data?.data ?? [], (alert) => alert.incident_id), [data])
  const isWhole = data !== undefined && data.meta.total <= data.data.length
  return (
    <ol class="monitor-incidents">
      {incidents.map((incident) => (
        <IncidentItem
          key={incident.id}
          incident={incident}
          askedAt={askedAt}
          sent={data && sentAbout(incident, byIncident)}
          isWhole={isWhole}
          providers={providers}
        />
      ))}
    </ol>
  )
}

/** Oldest first: as it happened. */
const sentAbout = ({ id }: Incident, byIncident: Map<number | null, Alert[]>) => byIncident.get(id)?.toReversed() ?? []
