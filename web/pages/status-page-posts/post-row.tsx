import { CircleCheck } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { ButtonLink } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { pluralize } from '../../lib/format.ts'
import type { StatusPage } from '../../lib/status-pages.ts'
import { findRecoveryTime, postStateLabels, type StatusPost, toResolvePath } from '../../lib/status-posts.ts'
import { MonitorTags } from './monitor-tags.tsx'
import { toExcerpt } from './to-excerpt.ts'

export function PostRow({ page, post }: { page: StatusPage; post: StatusPost }) {
  const { id, title, state, latest_update, update_count } = post
  const { label, icon } = postStateLabels[state]
  const recoveredAt = findRecoveryTime(post)
  return (
    <li class={`post-row post-state-${state}`}>
      <span class="post-icon" aria-hidden="true">
        <Icon icon={icon} size={18} />
      </span>
      <div class="post-row-text">
        <div class="post-row-head">
          <h3>
            <Link href={`/status-pages/${page.id}/posts/${id}`}>{title}</Link>
          </h3>
          <span class="small muted numbers">
            <RelativeTime at={latest_update.created_at} />
          </span>
        </div>
        <p class="post-row-excerpt muted">{toExcerpt(latest_update.body)}</p>
        <p class="post-facts small">
          <strong class="post-row-state">{label}</strong>
          {update_count > 1 && <span class="muted numbers">{pluralize(update_count, 'update')}</span>}
          <MonitorTags page={page} monitorIds={post.monitor_ids} />
        </p>
        {recoveredAt !== undefined && (
          <div class="post-row-recovered small">
            <span>
              The outage ended <RelativeTime at={recoveredAt} />, but this post is still open.
            </span>
            <ButtonLink small icon={CircleCheck} to={toResolvePath(post)}>
              Resolve post<span class="hidden-text"> {title}</span>
            </ButtonLink>
          </div>
        )}
      </div>
    </li>
  )
}
