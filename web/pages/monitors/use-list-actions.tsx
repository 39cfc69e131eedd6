/** Runs actions on the selected monitors, and shows the dialogs that some of them need. */
import { useState } from 'preact/hooks'
import { MAX_MONITORS_PER_REQUEST } from '../../../src/shared/limits.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { useStartMaintenance } from '../../components/start-maintenance.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { showToast } from '../../lib/toasts.ts'
import { type BulkAction, planBulkAction } from './bulk-action.ts'
import type { ListAction } from './bulk-menu.tsx'
import { ChannelDialog } from './channel-dialog.tsx'
import { TagsDialog } from './tags-dialog.tsx'
import { formatMonitorCount, useBulkAction } from './use-bulk-action.ts'

const nothingToDoTexts: Record<Exclude<BulkAction, 'delete'>, string> = {
  pause: 'All selected monitors are already paused.',
  resume: 'None of the selected monitors are paused.',
  add_tags: 'All selected monitors already have these tags.',
  remove_tags: 'None of the selected monitors have these tags.',
}

type OpenDialog = Exclude<ListAction, 'pause' | 'resume'>

/** `onDeleted` must set the focus, because the button that had it disappears with the selection. */
export function useListActions(selectedMonitors: readonly OverviewMonitor[], onDeleted: () => void) {
  const [openDialog, setOpenDialog] = useState<OpenDialog>()
  const { progressText, run } = useBulkAction()
  const ids = selectedMonitors.map(({ id }) => id)
  const [only] = selectedMonitors
  const count = formatMonitorCount(ids.length)
  const maintenance = useStartMaintenance({
    monitorIds: ids,
    what: ids.length === 1 && only ? only.friendly_name : count,
  })
  const close = () => setOpenDialog(undefined)

  function runPlanned(action: Exclude<BulkAction, 'delete'>, tags?: readonly string[]) {
    close()
    const steps = planBulkAction(action, selectedMonitors, tags)
    if (steps.length > 0) void run(steps)
    else showToast(nothingToDoTexts[action])
  }
  async function deleteSelected() {
    close()
    await run(planBulkAction('delete', selectedMonitors))
    onDeleted()
  }
  function startMaintenance(minutes: number | undefined) {
    if (ids.length <= MAX_MONITORS_PER_REQUEST) maintenance.start(minutes)
    else {
      const max = formatNumber(MAX_MONITORS_PER_REQUEST)
      showToast(`Select at most ${max} monitors, or plan a maintenance by tag.`, { isError: true })
    }
  }

  const dialog = (
    <>
      {openDialog === 'delete' && (
        <ConfirmDialog title={`Delete ${count}?`} action={`Delete ${count}`} onConfirm={deleteSelected} onClose={close}>
          Their checks, response times and incidents will be deleted too, and you'll stop getting alerts for them. This
          can't be undone.
        </ConfirmDialog>
      )}
      {(openDialog === 'add_tags' || openDialog === 'remove_tags') && (
        <TagsDialog
          action={openDialog}
          monitors={selectedMonitors}
          onConfirm={(tags) => runPlanned(openDialog, tags)}
          onClose={close}
        />
      )}
      {(openDialog === 'add_channel' || openDialog === 'remove_channel') && (
        <ChannelDialog action={openDialog} monitorIds={ids} onClose={close} />
      )}
      {maintenance.dialog}
    </>
  )
  return {
    dialog,
    progressText: maintenance.busy ? 'Starting maintenance…' : progressText,
    onAction: (action: ListAction) =>
      action === 'pause' || action === 'resume' ? runPlanned(action) : setOpenDialog(action),
    onMaintenance: startMaintenance,
  }
}
