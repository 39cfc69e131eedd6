import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { askWorker, KeptWorker, WorkerEndedError } from './kept-worker.ts'

/** Replies with its id, fails, or never replies. */
const source = `
  const { parentPort, threadId } = require('node:worker_threads')
  parentPort.on('message', (job) => {
    if (job === 'fail') throw new Error('failed')
    if (job === 'reply') parentPort.postMessage(threadId)
  })`
const startWorker = () => new Worker(source, { eval: true })
const never = new AbortController().signal

describe('a kept worker', () => {
  let worker: KeptWorker
  const ask = (job: string, signal = never) =>
    worker.run(async (thread) => ({ thread, id: await askWorker<number>(thread, job, signal) }))
  const open = (idleMs: number) => {
    worker = new KeptWorker(startWorker, idleMs)
  }
  afterEach(() => worker.close())

  it('runs the next job in the same thread', async () => {
    open(60_000)
    expect((await ask('reply')).id).toBe((await ask('reply')).id)
  })

  it('ends the thread when it has nothing to do', async () => {
    open(0)
    const { thread } = await ask('reply')
    await once(thread, 'exit')
    expect((await ask('reply')).thread).not.toBe(thread)
  })

  it('starts another thread after a job that failed', async () => {
    open(60_000)
    const { id } = await ask('reply')
    await expect(ask('fail')).rejects.toThrow('failed')
    expect((await ask('reply')).id).not.toBe(id)
  })

  it('ends the thread of a job that is aborted', async () => {
    open(60_000)
    const { thread, id } = await ask('reply')
    const controller = new AbortController()
    const exit = once(thread, 'exit')
    const hanging = ask('hang', controller.signal)
    controller.abort(new Error('too slow'))
    await expect(hanging).rejects.toThrow('too slow')
    await exit
    expect((await ask('reply')).id).not.toBe(id)
  })

  it('rejects a running job and later ones when it is closed', async () => {
    open(60_000)
    await ask('reply')
    const hanging = ask('hang')
    worker.close()
    await expect(hanging).rejects.toThrow(WorkerEndedError)
    await expect(ask('reply')).rejects.toThrow(WorkerEndedError)
  })

  it('rejects a job when it is closed while the thread starts', async () => {
    const { promise: mayStart, resolve: start } = Promise.withResolvers<void>()
    worker = new KeptWorker(() => mayStart.then(startWorker), 60_000)
    const job = ask('reply')
    worker.close()
    start()
    await expect(job).rejects.toThrow(WorkerEndedError)
  })
})
