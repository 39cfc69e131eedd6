/** The title of a post, its state, times and monitors, and the buttons for the whole post. */
import { CircleCheck, Pencil, Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { PostStateBadge } from '../../components/post-state-badge.tsx'
import { DateTime } from '../../components/time.tsx'
import { api } from '../../lib/api.ts'
import { formatDurationSeconds } from '../../lib/format.ts'
import { goBackPast } from '../../lib/go-back.ts'
import type { StatusPage } from '../../lib/status-pages.ts'
import { refetchPostLists, type StatusPost } from '../../lib/status-posts.ts'
import { showToast } from '../../lib/toasts.ts'
import { EditPostDialog } from './edit-post-dialog.tsx'
import { MonitorTags } from './monitor-tags.tsx'
import { PostTitle } from './post-title.tsx'

interface PostHeadProps {
  page: StatusPage
  post: StatusPost
  onResolve: () => void
}

export function PostHead({ page, post, onResolve }: PostHeadProps) {
  const { title, state, created_at, resolved_at } = post
  const [openDialog, setOpenDialog] = useState<'edit' | 'delete'>()
  const [, navigate] = useLocation()
  const listPath = `/status-pages/${page.id}/posts`
  const close = () => setOpenDialog(undefined)

  async function remove() {
    await api.delete(`api/status-pages/${page.id}/posts/${post.id}`)
    showToast('Post deleted.')
    await goBackPast(`${listPath}/${post.id}`, () => navigate(listPath, { replace: true }))
    void refetchPostLists(page.id)
  }

  return (
    <header class="post-head">
      <div class="post-head-text">
        <PostTitle listPath={listPath}>{title}</PostTitle>
        <p class="post-facts small">
          <PostStateBadge state={state} />
          <span class="muted numbers">
            <DateTime at={created_at} />
            {resolved_at !== null && ` · Resolved after ${formatDuration(created_at, resolved_at)}`}
          </span>
          <MonitorTags page={page} monitorIds={post.monitor_ids} />
        </p>
      </div>
      <div class="page-actions">
        {state !== 'resolved' && (
          <Button needs="edit shared" icon={CircleCheck} onClick={onResolve}>
            Resolve
          </Button>
        )}
        <Button needs="edit shared" icon={Pencil} aria-label={`Edit ${title}`} onClick={() => setOpenDialog('edit')}>
          Edit
        </Button>
        <Button
          kind="danger"
          needs="edit shared"
          icon={Trash2}
          aria-label={`Delete ${title}`}
          onClick={() => setOpenDialog('delete')}
        >
          Delete
        </Button>
      </div>
      {openDialog === 'edit' && <EditPostDialog page={page} post={post} onClose={close} />}
      {openDialog === 'delete' && (
        <ConfirmDialog title={`Delete ${title}?`} action="Delete post" onConfirm={remove} onClose={close}>
          The post and its updates disappear from the status page. Emails that were already sent can't be recalled. This
          can't be undone.
        </ConfirmDialog>
      )}
    </header>
  )
}

const formatDuration = (from: string, to: string) =>
  formatDurationSeconds(Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / 1_000)))
