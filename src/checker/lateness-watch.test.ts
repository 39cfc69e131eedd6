import { describe, expect, it } from 'vitest'
import { LatenessWatch } from './lateness-watch.ts'

const PERIOD_MS = 10_000

function openWatch({ heldCount = 100 } = {}) {
  let now = 0
  const logged: string[] = []
  const log = (_details: object | string, message?: string) => void logged.push(message ?? String(_details))
  const watch = new LatenessWatch({
    log: { info: log, warn: log } as never,
    slots: { heldCount, freeCount: 8_000 - heldCount },
    now: () => now,
  })
  return {
    watch,
    logged,
    /** In each period, 100 checks start, and `lateCount` of them are late. */
    run(periodCount: number, lateCount: number, latenessMs = 41_000) {
      for (let n = 0; n < periodCount * 100; n++) {
        now += PERIOD_MS / 100
        watch.recordStart(n % 100 < lateCount ? latenessMs : 20)
      }
    },
    wait(ms: number) {
      now += ms
    },
  }
}

const TOO_BUSY =
  'Checks start up to 41 s late: this node is too busy. Give it and PostgreSQL more CPU time, start another node with the role checker, or check less often.'

describe('lateness', () => {
  it('is reported after a minute, and until checks start in time again', () => {
    const { watch, logged, run } = openWatch()
    run(10, 0)
    run(5, 100)
    expect(watch.message).toBeUndefined()
    run(2, 100)
    expect(watch.message).toBe(TOO_BUSY)
    run(2, 0)
    expect(watch.message).toBeUndefined()
    expect(logged).toEqual(['checks start late: this node cannot keep up', 'checks start in time again'])
  })

  it('of single monitors is not reported', () => {
    const { watch, run } = openWatch()
    run(20, 4)
    expect(watch.message).toBeUndefined()
  })

  it('of less than 5 s is not reported', () => {
    const { watch, run } = openWatch()
    run(20, 100, 4_900)
    expect(watch.message).toBeUndefined()
  })

  it('from before the start of the node does not count', () => {
    const { watch, run } = openWatch()
    run(6, 100, 3_600_000)
    expect(watch.message).toMatch(/^Checks start up to 60 s late/)
  })

  it('is no longer reported if there are no checks', () => {
    const { watch, run, wait } = openWatch()
    run(10, 100)
    wait(3 * PERIOD_MS)
    expect(watch.message).toBeUndefined()
  })

  it('has another reason if most check slots are in use', () => {
    const { watch, run } = openWatch({ heldCount: 6_400 })
    run(10, 100)
    expect(watch.message).toBe(
      'Checks start up to 41 s late: 6400 checks are waiting for slow targets. Set shorter timeouts, check less often, or start another node with the role checker.',
    )
  })
})
