import { describe, expect, it, vi } from 'vitest'
import { RequestsInProgress, ThreadYielder } from './yield-to-requests.ts'

/** A thread whose time passes only while it works, sleeps or has no job. */
function createThread(requests: RequestsInProgress, { sleepFactor = 1 } = {}) {
  let time = 1_000
  let sleeps: number[] = []
  const yielder = new ThreadYielder(requests.memory, {
    now: () => time,
    sleep: (ms) => {
      sleeps.push(ms)
      time += ms * sleepFactor
    },
  })
  return {
    startJob: () => yielder.startJob(),
    /** Works without a step between. */
    workOn: (ms: number) => {
      time += ms
    },
    /** Ends the job, and starts another one after some time. */
    startNextJob: (afterMs: number) => {
      yielder.endJob()
      time += afterMs
      yielder.startJob()
    },
    /** Returns how long the thread sleeps after each step of its work. */
    work: (ms: number) => {
      sleeps = []
      time += ms
      yielder.yieldToRequests()
      return sleeps.reduce((sum, sleptMs) => sum + sleptMs, 0)
    },
    getTime: () => time,
  }
}

/** A thread that has worked for so long that it pauses for requests. */
function createBusyThread(requests: RequestsInProgress, options = {}) {
  const thread = createThread(requests, options)
  thread.startJob()
  thread.work(25)
  return thread
}

describe('a thread that yields to requests', () => {
  it('sleeps briefly after each millisecond of work', () => {
    const { startJob, work } = createThread(new RequestsInProgress())
    startJob()
    const sleeps = Array.from({ length: 40 }, () => work(0.26)).filter((ms) => ms > 0)
    expect(sleeps).toHaveLength(10)
    expect(Math.max(...sleeps)).toBeLessThan(0.1)
  })

  it('pauses while requests are in progress, for at most as long as it has run before', () => {
    const requests = new RequestsInProgress()
    const { work } = createBusyThread(requests)
    const end = requests.begin()
    expect(work(0.5)).toBeGreaterThan(24)
    expect(work(0.5)).toBeLessThan(1)
    end()
    expect(work(0.5)).toBe(0)
  })

  it('still works half of the time if there are always requests', () => {
    const requests = new RequestsInProgress()
    const { work, getTime } = createBusyThread(requests)
    requests.begin()
    const startedAt = getTime()
    for (let n = 0; n < 2_000; n++) work(0.5)
    expect(getTime() - startedAt).toBeGreaterThan(1_900)
    expect(getTime() - startedAt).toBeLessThan(2_100)
  })

  it('pauses only briefly after it has worked for long', () => {
    const requests = new RequestsInProgress()
    const { work } = createBusyThread(requests)
    work(10_000)
    requests.begin()
    expect(work(0.5)).toBeLessThan(31)
  })

  it('does not pause for the request that it has just begun to work for', () => {
    const requests = new RequestsInProgress()
    const { startJob, work } = createThread(requests)
    requests.begin()
    startJob()
    for (let n = 0; n < 20; n++) expect(work(0.9)).toBeLessThan(0.1)
    // By then, the server no longer counts that request. Here it stands for others.
    expect(work(5)).toBeGreaterThan(1)
  })

  it('does not pause longer because it had no job for a while', () => {
    const requests = new RequestsInProgress()
    const { startNextJob, work } = createBusyThread(requests)
    requests.begin()
    work(0.5)
    startNextJob(10)
    expect(work(1)).toBeLessThan(2)
    startNextJob(1_000)
    expect(work(0.9)).toBe(0)
  })

  it('pauses in a job that follows one without steps', () => {
    const requests = new RequestsInProgress()
    const { startNextJob, work, workOn } = createBusyThread(requests)
    workOn(1_000)
    startNextJob(1)
    requests.begin()
    expect(work(0.5)).toBeGreaterThan(20)
  })

  it('still sleeps briefly if it may not pause, because its last pause took too long', () => {
    const requests = new RequestsInProgress()
    const { work } = createBusyThread(requests, { sleepFactor: 20 })
    requests.begin()
    work(0.5)
    for (let n = 0; n < 5; n++) expect(work(1.1)).toBeGreaterThan(0)
  })
})

describe('requests in progress', () => {
  it('count until they end, but not for longer than a small request takes', () => {
    vi.useFakeTimers()
    try {
      const requests = new RequestsInProgress()
      const counts = new Int32Array(requests.memory)
      const [end, endLate] = [requests.begin(), requests.begin()]
      expect(counts[0]).toBe(2)
      end()
      end()
      expect(counts[0]).toBe(1)
      vi.advanceTimersByTime(100)
      expect(counts[0]).toBe(0)
      endLate()
      expect(counts[0]).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
