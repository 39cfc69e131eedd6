import { expect, it, onTestFinished } from 'vitest'
import { TestClock } from '../../tests/support/clock.ts'
import { StartQueue } from './start-queue.ts'
import type { ClaimedCheck } from './verdict.ts'

/** Each test is synchronous, so the queue's own timer never fires. */
function openQueue() {
  const clock = new TestClock()
  const started: number[] = []
  const queue = new StartQueue({ clock, hasValidLease: () => true, start: ({ monitorId }) => started.push(monitorId) })
  onTestFinished(() => queue.stop())
  return {
    clock,
    queue,
    started,
    /** Adds checks that should start now. */
    add: (...monitorIds: number[]) =>
      queue.add(
        monitorIds.map((monitorId) => ({ check: { monitorId } as ClaimedCheck, startAt: clock.now().getTime() })),
      ),
  }
}

const range = (length: number) => Array.from({ length }, (_, n) => n)

it('a queue without late checks has room for any number', () => {
  const { queue, add } = openQueue()
  expect(queue.adjustRoom()).toBe(Number.POSITIVE_INFINITY)
  add(...range(3_000))
  expect(queue.adjustRoom()).toBe(Number.POSITIVE_INFINITY)
})

it('a queue starts at most 100 checks at a time', () => {
  const { queue, started, add } = openQueue()
  add(...range(250))
  const counts = range(4).map(() => {
    queue.startDue()
    return started.length
  })
  expect(counts).toEqual([100, 200, 250, 250])
})

it('a queue that is behind has room for twice the checks that it has started since the last claim', () => {
  const { clock, queue, add } = openQueue()
  add(...range(1_000))
  clock.advance({ seconds: 1 })
  for (const _ of range(8)) queue.startDue()
  // It has started 800, so it may hold 1,600, and it holds 200.
  expect(queue.adjustRoom()).toBe(1_400)
  // It has started no more since then.
  expect(queue.adjustRoom()).toBe(0)
})

it('the room of a queue grows step by step when it is no longer behind', () => {
  const { clock, queue, add } = openQueue()
  add(...range(100))
  clock.advance({ seconds: 1 })
  expect(queue.adjustRoom()).toBe(0)
  queue.startDue()
  const rooms = range(14).map(() => queue.adjustRoom())
  expect(rooms.slice(0, 5)).toEqual([200, 300, 450, 675, 1_012])
  expect(rooms.at(-1)).toBe(Number.POSITIVE_INFINITY)
})

it('a queue that was blocked for a moment soon has room for as many as before', () => {
  const { clock, queue, add } = openQueue()
  add(...range(300))
  clock.advance({ seconds: 1 })
  expect(queue.adjustRoom()).toBe(0)
  for (const _ of range(3)) queue.startDue()
  expect(queue.adjustRoom()).toBe(600)
})
