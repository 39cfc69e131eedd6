import { MAX_POST_TITLE_LENGTH } from '../../../src/shared/status-pages.ts'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { api } from '../../lib/api.ts'
import type { StatusPage } from '../../lib/status-pages.ts'
import { refetchPosts, type StatusPost } from '../../lib/status-posts.ts'
import { showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { PostMonitorFields } from './monitor-fields.tsx'

interface EditPostDialogProps {
  page: StatusPage
  post: StatusPost
  onClose: () => void
}

/** Changes the title and the monitors of a post. The user corrects the texts in the timeline. */
export function EditPostDialog({ page, post, onClose }: EditPostDialogProps) {
  const form = useForm({ title: post.title, monitor_ids: post.monitor_ids as readonly number[] }, async (values) => {
    await api.patch(`api/status-pages/${page.id}/posts/${post.id}`, values)
    showToast('Changes saved.')
    await refetchPosts(page.id)
    onClose()
  })
  const { values, set, errorsFor } = form
  return (
    <Dialog title="Edit post" onClose={onClose}>
      <form class="form" onSubmit={form.submit} noValidate>
        <TextField
          label="Title"
          hint="Subscribers get no email about this change."
          maxLength={MAX_POST_TITLE_LENGTH}
          autocomplete="off"
          required
          value={values.title}
          errors={errorsFor('title')}
          onValue={(title) => set('title', title)}
        />
        <PostMonitorFields
          page={page}
          selectedIds={values.monitor_ids}
          errors={errorsFor('monitor_ids')}
          onSelect={(ids) => set('monitor_ids', ids)}
        />
        <ProblemNotice problem={form.problem} fieldsWithOwnErrors={['title', 'monitor_ids']} />
        <DialogActions action="Save changes" busy={form.busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
