import { describe, expect, it } from 'vitest'
import { LatenessDetector } from './lateness-detector.ts'

const PERIOD_MS = 10_000

function openDetector({ runningCount = 100 } = {}) {
  let now = 0
  let hasBacklog = false
  const logged: string[] = []
  const log = (message: string) => void logged.push(message)
  const detector = new LatenessDetector({
    log: { info: log, warn: log } as never,
    countRunning: () => runningCount,
    maxRunning: 8_000,
    hasBacklog: () => hasBacklog,
    now: () => now,
  })
  return {
    detector,
    logged,
    /** In each period, 100 checks start, and `lateCount` of them are late. */
    run(periodCount: number, lateCount: number, latenessMs = 41_000) {
      for (let n = 0; n < periodCount * 100; n++) {
        now += PERIOD_MS / 100
        detector.recordStart(n % 100 < lateCount ? latenessMs : 20)
      }
    },
    /** No check starts. */
    pause(periodCount: number, options: { hasBacklog: boolean }) {
      now += periodCount * PERIOD_MS
      hasBacklog = options.hasBacklog
    },
  }
}

const TOO_BUSY =
  'Checks start up to 41 s late: this node is too busy. Give its machine and PostgreSQL more CPU time, start another node with the role checker, or check less often.'

describe('lateness', () => {
  it('is reported after 90 s, and until checks start in time again', () => {
    const { detector, logged, run } = openDetector()
    run(10, 0)
    run(8, 100)
    expect(detector.message).toBeUndefined()
    run(2, 100)
    expect(detector.message).toBe(TOO_BUSY)
    run(2, 0)
    expect(detector.message).toBeUndefined()
    expect(logged).toEqual([TOO_BUSY, 'checks start in time again'])
  })

  it('of single monitors is not reported', () => {
    const { detector, run } = openDetector()
    run(20, 4)
    expect(detector.message).toBeUndefined()
  })

  it('of less than 5 s is not reported', () => {
    const { detector, run } = openDetector()
    run(20, 100, 4_900)
    expect(detector.message).toBeUndefined()
  })

  it('of the checks that are overdue after a start is not reported', () => {
    const { detector, run } = openDetector()
    run(7, 100, 3_600_000)
    run(5, 0)
    expect(detector.message).toBeUndefined()
  })

  it('from before a reset does not count', () => {
    const { detector, run } = openDetector()
    run(20, 100)
    detector.reset()
    expect(detector.message).toBeUndefined()
    run(10, 100, 3_600_000)
    expect(detector.message).toMatch(/^Checks start up to 100 s late/)
  })

  it('is reported while no check can start, but not while none is due', () => {
    const { detector, run, pause } = openDetector()
    run(5, 100)
    pause(5, { hasBacklog: true })
    expect(detector.message).toBe(TOO_BUSY)
    pause(2, { hasBacklog: false })
    expect(detector.message).toBeUndefined()
    pause(1_000, { hasBacklog: true })
    expect(detector.message).toMatch(/^No checks start, although some are due: this node is too busy\. /)
  })

  it('has another reason if many checks are running', () => {
    const { detector, run } = openDetector({ runningCount: 6_200 })
    run(12, 100)
    expect(detector.message).toBe(
      'Checks start up to 41 s late: 6200 checks are running, most of them against slow targets. Set shorter timeouts, check less often, or start another node with the role checker.',
    )
  })
})
