/** Chooses which providers are served next, so that slow ones do not delay the others. */
import { getProviderKind, type ProviderType } from '../providers/kinds.ts'
import type { AlertQueue } from './outbox-store.ts'

type CountedQueue = Pick<AlertQueue, 'type' | 'isFailing'>

/** Each kind of provider limits how many of its queues run concurrently. Failing providers get at most half of that limit. */
export function chooseQueues(readyQueues: readonly AlertQueue[], runningQueues: readonly CountedQueue[]): AlertQueue[] {
  const counts = new Map<ProviderType, { all: number; failing: number }>()
  const getCounts = (type: ProviderType) => counts.get(type) ?? { all: 0, failing: 0 }
  const countQueue = ({ type, isFailing }: CountedQueue) => {
    const { all, failing } = getCounts(type)
    counts.set(type, { all: all + 1, failing: failing + (isFailing ? 1 : 0) })
  }
  const isWithinLimits = ({ type, isFailing }: CountedQueue) => {
    const { maxConcurrent } = getProviderKind(type)
    const { all, failing } = getCounts(type)
    return all < maxConcurrent && (!isFailing || failing < maxConcurrent / 2)
  }
  for (const queue of runningQueues) countQueue(queue)
  return readyQueues.filter((queue) => {
    if (!isWithinLimits(queue)) return false
    countQueue(queue)
    return true
  })
}
