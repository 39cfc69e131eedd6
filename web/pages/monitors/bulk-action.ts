/** Applies one action to many monitors, in as many requests as necessary. */
import type { BulkAction } from '../../../src/monitors/schema.ts'
import { splitIntoBatches } from '../../lib/api.ts'

export interface BulkBatchResponse {
  ids: number[]
  not_found: number[]
}

export interface BulkProgress {
  doneIds: number[]
  /** Monitors that were deleted before the action reached them. */
  missingIds: number[]
  /** The failure that stopped the action. Batches before it stay applied. */
  error?: unknown
}

type SendBatch = (body: { ids: number[]; action: BulkAction }) => Promise<BulkBatchResponse>

export async function runInBatches(
  action: BulkAction,
  ids: readonly number[],
  send: SendBatch,
  onBatch: (progress: BulkProgress) => void = () => {},
): Promise<BulkProgress> {
  const progress: BulkProgress = { doneIds: [], missingIds: [] }
  for (const batch of splitIntoBatches(ids)) {
    try {
      const response = await send({ ids: batch, action })
      progress.doneIds.push(...response.ids)
      progress.missingIds.push(...response.not_found)
    } catch (error) {
      return { ...progress, error }
    }
    onBatch(progress)
  }
  return progress
}
