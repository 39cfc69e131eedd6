import { describe, expect, it } from 'vitest'
import { type QueuedWrite, WriteQueue } from './write-queue.ts'

const createWrite = (teamId: number, monitorId: number): QueuedWrite => ({
  write: {
    release: { claim: { teamId, monitorId, claimNumber: 1, nodeId: 1 }, nextDueAt: new Date(0), reason: null },
  },
  queuedAt: 0,
  onEnd: () => {},
})

function fillQueue(...writes: readonly (readonly [teamId: number, monitorId: number])[]): WriteQueue {
  const queue = new WriteQueue()
  for (const [teamId, monitorId] of writes) queue.add(createWrite(teamId, monitorId))
  return queue
}

const listMonitorIds = (batch: readonly QueuedWrite[]) =>
  batch.map(({ write }) => ('release' in write ? write.release.claim.monitorId : undefined))

describe('a batch', () => {
  it('has a fair share of every user, in the order of their writes', () => {
    const queue = fillQueue([1, 11], [1, 12], [1, 13], [1, 14], [2, 21], [3, 31], [3, 32])
    expect(listMonitorIds(queue.takeBatch(5))).toEqual([11, 12, 21, 31, 32])
    expect(queue.size).toBe(2)
    expect(listMonitorIds(queue.takeBatch(5))).toEqual([13, 14])
    expect(queue.size).toBe(0)
  })

  it('that failed comes before what was added in the meantime', () => {
    const queue = fillQueue([1, 11], [1, 12], [2, 21])
    const batch = queue.takeBatch(3)
    queue.add(createWrite(1, 13))
    queue.putBack(batch)
    expect(queue.size).toBe(4)
    expect(listMonitorIds(queue.takeBatch(4))).toEqual([11, 12, 13, 21])
  })
})
