/** Which providers are served next, so that slow ones do not keep others waiting. */
import { kindOf, type ProviderType } from '../providers/kinds.ts'
import type { ReadyQueue } from './outbox-store.ts'

type Served = Pick<ReadyQueue, 'type' | 'isAiling'>

/** A few of each kind; those that failed last have half of its room at most. */
export function chooseQueues(ready: readonly ReadyQueue[], underway: Iterable<Served>): ReadyQueue[] {
  const counts = new Map<ProviderType, { all: number; ailing: number }>()
  const countOf = (type: ProviderType) => counts.get(type) ?? { all: 0, ailing: 0 }
  const enter = ({ type, isAiling }: Served) => {
    const { all, ailing } = countOf(type)
    counts.set(type, { all: all + 1, ailing: ailing + (isAiling ? 1 : 0) })
  }
  const hasRoom = ({ type, isAiling }: Served) => {
    const { atOnce } = kindOf(type)
    const { all, ailing } = countOf(type)
    return all < atOnce && (!isAiling || ailing < atOnce / 2)
  }
  for (const one of underway) enter(one)
  return ready.filter((queue) => {
    if (!hasRoom(queue)) return false
    enter(queue)
    return true
  })
}
