/** Pauses, resumes or deletes the selected monitors. Pausing and resuming can be undone. */
import { useState } from 'preact/hooks'
import type { BulkAction } from '../../../src/monitors/schema.ts'
import { MAX_MONITORS_PER_REQUEST } from '../../../src/shared/limits.ts'
import { showToast } from '../../components/toasts.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { formatNumber, pluralize } from '../../lib/format.ts'
import { type OverviewMonitor, queryClient, queryKeys, updateCachedOverview } from '../../lib/queries.ts'
import { type BulkBatchResponse, type BulkProgress, runInBatches } from './bulk-action.ts'

const actionVerbs: Record<BulkAction, { present: string; past: string }> = {
  pause: { present: 'Pausing', past: 'paused' },
  resume: { present: 'Resuming', past: 'resumed' },
  delete: { present: 'Deleting', past: 'deleted' },
}
const inverseActions = { pause: 'resume', resume: 'pause' } as const

export const formatMonitorCount = (count: number) => pluralize(count, 'monitor')

/** The monitors that an action changes. Pausing skips paused monitors, so that undoing it doesn't resume them. */
export function listAffectedIds(action: BulkAction, monitors: readonly OverviewMonitor[]): number[] {
  return monitors
    .filter(({ status }) => action === 'delete' || (action === 'pause') === (status !== 'paused'))
    .map(({ id }) => id)
}

function updateCachedMonitors(action: BulkAction, ids: readonly number[]): void {
  const changedIds = new Set(ids)
  const status = action === 'pause' ? ('paused' as const) : ('pending' as const)
  updateCachedOverview((overview) => ({
    ...overview,
    monitors:
      action === 'delete'
        ? overview.monitors.filter(({ id }) => !changedIds.has(id))
        : overview.monitors.map((monitor) => (changedIds.has(monitor.id) ? { ...monitor, status } : monitor)),
  }))
}

function showResult(
  action: BulkAction,
  requestedCount: number,
  { doneIds, missingIds, error }: BulkProgress,
  undo: () => void,
): void {
  const { past } = actionVerbs[action]
  const undoOption = action !== 'delete' && doneIds.length > 0 ? { undo } : {}
  if (error !== undefined) {
    const reason = error instanceof Error ? error.message : `${error}`
    const text = `${formatNumber(doneIds.length)} of ${formatMonitorCount(requestedCount)} ${past}. ${reason}`
    showToast(text, { isError: true, ...undoOption })
    return
  }
  const missingNote =
    missingIds.length === 0 ? '' : ` ${formatMonitorCount(missingIds.length)} had already been deleted.`
  showToast(`${formatMonitorCount(doneIds.length)} ${past}.${missingNote}`, undoOption)
}

export function useBulkAction() {
  const [progressText, setProgressText] = useState<string>()

  async function run(action: BulkAction, ids: readonly number[]): Promise<void> {
    const { present } = actionVerbs[action]
    setProgressText(`${present}…`)
    const result = await runInBatches(
      action,
      ids,
      async (body) => (await api.post<ItemResponse<BulkBatchResponse>>('api/monitors/bulk', body)).data,
      ({ doneIds, missingIds }) => {
        updateCachedMonitors(action, doneIds)
        if (ids.length > MAX_MONITORS_PER_REQUEST) {
          const processedCount = doneIds.length + missingIds.length
          setProgressText(`${present}… ${formatNumber(processedCount)} of ${formatNumber(ids.length)}`)
        }
      },
    )
    setProgressText(undefined)
    showResult(action, ids.length, result, () => {
      if (action !== 'delete') void run(inverseActions[action], result.doneIds)
    })
    await queryClient.invalidateQueries({ queryKey: queryKeys.overview })
  }

  return { progressText, run }
}
