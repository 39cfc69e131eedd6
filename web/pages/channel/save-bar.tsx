/** Shows how many assignments would change, saves the changes, and offers to undo them. */
import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { formatNumber, pluralize } from '../../lib/format.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'
import { type AssignedMonitors, type AssignmentChanges, applyChanges, invertChanges } from './assignment-changes.ts'

interface SaveBarProps {
  channelId: number
  assignedMonitors: AssignedMonitors
  changes: AssignmentChanges
  onDone: () => void
}

function describeChanges({ idsToEnable, idsToRemove }: AssignmentChanges, isSaved: boolean): string {
  const parts = [
    { count: idsToEnable.length, label: isSaved ? 'added' : 'to add' },
    { count: idsToRemove.length, label: isSaved ? 'removed' : 'to remove' },
  ].filter(({ count }) => count > 0)
  // Only the first part contains the word "monitors": "2 monitors added, 1 removed".
  return parts
    .map(({ count, label }, index) => `${index === 0 ? pluralize(count, 'monitor') : formatNumber(count)} ${label}`)
    .join(', ')
}

/** Refetches the assignments even after a failure, because some of the changes may have been applied. */
async function applyAndRefetch(channelId: number, changes: AssignmentChanges): Promise<void> {
  try {
    await applyChanges(channelId, changes)
  } finally {
    await queryClient.invalidateQueries({ queryKey: queryKeys.channelMonitors(channelId) })
  }
}

async function undo(channelId: number, changes: AssignmentChanges): Promise<void> {
  try {
    await applyAndRefetch(channelId, changes)
    showToast('Changes undone.')
  } catch (error) {
    showProblem(error)
  }
}

export function SaveBar({ channelId, assignedMonitors, changes, onDone }: SaveBarProps) {
  const [busy, setBusy] = useState(false)
  const isUnchanged = changes.idsToEnable.length + changes.idsToRemove.length === 0

  async function save() {
    setBusy(true)
    const inverse = invertChanges(assignedMonitors, changes)
    try {
      await applyAndRefetch(channelId, changes)
      onDone()
      showToast(`Saved: ${describeChanges(changes, true)}.`, { undo: () => void undo(channelId, inverse) })
    } catch (error) {
      // The server may have rejected the changes because a monitor was deleted, so refetch the list of monitors.
      void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
      showProblem(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <div class={`channel-save${isUnchanged ? '' : ' channel-save-sticky'}`}>
      <Button kind="primary" busy={busy} disabled={isUnchanged} onClick={() => void save()}>
        Save assignments
      </Button>
      <Button kind="quiet" disabled={isUnchanged || busy} onClick={onDone}>
        Discard changes
      </Button>
      <span class="muted numbers" role="status">
        {describeChanges(changes, false)}
      </span>
    </div>
  )
}
