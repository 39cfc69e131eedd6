import { expect, it } from 'vitest'
import { systemClock } from '../../../lib/clock.ts'
import { ServerLimits } from './server-limits.ts'

it('requests to a server start with a gap between them, and requests to another server do not wait', async () => {
  const begin = performance.now()
  const limits = new ServerLimits(systemClock, 20)
  const startTimes: number[] = []
  const recordStart = async () => void startTimes.push(performance.now())
  const requests = Array.from({ length: 4 }, () => limits.run('rdap.example', 1, recordStart))
  let isOtherDone = false
  const otherRequest = limits.run('rdap.example.net', 1, async () => {
    isOtherDone = true
  })
  await Promise.all([otherRequest, requests[0]])
  expect([isOtherDone, startTimes.length]).toEqual([true, 1])
  await Promise.all(requests)
  // Compares with the begin, because a busy machine can delay one start more than the next.
  for (const [index, time] of startTimes.entries()) expect(time - begin).toBeGreaterThanOrEqual(index * 20)
})
