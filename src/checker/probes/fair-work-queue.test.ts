import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { FairWorkQueue } from './fair-work-queue.ts'

it('a fair queue runs the work of each user in order, and users take turns', async () => {
  const queue = new FairWorkQueue(2)
  const startedNames: string[] = []
  const addWork = (teamId: number, name: string) =>
    queue.run(teamId, async () => {
      startedNames.push(name)
      await yieldToEventLoop()
    })
  await Promise.all([addWork(1, 'a1'), addWork(1, 'a2'), addWork(1, 'a3'), addWork(2, 'b1'), addWork(2, 'b2')])
  expect(startedNames).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
})

it('a fair queue continues with the next work after a failure', async () => {
  const queue = new FairWorkQueue(2)
  const failure = queue.run(1, () => Promise.reject(new Error('killed')))
  const success = queue.run(1, async () => 'done')
  await expect(failure).rejects.toThrow('killed')
  expect(await success).toBe('done')
})

it('a fair queue handles 40,000 waiting tasks in less than 3 s of processor time', async () => {
  const queue = new FairWorkQueue(100)
  const startedAt = process.cpuUsage()
  await Promise.all(Array.from({ length: 40_000 }, () => queue.run(1, async () => {})))
  const { user } = process.cpuUsage(startedAt)
  expect(user / 1000).toBeLessThan(3_000)
})
