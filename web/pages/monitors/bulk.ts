/** One action on many monitors, in as many requests as it takes. */
import type { BulkAction } from '../../../src/monitors/schema.ts'
import { splitIntoBatches } from '../../lib/batches.ts'

export interface BulkAnswer {
  ids: number[]
  not_found: number[]
}

export interface BulkOutcome {
  done: number[]
  /** Deleted meanwhile. */
  gone: number[]
  /** What stopped it; what was done before stays done. */
  error?: unknown
}

type Send = (body: { ids: number[]; action: BulkAction }) => Promise<BulkAnswer>

export async function runInBatches(
  action: BulkAction,
  ids: readonly number[],
  send: Send,
  onBatch: (outcome: BulkOutcome) => void = () => {},
): Promise<BulkOutcome> {
  const outcome: BulkOutcome = { done: [], gone: [] }
  for (const batch of splitIntoBatches(ids)) {
    try {
      const answer = await send({ ids: batch, action })
      outcome.done.push(...answer.ids)
      outcome.gone.push(...answer.not_found)
    } catch (error) {
      return { ...outcome, error }
    }
    onBatch(outcome)
  }
  return outcome
}
