import { describe, expect, it } from 'vitest'
import { ConcurrencyLimiter } from './concurrency-limiter.ts'

/** Creates tasks that record their name when they start, and end when the test calls `end`. */
function createTasks(startedNames: string[]) {
  const endCallbacks = new Map<string, (error?: Error) => void>()
  const createTask = (name: string) => () => {
    startedNames.push(name)
    return new Promise<string>((resolve, reject) => {
      endCallbacks.set(name, (error) => (error ? reject(error) : resolve(name)))
    })
  }
  return { createTask, end: (name: string, error?: Error) => endCallbacks.get(name)?.(error) }
}

const runPendingCallbacks = () => new Promise((resolve) => setImmediate(resolve))

describe('a concurrency limiter', () => {
  it('runs one task at a time per key and two in total, in order of arrival', async () => {
    const startedNames: string[] = []
    const { createTask, end } = createTasks(startedNames)
    const limiter = new ConcurrencyLimiter(2)
    const results = ['a1', 'a2', 'b1', 'c1', 'a3'].map((name) => limiter.run(name[0], createTask(name)))
    await runPendingCallbacks()
    expect(startedNames).toEqual(['a1', 'b1'])
    end('a1')
    await runPendingCallbacks()
    expect(startedNames).toEqual(['a1', 'b1', 'c1'])
    end('b1')
    await runPendingCallbacks()
    expect(startedNames).toEqual(['a1', 'b1', 'c1', 'a2'])
    end('c1')
    end('a2')
    await runPendingCallbacks()
    end('a3')
    expect(await Promise.all(results)).toEqual(['a1', 'a2', 'b1', 'c1', 'a3'])
  })

  it('continues after a failure', async () => {
    const startedNames: string[] = []
    const { createTask, end } = createTasks(startedNames)
    const limiter = new ConcurrencyLimiter(1)
    const firstResult = limiter.run('a', createTask('first'))
    const secondResult = limiter.run('a', createTask('second'))
    await runPendingCallbacks()
    end('first', new Error('broken'))
    await expect(firstResult).rejects.toThrow('broken')
    await runPendingCallbacks()
    end('second')
    expect(await secondResult).toBe('second')
    expect(startedNames).toEqual(['first', 'second'])
  })
})
