import { useEffect, useRef, useState } from 'preact/hooks'
import { useSearchParams } from 'wouter-preact'
import { Notice } from '../../components/notice.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx'
import { api } from '../../lib/api.ts'
import { listPageMonitors, type StatusPage } from '../../lib/status-pages.ts'
import { findRecoveryTime, refetchPosts, type StatusPost, type StatusPostUpdate } from '../../lib/status-posts.ts'
import { can } from '../../lib/team.ts'
import { showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { PostHead } from './post-head.tsx'
import { createStarterBody } from './starters.ts'
import { Timeline } from './timeline.tsx'
import { UpdateForm, type UpdateFormValues } from './update-form.tsx'

interface PostViewProps {
  page: StatusPage
  post: StatusPost
  /** The updates, oldest first. */
  updates: readonly StatusPostUpdate[]
}

export function PostView({ page, post, updates }: PostViewProps) {
  const updatesPath = `api/status-pages/${page.id}/posts/${post.id}/updates`
  const bodyInput = useRef<HTMLTextAreaElement>(null)
  const [isCorrectionDirty, setCorrectionDirty] = useState(false)
  const labels = listPageMonitors(page)
    .filter(({ monitor_id }) => post.monitor_ids.includes(monitor_id))
    .map(({ label }) => label)
  const resolution = createStarterBody('resolved', labels)
  const [params] = useSearchParams()
  const isResolving = params.get('state') === 'resolved' && post.state !== 'resolved'
  const initial = isResolving ? { state: 'resolved' as const, body: resolution } : { state: post.state, body: '' }
  const form = useForm<UpdateFormValues>({ ...initial, notify: true }, async (values) => {
    await api.post(updatesPath, values)
    showToast(values.state === 'resolved' ? 'Post resolved.' : 'Update published.')
    form.setAll((before) => ({ ...before, body: '' }))
    await refetchPosts(page.id)
  })
  // A text that the application has filled in is not lost when the user leaves.
  const guard = useUnsavedGuard(!['', resolution].includes(form.values.body.trim()) || isCorrectionDirty)
  const recoveredAt = findRecoveryTime(post)
  useEffect(() => {
    if (isResolving) bodyInput.current?.focus()
  }, [])

  function prepareResolution() {
    form.setAll((before) => ({
      ...before,
      state: 'resolved',
      body: before.body.trim() === '' ? resolution : before.body,
    }))
    requestAnimationFrame(() => bodyInput.current?.focus())
  }

  return (
    <article class="post">
      <PostHead page={page} post={post} onResolve={prepareResolution} />
      {recoveredAt !== undefined && (
        <Notice tone="warn">
          The outage ended <RelativeTime at={recoveredAt} />, but this post is still open. Visitors see it as a current
          incident until you resolve it.
        </Notice>
      )}
      <div class="post-columns">
        {can('edit shared') && <UpdateForm page={page} post={post} labels={labels} form={form} bodyInput={bodyInput} />}
        <Timeline path={updatesPath} pageId={page.id} updates={updates} onDirty={setCorrectionDirty} />
      </div>
      {guard.dialog}
    </article>
  )
}
