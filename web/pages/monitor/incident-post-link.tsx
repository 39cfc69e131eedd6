/** Leads from an incident to a new post on a status page that shows the monitor. */
import { MessageSquareText } from 'lucide-preact'
import { ButtonLink } from '../../components/button.tsx'
import { withQuery } from '../../lib/api.ts'
import { formatDateTime } from '../../lib/format.ts'
import { listPageMonitors, useStatusPages } from '../../lib/status-pages.ts'
import type { Incident } from './queries.ts'

export function IncidentPostLink({ incident }: { incident: Incident }) {
  const { data: pages = [] } = useStatusPages()
  const { monitor_id: monitor, status, started_at } = incident
  if (!pages.some((page) => listPageMonitors(page).some(({ monitor_id }) => monitor_id === monitor))) return null
  // If several pages show the monitor, this path asks for one.
  const path = withQuery('/status-pages/posts/new', { monitor, state: status === 'resolved' ? status : undefined })
  return (
    <div class="monitor-incident-post">
      <ButtonLink small icon={MessageSquareText} to={path}>
        Write status post<span class="hidden-text"> about the incident of {formatDateTime(started_at)}</span>
      </ButtonLink>
    </div>
  )
}
