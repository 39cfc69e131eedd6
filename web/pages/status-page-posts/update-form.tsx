/** Adds an update to a post. The update can resolve the post or open it again. */
import type { RefObject } from 'preact'
import type { PostState } from '../../../src/shared/status-pages.ts'
import { Button } from '../../components/button.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import type { StatusPage } from '../../lib/status-pages.ts'
import type { StatusPost } from '../../lib/status-posts.ts'
import type { Form } from '../../lib/use-form.ts'
import { BodyField } from './body-field.tsx'
import { NotifyField } from './notify-field.tsx'
import { StateField } from './state-field.tsx'
import { useTemplateMenu } from './use-template-menu.tsx'

export interface UpdateFormValues {
  state: PostState
  body: string
  notify: boolean
}

interface UpdateFormProps {
  page: StatusPage
  post: StatusPost
  /** Labels of the affected monitors. */
  labels: readonly string[]
  form: Form<UpdateFormValues>
  bodyInput: RefObject<HTMLTextAreaElement>
}

export function UpdateForm({ page, post, labels, form, bodyInput }: UpdateFormProps) {
  const { values, set, setAll, errorsFor } = form
  const templates = useTemplateMenu({
    texts: { title: post.title, state: values.state, body: values.body },
    labels,
    onApply: ({ state, body }) => setAll((before) => ({ ...before, state, body })),
  })
  return (
    <section class="panel post-new-update">
      <div class="panel-head">
        <h3>New update</h3>
        {templates.menu}
      </div>
      <form class="form" onSubmit={form.submit} noValidate>
        <StateField value={values.state} onValue={(state) => set('state', state)} />
        <BodyField
          inputRef={bodyInput}
          value={values.body}
          errors={errorsFor('body')}
          onValue={(body) => set('body', body)}
        />
        <NotifyField
          page={page}
          monitorIds={post.monitor_ids}
          checked={values.notify}
          onValue={(notify) => set('notify', notify)}
        />
        <ProblemNotice problem={form.problem} fieldsWithOwnErrors={['body']} />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={form.busy}>
            {describeAction(post.state, values.state)}
          </Button>
        </div>
      </form>
      {templates.dialog}
    </section>
  )
}

function describeAction(current: PostState, next: PostState): string {
  if (next === 'resolved' && current !== 'resolved') return 'Resolve post'
  return current === 'resolved' && next !== 'resolved' ? 'Open post again' : 'Publish update'
}
