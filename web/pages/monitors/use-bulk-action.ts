/** Pauses, resumes, tags or deletes the selected monitors. Everything but deleting can be undone. */
import { useState } from 'preact/hooks'
import { MAX_MONITORS_PER_REQUEST } from '../../../src/shared/limits.ts'
import { api, type ItemResponse } from '../../lib/api.ts'
import { formatNumber, pluralize } from '../../lib/format.ts'
import { type OverviewMonitor, queryClient, queryKeys, updateCachedOverview } from '../../lib/queries.ts'
import { mergeTags, withoutTag } from '../../lib/tags.ts'
import { showToast } from '../../lib/toasts.ts'
import {
  type BulkAction,
  type BulkBatchResponse,
  type BulkProgress,
  type BulkStep,
  countMonitors,
  invertSteps,
  runInBatches,
} from './bulk-action.ts'

export const formatMonitorCount = (count: number) => pluralize(count, 'monitor')

const presentVerbs: Record<BulkAction, string> = {
  pause: 'Pausing',
  resume: 'Resuming',
  delete: 'Deleting',
  add_tags: 'Adding tags',
  remove_tags: 'Removing tags',
}

/** `monitors` is a count such as "3 monitors". */
function describeDone(steps: readonly BulkStep[], monitors: string): string {
  const tags = [...new Set(steps.flatMap(({ tags = [] }) => tags))]
  const tagText = `${tags.length === 1 ? 'Tag' : 'Tags'} ${tags.join(', ')}`
  const texts: Record<BulkAction, string> = {
    pause: `${monitors} paused.`,
    resume: `${monitors} resumed.`,
    delete: `${monitors} deleted.`,
    add_tags: `${tagText} added to ${monitors}.`,
    remove_tags: `${tagText} removed from ${monitors}.`,
  }
  return texts[steps[0]?.action ?? 'pause']
}

function applyToMonitor(monitor: OverviewMonitor, { action, tags = [] }: BulkStep): OverviewMonitor {
  if (action === 'pause') return { ...monitor, status: 'paused' }
  if (action === 'resume') return { ...monitor, status: 'pending' }
  if (action === 'add_tags') return { ...monitor, tags: mergeTags(monitor.tags, tags) }
  return { ...monitor, tags: tags.reduce<readonly string[]>(withoutTag, monitor.tags) }
}

function updateCachedMonitors(step: BulkStep): void {
  const changedIds = new Set(step.ids)
  updateCachedOverview((overview) => ({
    ...overview,
    monitors:
      step.action === 'delete'
        ? overview.monitors.filter(({ id }) => !changedIds.has(id))
        : overview.monitors.map((monitor) => (changedIds.has(monitor.id) ? applyToMonitor(monitor, step) : monitor)),
  }))
  void queryClient.invalidateQueries({ queryKey: queryKeys.monitors })
}

function showResult(
  steps: readonly BulkStep[],
  { doneSteps, missingIds, error }: BulkProgress,
  undo: (steps: BulkStep[]) => void,
): void {
  const inverseSteps = invertSteps(doneSteps)
  const undoOption = inverseSteps.length > 0 ? { undo: () => undo(inverseSteps) } : {}
  const doneCount = countMonitors(doneSteps)
  if (error !== undefined) {
    const reason = error instanceof Error ? error.message : `${error}`
    const monitors = `${formatNumber(doneCount)} of ${formatMonitorCount(countMonitors(steps))}`
    showToast(`${describeDone(steps, monitors)} ${reason}`, { isError: true, ...undoOption })
    return
  }
  const missingNote = missingIds.size === 0 ? '' : ` ${formatMonitorCount(missingIds.size)} had already been deleted.`
  showToast(`${describeDone(steps, formatMonitorCount(doneCount))}${missingNote}`, undoOption)
}

export function useBulkAction() {
  const [progressText, setProgressText] = useState<string>()

  async function run(steps: readonly BulkStep[]): Promise<void> {
    const presentVerb = presentVerbs[steps[0]?.action ?? 'pause']
    const totalCount = countMonitors(steps)
    setProgressText(`${presentVerb}…`)
    const result = await runInBatches(
      steps,
      async (body) => (await api.post<ItemResponse<BulkBatchResponse>>('api/monitors/bulk', body)).data,
      (doneStep, { doneSteps, missingIds }) => {
        updateCachedMonitors(doneStep)
        if (totalCount > MAX_MONITORS_PER_REQUEST) {
          const processedCount = countMonitors(doneSteps) + missingIds.size
          setProgressText(`${presentVerb}… ${formatNumber(processedCount)} of ${formatNumber(totalCount)}`)
        }
      },
    )
    setProgressText(undefined)
    showResult(steps, result, (inverseSteps) => void run(inverseSteps))
    await queryClient.invalidateQueries({ queryKey: queryKeys.overview })
  }

  return { progressText, run }
}
