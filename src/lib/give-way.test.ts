import { describe, expect, it, vi } from 'vitest'
import { createGiveWay, RequestsInProgress } from './give-way.ts'

/** A thread whose time passes only while it works or sleeps. */
function createThread(requests: RequestsInProgress) {
  let time = 0
  const sleeps: number[] = []
  const giveWay = createGiveWay(requests.memory, {
    now: () => time,
    sleep: (ms) => {
      sleeps.push(ms)
      time += ms
    },
  })
  const work = (ms: number) => {
    time += ms
    giveWay()
  }
  const countSleptMs = () => sleeps.reduce((sum, ms) => sum + ms, 0)
  return { work, sleeps, countSleptMs, getTime: () => time }
}

describe('a thread that gives way', () => {
  it('sleeps for a moment after each millisecond of work', () => {
    const { work, sleeps } = createThread(new RequestsInProgress())
    for (let n = 0; n < 40; n++) work(0.25)
    expect(sleeps).toHaveLength(10)
    expect(Math.max(...sleeps)).toBeLessThan(0.1)
  })

  it('pauses while requests are in progress, as long as it has run before', () => {
    const requests = new RequestsInProgress()
    const { work, countSleptMs } = createThread(requests)
    work(10)
    const end = requests.begin()
    const sleptBefore = countSleptMs()
    work(0.5)
    expect(countSleptMs() - sleptBefore).toBeGreaterThan(10)
    end()
    const sleptDuring = countSleptMs()
    work(0.5)
    expect(countSleptMs()).toBe(sleptDuring)
  })

  it('still works half of the time if there are always requests', () => {
    const requests = new RequestsInProgress()
    requests.begin()
    const { work, getTime } = createThread(requests)
    for (let n = 0; n < 2_000; n++) work(0.5)
    expect(getTime()).toBeGreaterThan(1_900)
    expect(getTime()).toBeLessThan(2_100)
  })

  it('owes requests only a short pause after it has worked for long', () => {
    const requests = new RequestsInProgress()
    const { work, countSleptMs } = createThread(requests)
    work(10_000)
    requests.begin()
    const sleptBefore = countSleptMs()
    work(0.5)
    expect(countSleptMs() - sleptBefore).toBeLessThan(31)
  })

  it('no longer pauses for a request that takes long', () => {
    vi.useFakeTimers()
    try {
      const requests = new RequestsInProgress()
      const end = requests.begin()
      const counts = new Int32Array(requests.memory)
      expect(counts[0]).toBe(1)
      vi.advanceTimersByTime(100)
      expect(counts[0]).toBe(0)
      end()
      expect(counts[0]).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
