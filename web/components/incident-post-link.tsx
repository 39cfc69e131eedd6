import { CircleCheck, MessageSquareText } from 'lucide-preact'
import { withQuery } from '../lib/api.ts'
import { formatDateTime } from '../lib/format.ts'
import type { AccountIncident } from '../lib/incidents.ts'
import { listPageMonitors, useStatusPages } from '../lib/status-pages.ts'
import { findRecoveryTime, type StatusPost, toResolvePath, useMonitorPosts } from '../lib/status-posts.ts'
import { ButtonLink } from './button.tsx'

type IncidentFields = Pick<AccountIncident, 'id' | 'monitor_id' | 'status' | 'started_at'>

/** The posts about an incident, newest first. Undefined while loading, and if no status page shows the monitor. */
export function useIncidentPosts({ id, monitor_id }: Pick<IncidentFields, 'id' | 'monitor_id'>) {
  const { data: pages = [] } = useStatusPages()
  const isShown = pages.some((page) => listPageMonitors(page).some((monitor) => monitor.monitor_id === monitor_id))
  const { data } = useMonitorPosts(monitor_id, isShown)
  return isShown ? data?.filter(({ incidents }) => incidents.some((incident) => incident.id === id)) : undefined
}

interface IncidentPostLinkProps {
  incident: IncidentFields
  small?: boolean
}

/**
 * A link from an incident to the post about it. If the post is still open after the incident, the link opens an update that resolves the
 * post. Without a post, it opens the form for a new one.
 */
export function IncidentPostLink({ incident, small = false }: IncidentPostLinkProps) {
  const posts = useIncidentPosts(incident)
  if (posts === undefined) return null
  const hiddenText = <span class="hidden-text"> about the incident of {formatDateTime(incident.started_at)}</span>
  const openPost = posts.find((post) => findRecoveryTime(post) !== undefined)
  if (openPost !== undefined) {
    return (
      <ButtonLink needs="edit" small={small} kind="primary" icon={CircleCheck} to={toResolvePath(openPost)}>
        Resolve post{hiddenText}
      </ButtonLink>
    )
  }
  const [post] = posts
  return (
    <ButtonLink
      {...(post === undefined && { needs: 'edit' as const })}
      small={small}
      icon={MessageSquareText}
      to={post ? toPostPath(post) : toNewPostPath(incident)}
    >
      {post ? 'View status post' : 'Write status post'}
      {hiddenText}
    </ButtonLink>
  )
}

export const toPostPath = ({ id, status_page_id }: Pick<StatusPost, 'id' | 'status_page_id'>) =>
  `/status-pages/${status_page_id}/posts/${id}`

/** If several status pages show the monitor, the page at this path asks the user to choose one. */
const toNewPostPath = ({ monitor_id: monitor, status }: IncidentFields) =>
  withQuery('/status-pages/posts/new', { monitor, state: status === 'resolved' ? status : undefined })
