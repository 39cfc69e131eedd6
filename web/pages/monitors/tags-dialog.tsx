import { useState } from 'preact/hooks'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { TagInput } from '../../components/tag-input.tsx'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { countTags } from '../../lib/tags.ts'
import { formatMonitorCount } from './use-bulk-action.ts'

interface TagsDialogProps {
  action: 'add_tags' | 'remove_tags'
  monitors: readonly OverviewMonitor[]
  onConfirm: (tags: readonly string[]) => void
  onClose: () => void
}

/** Asks which tags to add to the selected monitors, or to remove from them. */
export function TagsDialog({ action, monitors, onConfirm, onClose }: TagsDialogProps) {
  const [tags, setTags] = useState<readonly string[]>([])
  const isAdding = action === 'add_tags'
  const count = formatMonitorCount(monitors.length)
  return (
    <Dialog title={isAdding ? `Add tags to ${count}` : `Remove tags from ${count}`} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (tags.length > 0) onConfirm(tags)
        }}
      >
        <TagInput
          label="Tags"
          hint={isAdding ? 'Press Enter after each tag.' : 'Choose from the tags of the selected monitors.'}
          value={tags}
          onValue={setTags}
          {...(!isAdding && { suggestions: countTags(monitors).map(({ tag }) => tag) })}
        />
        <DialogActions action={isAdding ? 'Add tags' : 'Remove tags'} disabled={tags.length === 0} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
