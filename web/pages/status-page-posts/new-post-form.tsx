import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { MAX_POST_TITLE_LENGTH, type PostState } from '../../../src/shared/status-pages.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { goBack } from '../../lib/go-back.ts'
import { listPageMonitors, type StatusPage } from '../../lib/status-pages.ts'
import { refetchPosts, type StatusPost } from '../../lib/status-posts.ts'
import { showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { BodyField } from './body-field.tsx'
import { PostMonitorFields } from './monitor-fields.tsx'
import { NotifyField } from './notify-field.tsx'
import { PostTitle } from './post-title.tsx'
import { StateField } from './state-field.tsx'
import { useTemplateMenu } from './use-template-menu.tsx'

export interface NewPostValues {
  title: string
  state: PostState
  body: string
  monitor_ids: readonly number[]
  notify: boolean
}

interface NewPostFormProps {
  page: StatusPage
  initial: NewPostValues
}

export function NewPostForm({ page, initial: initialProp }: NewPostFormProps) {
  // Keep the first value, so that a background refetch doesn't change what the user is writing.
  const [initial] = useState(initialProp)
  const [, navigate] = useLocation()
  const listPath = `/status-pages/${page.id}/posts`
  const form = useForm(initial, async (values) => {
    const { data } = await api.post<ItemResponse<StatusPost>>(`api/status-pages/${page.id}/posts`, values)
    showToast('Post published.')
    void refetchPosts(page.id)
    navigate(`${listPath}/${data.id}`, { replace: true })
  })
  const { values, set, setAll, errorsFor } = form
  const guard = useUnsavedGuard(JSON.stringify(values) !== JSON.stringify(initial))
  const labels = listPageMonitors(page)
    .filter(({ monitor_id }) => values.monitor_ids.includes(monitor_id))
    .map(({ label }) => label)
  const templates = useTemplateMenu({
    texts: { title: values.title, state: values.state, body: values.body },
    labels,
    onApply: (texts) => setAll((before) => ({ ...before, ...texts })),
  })
  return (
    <>
      <form class="post" onSubmit={form.submit} noValidate>
        <PostTitle listPath={listPath}>Write post</PostTitle>
        <div class="post-columns">
          <div class="panel form post-form">
            <div class="post-form-head">
              <StateField value={values.state} onValue={(state) => set('state', state)} />
              {templates.menu}
            </div>
            <TextField
              label="Title"
              placeholder="Payments are slow"
              maxLength={MAX_POST_TITLE_LENGTH}
              autocomplete="off"
              required
              value={values.title}
              errors={errorsFor('title')}
              onValue={(title) => set('title', title)}
            />
            <BodyField
              placeholder="What doesn't work, since when, and when will you write again?"
              value={values.body}
              errors={errorsFor('body')}
              onValue={(body) => set('body', body)}
            />
          </div>
          <div class="stack">
            <div class="panel">
              <PostMonitorFields
                page={page}
                selectedIds={values.monitor_ids}
                errors={errorsFor('monitor_ids')}
                onSelect={(ids) => set('monitor_ids', ids)}
              />
            </div>
            <div class="panel">
              <NotifyField
                page={page}
                monitorIds={values.monitor_ids}
                checked={values.notify}
                onValue={(notify) => set('notify', notify)}
              />
            </div>
          </div>
        </div>
        <div class="form-bar">
          <ProblemNotice problem={form.problem} fieldsWithOwnErrors={['title', 'body', 'monitor_ids']} />
          <div class="form-actions">
            <Button kind="primary" type="submit" busy={form.busy}>
              Publish post
            </Button>
            <Button kind="quiet" onClick={() => guard.leave(() => goBack(() => navigate(listPath)))}>
              Cancel
            </Button>
          </div>
        </div>
      </form>
      {templates.dialog}
      {guard.dialog}
    </>
  )
}
