import { Link } from 'wouter-preact'
import { Icon } from '../../components/icon.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { pluralize } from '../../lib/format.ts'
import type { StatusPage } from '../../lib/status-pages.ts'
import { postStateLabels, type StatusPost } from '../../lib/status-posts.ts'
import { toExcerpt } from './excerpt.ts'
import { MonitorTags } from './monitor-tags.tsx'
import { PostStateBadge } from './post-state.tsx'

export function PostRow({ page, post }: { page: StatusPage; post: StatusPost }) {
  const { id, title, state, latest_update, update_count } = post
  return (
    <li class="post-row">
      <span class={`post-icon post-state-${state}`} aria-hidden="true">
        <Icon icon={postStateLabels[state].icon} size={18} />
      </span>
      <div class="post-row-text">
        <h3>
          <Link href={`/status-pages/${page.id}/posts/${id}`}>{title}</Link>
        </h3>
        <p class="post-row-excerpt muted">{toExcerpt(latest_update.body)}</p>
        <p class="post-row-meta small">
          <PostStateBadge state={state} />
          <span class="muted numbers">
            <RelativeTime at={latest_update.created_at} />
            {update_count > 1 && ` · ${pluralize(update_count, 'update')}`}
          </span>
          <MonitorTags page={page} monitorIds={post.monitor_ids} />
        </p>
      </div>
    </li>
  )
}
