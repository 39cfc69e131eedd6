import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PeriodicJob } from './periodic-job.ts'

let logEntries: { level: number; msg: string; reason: string }[]
let pendingRuns: PromiseWithResolvers<void>[]
let job: PeriodicJob

const createJob = (run: (signal: AbortSignal) => Promise<unknown>, { isOnce = false } = {}) =>
  new PeriodicJob({
    name: 'count sheep',
    everyMs: 1_000,
    isOnce,
    log: pino({ level: 'debug' }, { write: (line) => void logEntries.push(JSON.parse(line)) }),
    run,
  })

/** Each run adds a promise to `pendingRuns`, and lasts until the test resolves that promise. */
const createSlowJob = () =>
  createJob(() => {
    const run = Promise.withResolvers<void>()
    pendingRuns.push(run)
    return run.promise
  })

beforeEach(() => {
  vi.useFakeTimers()
  logEntries = []
  pendingRuns = []
})
afterEach(async () => {
  for (const { resolve } of pendingRuns) resolve()
  await job.stop()
  vi.useRealTimers()
})

describe('a periodic job', () => {
  it('that is needed once is retried until a run succeeds', async () => {
    let runs = 0
    const run = async () => {
      if (++runs < 3) throw new Error('the database is unavailable')
    }
    job = createJob(run, { isOnce: true })
    await job.start()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(runs).toBe(3)
  })

  it('runs at start and after every interval', async () => {
    job = createSlowJob()
    void job.start()
    expect(pendingRuns).toHaveLength(1)
    pendingRuns[0]?.resolve()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(pendingRuns).toHaveLength(2)
  })

  it('can wait for one interval before the first run', async () => {
    job = createSlowJob()
    job.schedule()
    await vi.advanceTimersByTimeAsync(999)
    expect(pendingRuns).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(pendingRuns).toHaveLength(1)
  })

  it('never overlaps itself', async () => {
    job = createSlowJob()
    void job.start()
    await vi.advanceTimersByTimeAsync(5_000)
    void job.run()
    expect(pendingRuns).toHaveLength(1)
  })

  it('runs again after the current run if it is triggered, but only once', async () => {
    job = createSlowJob()
    void job.run()
    job.trigger()
    job.trigger()
    expect(pendingRuns).toHaveLength(1)
    pendingRuns[0]?.resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(pendingRuns).toHaveLength(2)
    pendingRuns[1]?.resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(pendingRuns).toHaveLength(2)
  })

  it('retries a failed run, and warns only about the first failure in a row', async () => {
    let reason: string | undefined = 'no database'
    job = createJob(async () => {
      if (reason !== undefined) throw new Error(reason)
    })
    await job.start()
    await vi.advanceTimersByTimeAsync(1_000)
    reason = undefined
    await vi.advanceTimersByTimeAsync(1_000)
    reason = 'no network'
    await vi.advanceTimersByTimeAsync(1_000)
    expect(logEntries.map(({ level, msg, reason }) => [level, msg, reason])).toEqual([
      [40, 'job failed, retrying later: count sheep', 'no database'],
      [20, 'job failed, retrying later: count sheep', 'no database'],
      [40, 'job failed, retrying later: count sheep', 'no network'],
    ])
  })

  it('finishes its current run when it stops, and does not run again', async () => {
    const signals: AbortSignal[] = []
    const run = Promise.withResolvers<void>()
    job = createJob((signal) => {
      signals.push(signal)
      return run.promise
    })
    void job.start()
    let isStopped = false
    const stopPromise = job.stop().then(() => {
      isStopped = true
    })
    await vi.advanceTimersByTimeAsync(5_000)
    expect([isStopped, signals[0]?.aborted]).toEqual([false, true])
    run.resolve()
    await stopPromise
    job.trigger()
    await job.run()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(signals).toHaveLength(1)
  })
})
