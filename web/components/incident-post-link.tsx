import { MessageSquareText } from 'lucide-preact'
import type { IncidentRecord } from '../../src/incidents/schema.ts'
import { withQuery } from '../lib/api.ts'
import { formatDateTime } from '../lib/format.ts'
import { listPageMonitors, useStatusPages } from '../lib/status-pages.ts'
import { ButtonLink } from './button.tsx'

interface IncidentPostLinkProps {
  incident: Pick<IncidentRecord, 'monitor_id' | 'status' | 'started_at'>
  small?: boolean
}

/** Leads from an incident to a new post on a status page that shows the monitor. */
export function IncidentPostLink({ incident, small = false }: IncidentPostLinkProps) {
  const { data: pages = [] } = useStatusPages()
  const { monitor_id: monitor, status, started_at } = incident
  if (!pages.some((page) => listPageMonitors(page).some(({ monitor_id }) => monitor_id === monitor))) return null
  // If several status pages show the monitor, the page at this path asks the user to choose one.
  const path = withQuery('/status-pages/posts/new', { monitor, state: status === 'resolved' ? status : undefined })
  return (
    <ButtonLink small={small} icon={MessageSquareText} to={path}>
      Write status post<span class="hidden-text"> about the incident of {formatDateTime(started_at)}</span>
    </ButtonLink>
  )
}
