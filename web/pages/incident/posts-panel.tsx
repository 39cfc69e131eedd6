import { CircleCheck } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { ButtonLink } from '../../components/button.tsx'
import { toPostPath, useIncidentPosts } from '../../components/incident-post-link.tsx'
import { Panel } from '../../components/page.tsx'
import { PostStateBadge } from '../../components/post-state-badge.tsx'
import { RelativeTime } from '../../components/time.tsx'
import type { AccountIncident } from '../../lib/incidents.ts'
import { useStatusPages } from '../../lib/status-pages.ts'
import { findRecoveryTime, type StatusPost, toResolvePath } from '../../lib/status-posts.ts'

/** The posts about the incident on status pages. A post stays open until its author resolves it. */
export function PostsPanel({ incident }: { incident: AccountIncident }) {
  const posts = useIncidentPosts(incident) ?? []
  if (posts.length === 0) return null
  return (
    <Panel title={posts.length === 1 ? 'Status post' : 'Status posts'}>
      <ul class="incident-posts">
        {posts.map((post) => (
          <IncidentPost key={post.id} post={post} />
        ))}
      </ul>
    </Panel>
  )
}

function IncidentPost({ post }: { post: StatusPost }) {
  const page = useStatusPages().data?.find(({ id }) => id === post.status_page_id)
  const recoveredAt = findRecoveryTime(post)
  return (
    <li>
      <Link href={toPostPath(post)}>{post.title}</Link>
      <p class="row small">
        <PostStateBadge state={post.state} />
        <span class="muted">{page?.title}</span>
      </p>
      {recoveredAt !== undefined && (
        <>
          <p class="small">
            The outage ended <RelativeTime at={recoveredAt} />, but this post is still open.
          </p>
          <ButtonLink small icon={CircleCheck} to={toResolvePath(post)}>
            Resolve post
          </ButtonLink>
        </>
      )}
    </li>
  )
}
