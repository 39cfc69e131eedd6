/** Why no alert was sent about an incident: a maintenance, or another monitor that was down. */
import { GitBranch, Wrench } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { Icon } from '../../components/icon.tsx'
import { useOverview } from '../../lib/queries.ts'
import type { Incident } from './queries.ts'

export function IncidentContext({ incident }: { incident: Incident }) {
  const { during_maintenance, parent } = incident
  if (!during_maintenance && parent === null) return null
  return (
    <ul class="monitor-incident-context small">
      {during_maintenance && (
        <li>
          <Icon icon={Wrench} size={14} /> During maintenance
        </li>
      )}
      {parent && (
        <li>
          <Icon icon={GitBranch} size={14} />
          <span>
            Because <ParentLink parent={parent} /> {incident.status === 'open' ? 'is' : 'was'} down
          </span>
        </li>
      )}
    </ul>
  )
}

function ParentLink({ parent: { monitor_id: id, incident_id } }: { parent: NonNullable<Incident['parent']> }) {
  const { data } = useOverview()
  const name = data?.monitors.find((monitor) => monitor.id === id)?.friendly_name
  // The monitor was deleted, or its name has not arrived yet.
  if (name === undefined) return <>another monitor</>
  return <Link href={`/monitors/${id}${incident_id === null ? '' : `?incident=${incident_id}`}`}>{name}</Link>
}
