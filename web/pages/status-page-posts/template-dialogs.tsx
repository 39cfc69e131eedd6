import { Trash2, Undo2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { MAX_TEMPLATE_NAME_LENGTH, type PostState } from '../../../src/shared/status-pages.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { PostStateBadge } from '../../components/post-state-badge.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { type PostTemplate, refetchPostTemplates } from '../../lib/status-posts.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'

const templatesPath = 'api/status-post-templates'

interface SaveTemplateProps {
  texts: { title: string; state: PostState; body: string }
  templates: readonly PostTemplate[]
  onClose: () => void
}

/** Saving under the name of an existing template replaces that template. */
export function SaveTemplateDialog({ texts, templates, onClose }: SaveTemplateProps) {
  const findSameName = (name: string) =>
    templates.find((template) => template.name.toLowerCase() === name.trim().toLowerCase())
  const form = useForm({ name: '' }, async ({ name }) => {
    const existing = findSameName(name)
    if (existing) await api.put(`${templatesPath}/${existing.id}`, texts)
    else await api.post(templatesPath, { ...texts, name })
    showToast(`Template ${name.trim()} ${existing ? 'replaced' : 'saved'}.`)
    await refetchPostTemplates()
    onClose()
  })
  const isReplacing = findSameName(form.values.name) !== undefined
  return (
    <Dialog title="Save as template" onClose={onClose}>
      <form class="form" onSubmit={form.submit}>
        <TextField
          label="Name"
          hint={
            isReplacing ? 'Replaces the template with this name.' : 'The template contains the title, state and text.'
          }
          autofocus
          required
          maxLength={MAX_TEMPLATE_NAME_LENGTH}
          autocomplete="off"
          value={form.values.name}
          errors={form.errorsFor('name')}
          onValue={(name) => form.set('name', name)}
        />
        <ProblemNotice problem={form.problem} fieldsWithOwnErrors={['name']} />
        <DialogActions
          action={isReplacing ? 'Replace template' : 'Save template'}
          busy={form.busy}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}

interface ManageTemplatesProps {
  templates: readonly PostTemplate[]
  onClose: () => void
}

export function ManageTemplatesDialog({ templates, onClose }: ManageTemplatesProps) {
  // Deleted templates stay in the list, so that they can be restored.
  const [listedTemplates] = useState(templates)
  return (
    <Dialog title="Templates" onClose={onClose}>
      <ul class="post-templates">
        {listedTemplates.map((template) => (
          <TemplateRow key={template.id} template={template} />
        ))}
      </ul>
      <div class="form-actions">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}

function TemplateRow({ template }: { template: PostTemplate }) {
  const { name, title, state, body } = template
  /** Undefined while the template is deleted. */
  const [id, setId] = useState<number | undefined>(template.id)
  const [busy, setBusy] = useState(false)

  async function toggle() {
    setBusy(true)
    try {
      if (id === undefined) {
        const { data } = await api.post<ItemResponse<PostTemplate>>(templatesPath, { name, title, state, body })
        setId(data.id)
      } else {
        await api.delete(`${templatesPath}/${id}`)
        setId(undefined)
      }
    } catch (error) {
      showProblem(error)
    }
    setBusy(false)
    await refetchPostTemplates()
  }

  return (
    <li class={id === undefined ? 'post-template-deleted' : undefined}>
      <div class="post-template-text">
        <strong class="clip">{name}</strong>
        <span class="clip muted small">{id === undefined ? 'Deleted' : title}</span>
      </div>
      <PostStateBadge state={state} />
      <Button
        small
        kind={id === undefined ? 'plain' : 'danger'}
        icon={id === undefined ? Undo2 : Trash2}
        busy={busy}
        aria-label={`${id === undefined ? 'Restore' : 'Delete'} ${name}`}
        onClick={() => void toggle()}
      >
        {id === undefined ? 'Undo' : 'Delete'}
      </Button>
    </li>
  )
}
