/** Pausing, resuming and deleting what is chosen: seen at once, told afterwards, and undone where that is possible. */
import { useState } from 'preact/hooks'
import type { BulkAction } from '../../../src/monitors/schema.ts'
import { showToast } from '../../components/toasts.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { MAX_BATCH_SIZE } from '../../lib/batches.ts'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { updateCachedOverview, queryKeys, type OverviewMonitor, queryClient } from '../../lib/queries.ts'
import { type BulkAnswer, type BulkOutcome, runInBatches } from './bulk.ts'

const words: Record<BulkAction, { doing: string; done: string }> = {
  pause: { doing: 'Pausing', done: 'paused' },
  resume: { doing: 'Resuming', done: 'resumed' },
  delete: { doing: 'Deleting', done: 'deleted' },
}
const opposite = { pause: 'resume', resume: 'pause' } as const

export const countMonitors = (count: number) => formatCount(count, 'monitor')

/** What the action would change: what is paused already is not paused again, so that undoing does not resume it. */
export function concernedBy(action: BulkAction, monitors: readonly OverviewMonitor[]): number[] {
  return monitors
    .filter(({ status }) => action === 'delete' || (action === 'pause') === (status !== 'paused'))
    .map(({ id }) => id)
}

function change(action: BulkAction, ids: readonly number[]): void {
  const changed = new Set(ids)
  const status = action === 'pause' ? ('paused' as const) : ('pending' as const)
  updateCachedOverview((overview) => ({
    ...overview,
    monitors:
      action === 'delete'
        ? overview.monitors.filter(({ id }) => !changed.has(id))
        : overview.monitors.map((monitor) => (changed.has(monitor.id) ? { ...monitor, status } : monitor)),
  }))
}

function tell(action: BulkAction, wanted: number, { done, gone, error }: BulkOutcome, undo: () => void): void {
  const { done: word } = words[action]
  const way = action !== 'delete' && done.length > 0 ? { undo } : {}
  if (error !== undefined) {
    const why = error instanceof Error ? error.message : `${error}`
    showToast(`${formatNumber(done.length)} of ${countMonitors(wanted)} ${word}. ${why}`, { isBad: true, ...way })
    return
  }
  const missing = gone.length === 0 ? '' : ` ${countMonitors(gone.length)} had been deleted meanwhile.`
  showToast(`${countMonitors(done.length)} ${word}.${missing}`, way)
}

export function useBulk() {
  const [progress, setProgress] = useState<string>()

  async function run(action: BulkAction, ids: readonly number[]): Promise<void> {
    const { doing } = words[action]
    setProgress(`${doing}…`)
    const outcome = await runInBatches(
      action,
      ids,
      async (body) => (await api.post<ItemResponse<BulkAnswer>>('api/monitors/bulk', body)).data,
      ({ done, gone }) => {
        change(action, done)
        if (ids.length > MAX_BATCH_SIZE) {
          setProgress(`${doing}… ${formatNumber(done.length + gone.length)} of ${formatNumber(ids.length)}`)
        }
      },
    )
    setProgress(undefined)
    tell(action, ids.length, outcome, () => {
      if (action !== 'delete') void run(opposite[action], outcome.done)
    })
    await queryClient.invalidateQueries({ queryKey: queryKeys.overview })
  }

  return { progress, run }
}
