/** The updates of a post, newest first. Each can be corrected, and all but the first can be deleted. */
import { Pencil, Trash2 } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { MarkdownText } from '../../components/markdown-text.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { DateTime } from '../../components/time.tsx'
import { api } from '../../lib/api.ts'
import { formatDateTime } from '../../lib/format.ts'
import { postStateLabels, refetchPosts, type StatusPostUpdate } from '../../lib/status-posts.ts'
import { can } from '../../lib/team.ts'
import { showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { BodyField } from './body-field.tsx'
import { StateField } from './state-field.tsx'

interface TimelineProps {
  /** The API path of the updates. */
  path: string
  pageId: number
  /** The updates, oldest first. */
  updates: readonly StatusPostUpdate[]
  /** Called with true while a correction is not saved. */
  onDirty: (isDirty: boolean) => void
}

export function Timeline({ path, pageId, updates, onDirty }: TimelineProps) {
  const [correctedId, setCorrectedId] = useState<number>()
  const [updateToDelete, setUpdateToDelete] = useState<StatusPostUpdate>()
  const [first] = updates

  function endCorrection(id: number) {
    setCorrectedId(undefined)
    requestAnimationFrame(() => document.getElementById(toEditButtonId(id))?.focus())
  }
  async function remove({ id }: StatusPostUpdate) {
    await api.delete(`${path}/${id}`)
    setUpdateToDelete(undefined)
    showToast('Update deleted.')
    await refetchPosts(pageId)
  }

  return (
    <section class="panel" aria-labelledby="post-updates">
      <div class="panel-head">
        <h3 id="post-updates">Updates</h3>
      </div>
      <ol class="post-timeline">
        {updates.toReversed().map((update) => (
          <li key={update.id}>
            <span class={`post-icon post-state-${update.state}`} aria-hidden="true">
              <Icon icon={postStateLabels[update.state].icon} size={16} />
            </span>
            {update.id === correctedId ? (
              <CorrectionForm
                path={path}
                pageId={pageId}
                update={update}
                onDirty={onDirty}
                onClose={() => endCorrection(update.id)}
              />
            ) : (
              <TimelineEntry
                update={update}
                isLocked={correctedId !== undefined}
                onCorrect={() => setCorrectedId(update.id)}
                onDelete={update === first ? undefined : () => setUpdateToDelete(update)}
              />
            )}
          </li>
        ))}
      </ol>
      {updateToDelete && (
        <ConfirmDialog
          title="Delete update?"
          action="Delete update"
          onConfirm={() => remove(updateToDelete)}
          onClose={() => setUpdateToDelete(undefined)}
        >
          The update disappears from the status page, and the latest remaining update decides the state of the post.
          This can't be undone.
        </ConfirmDialog>
      )}
    </section>
  )
}

const toEditButtonId = (updateId: number) => `edit-update-${updateId}`

interface TimelineEntryProps {
  update: StatusPostUpdate
  /** Hides the buttons while the user corrects another update, so that the text typed there is not lost. */
  isLocked: boolean
  onCorrect: () => void
  /** Undefined for the first update, which is the post itself. */
  onDelete: (() => void) | undefined
}

function TimelineEntry({ update, isLocked, onCorrect, onDelete }: TimelineEntryProps) {
  const { state, body, created_at, updated_at } = update
  const name = `update of ${formatDateTime(created_at)}`
  return (
    <div class="post-entry">
      <div class="post-entry-head">
        <strong>{postStateLabels[state].label}</strong>
        <span class="small muted numbers">
          <DateTime at={created_at} />
          {updated_at !== created_at && ' · Edited'}
        </span>
        {!isLocked && can('edit shared') && (
          <span class="post-entry-actions">
            <Button
              id={toEditButtonId(update.id)}
              small
              kind="quiet"
              icon={Pencil}
              aria-label={`Edit ${name}`}
              title="Edit"
              onClick={onCorrect}
            />
            {onDelete && (
              <Button
                small
                kind="quiet"
                icon={Trash2}
                aria-label={`Delete ${name}`}
                title="Delete"
                onClick={onDelete}
              />
            )}
          </span>
        )}
      </div>
      <MarkdownText text={body} />
    </div>
  )
}

interface CorrectionFormProps {
  path: string
  pageId: number
  update: StatusPostUpdate
  onDirty: (isDirty: boolean) => void
  onClose: () => void
}

function CorrectionForm({ path, pageId, update, onDirty, onClose }: CorrectionFormProps) {
  const bodyInput = useRef<HTMLTextAreaElement>(null)
  const form = useForm({ state: update.state, body: update.body }, async (values) => {
    await api.patch(`${path}/${update.id}`, values)
    showToast('Changes saved.')
    await refetchPosts(pageId)
    onClose()
  })
  const { values, set, errorsFor } = form
  const isDirty = values.state !== update.state || values.body !== update.body
  useEffect(() => bodyInput.current?.focus(), [])
  useEffect(() => {
    onDirty(isDirty)
    return () => onDirty(false)
  }, [isDirty])
  return (
    <form class="form post-entry" onSubmit={form.submit} noValidate>
      <StateField value={values.state} onValue={(state) => set('state', state)} />
      <BodyField
        inputRef={bodyInput}
        value={values.body}
        errors={errorsFor('body')}
        onValue={(body) => set('body', body)}
      />
      <ProblemNotice problem={form.problem} fieldsWithOwnErrors={['body']} />
      <div class="form-actions">
        <Button kind="primary" type="submit" busy={form.busy}>
          Save changes
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
