import { useRef, useState } from 'preact/hooks'
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx'
import { api } from '../../lib/api.ts'
import { listPageMonitors, type StatusPage } from '../../lib/status-pages.ts'
import { refetchPosts, type StatusPost, type StatusPostUpdate } from '../../lib/status-posts.ts'
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
  const form = useForm<UpdateFormValues>({ state: post.state, body: '', notify: true }, async (values) => {
    await api.post(updatesPath, values)
    showToast(values.state === 'resolved' ? 'Post resolved.' : 'Update published.')
    form.setAll((before) => ({ ...before, body: '' }))
    await refetchPosts(page.id)
  })
  const guard = useUnsavedGuard(form.values.body.trim() !== '' || isCorrectionDirty)
  const labels = listPageMonitors(page)
    .filter(({ monitor_id }) => post.monitor_ids.includes(monitor_id))
    .map(({ label }) => label)

  function prepareResolution() {
    form.setAll((before) => ({
      ...before,
      state: 'resolved',
      body: before.body.trim() === '' ? createStarterBody('resolved', labels) : before.body,
    }))
    requestAnimationFrame(() => bodyInput.current?.focus())
  }

  return (
    <article class="post">
      <PostHead page={page} post={post} onResolve={prepareResolution} />
      <div class="post-columns">
        <UpdateForm page={page} post={post} labels={labels} form={form} bodyInput={bodyInput} />
        <Timeline path={updatesPath} pageId={page.id} updates={updates} onDirty={setCorrectionDirty} />
      </div>
      {guard.dialog}
    </article>
  )
}
