/** Explains why no alert was sent about an incident: a maintenance, or another monitor that was down. */
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
            Because <Parent parent={parent} isIncidentOpen={incident.status === 'open'} /> down
          </span>
        </li>
      )}
    </ul>
  )
}

interface ParentProps {
  parent: NonNullable<Incident['parent']>
  isIncidentOpen: boolean
}

/**
 * Shows the name of the monitor that the incident's monitor depends on, and whether it is still down. It may have
 * recovered earlier.
 */
function Parent({ parent: { monitor_id: id, incident_id }, isIncidentOpen }: ParentProps) {
  const { data } = useOverview()
  const monitor = data?.monitors.find((monitor) => monitor.id === id)
  // The monitor was deleted, or the overview has not arrived yet.
  if (monitor === undefined) return <>another monitor was</>
  return (
    <>
      <Link href={incident_id === null ? `/monitors/${id}` : `/incidents/${incident_id}`}>{monitor.friendly_name}</Link>{' '}
      {isIncidentOpen && monitor.status === 'down' ? 'is' : 'was'}
    </>
  )
}
