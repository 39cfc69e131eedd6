/** Applies one action to many monitors, in as many requests as necessary. */
import type { BulkActionRequest } from '../../../src/monitors/schema.ts'
import { splitIntoBatches } from '../../lib/api.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { hasTag, toTagKey } from '../../lib/tags.ts'

export type BulkAction = BulkActionRequest['action']

/** Monitors that get the same change. */
export interface BulkStep {
  action: BulkAction
  ids: readonly number[]
  /** Only for `add_tags` and `remove_tags`. */
  tags?: readonly string[]
}

export interface BulkBatchResponse {
  ids: number[]
  not_found: number[]
}

export interface BulkProgress {
  /** The steps that were applied. */
  doneSteps: BulkStep[]
  /** Monitors that were deleted before the action reached them. */
  missingIds: Set<number>
  /** The failure that stopped the action. Batches before it stay applied. */
  error?: unknown
}

type BulkMonitor = Pick<OverviewMonitor, 'id' | 'status' | 'tags'>

/**
 * Lists the changes that an action makes. Pausing skips paused monitors, so that undoing it doesn't resume them. Each
 * tag has its own steps: adding it skips the monitors that already have it, and removing it needs a step for each of
 * its spellings.
 */
export function planBulkAction(
  action: BulkAction,
  monitors: readonly BulkMonitor[],
  tags: readonly string[] = [],
): BulkStep[] {
  const planStep = (isAffected: (monitor: BulkMonitor) => boolean, stepTags?: readonly string[]): BulkStep => ({
    action,
    ids: monitors.filter(isAffected).map(({ id }) => id),
    ...(stepTags && { tags: stepTags }),
  })
  const steps =
    action === 'add_tags'
      ? tags.map((tag) => planStep((monitor) => !hasTag(monitor.tags, tag), [tag]))
      : action === 'remove_tags'
        ? listSpellings(monitors, tags).map((tag) => planStep((monitor) => monitor.tags.includes(tag), [tag]))
        : [planStep(({ status }) => action === 'delete' || (action === 'pause') === (status !== 'paused'))]
  return steps.filter(({ ids }) => ids.length > 0)
}

function listSpellings(monitors: readonly BulkMonitor[], tags: readonly string[]): string[] {
  const keys = new Set(tags.map(toTagKey))
  return [...new Set(monitors.flatMap((monitor) => monitor.tags.filter((tag) => keys.has(toTagKey(tag)))))]
}

const inverseActions: Partial<Record<BulkAction, BulkAction>> = {
  pause: 'resume',
  resume: 'pause',
  add_tags: 'remove_tags',
  remove_tags: 'add_tags',
}

/** The steps that undo the given ones. Deleted monitors can't be restored. */
export const invertSteps = (steps: readonly BulkStep[]): BulkStep[] =>
  steps.flatMap((step) => {
    const action = inverseActions[step.action]
    return action === undefined ? [] : [{ ...step, action }]
  })

export const countMonitors = (steps: readonly BulkStep[]) => new Set(steps.flatMap(({ ids }) => ids)).size

export async function runInBatches(
  steps: readonly BulkStep[],
  send: (body: BulkActionRequest) => Promise<BulkBatchResponse>,
  onBatch: (doneStep: BulkStep, progress: BulkProgress) => void = () => {},
): Promise<BulkProgress> {
  const progress: BulkProgress = { doneSteps: [], missingIds: new Set() }
  for (const { action, ids, tags } of steps) {
    for (const batch of splitIntoBatches(ids)) {
      try {
        const response = await send({ ids: batch, action, ...(tags && { tags: [...tags] }) })
        const doneStep = { action, ids: response.ids, ...(tags && { tags }) }
        progress.doneSteps.push(doneStep)
        for (const id of response.not_found) progress.missingIds.add(id)
        onBatch(doneStep, progress)
      } catch (error) {
        return { ...progress, error }
      }
    }
  }
  return progress
}
