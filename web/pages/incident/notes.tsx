/** The notes of people about an incident. */
import { Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { MAX_INCIDENT_NOTES, MAX_NOTE_LENGTH } from '../../../src/shared/incidents.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { focusHeading } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx'
import { api } from '../../lib/api.ts'
import { formatDateTime, pluralize } from '../../lib/format.ts'
import { type AccountIncident, type IncidentNote, refetchIncident } from '../../lib/incidents.ts'
import { isApplePlatform } from '../../lib/shortcuts.ts'
import { splitLinks } from '../../lib/split-links.ts'
import { showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'

export function NoteForm({ incident }: { incident: AccountIncident }) {
  const form = useForm({ text: '' }, async ({ text }) => {
    await api.post(`api/incidents/${incident.id}/notes`, { text: text.trim() })
    form.setAll({ text: '' })
    await refetchIncident(incident)
  })
  const { text } = form.values
  const guard = useUnsavedGuard(text.trim() !== '' && !form.busy)
  if (incident.notes.length >= MAX_INCIDENT_NOTES) {
    return (
      <p class="small muted">
        An incident can have up to {pluralize(MAX_INCIDENT_NOTES, 'note')}. Delete one to add another.
      </p>
    )
  }
  return (
    <form class="incident-note-form" onSubmit={form.submit}>
      <textarea
        class="input"
        aria-label="Note"
        aria-keyshortcuts="Control+Enter Meta+Enter"
        placeholder="Add a note: what happened, what you tried, links…"
        rows={2}
        maxLength={MAX_NOTE_LENGTH}
        aria-invalid={form.errorsFor('text') !== undefined || undefined}
        value={text}
        onInput={(event) => form.set('text', event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || text.trim() === '') return
          event.preventDefault()
          form.submit()
        }}
      />
      <ProblemNotice problem={form.problem} />
      <div class="incident-note-actions">
        <span class="small muted incident-note-keys" aria-hidden="true">
          <kbd>{isApplePlatform ? '⌘' : 'Ctrl'}</kbd> <kbd>Enter</kbd>
        </span>
        <Button type="submit" small busy={form.busy} disabled={text.trim() === ''}>
          Add note
        </Button>
      </div>
      {guard.dialog}
    </form>
  )
}

export function NoteText({ text }: { text: string }) {
  return (
    <p class="incident-note-text">
      {splitLinks(text).map((part, index) =>
        part.isLink ? (
          <a key={index} href={part.text} target="_blank" rel="noreferrer noopener">
            {part.text}
          </a>
        ) : (
          part.text
        ),
      )}
    </p>
  )
}

export function DeleteNoteButton({ incident, note }: { incident: AccountIncident; note: IncidentNote }) {
  const [isAsking, setAsking] = useState(false)
  async function remove() {
    await api.delete(`api/incidents/${incident.id}/notes/${note.id}`)
    setAsking(false)
    showToast('Note deleted.')
    await refetchIncident(incident)
    if (document.activeElement === document.body) focusHeading()
  }
  return (
    <>
      <Button
        needs="edit"
        small
        kind="quiet"
        icon={Trash2}
        aria-label={`Delete note of ${formatDateTime(note.created_at)}`}
        title="Delete note"
        onClick={() => setAsking(true)}
      />
      {isAsking && (
        <ConfirmDialog title="Delete note?" action="Delete note" onConfirm={remove} onClose={() => setAsking(false)}>
          This can't be undone.
        </ConfirmDialog>
      )}
    </>
  )
}
