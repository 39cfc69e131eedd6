import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MoveProgress } from './progress.ts'

const sizes = new Map([
  ['users', { rows: 10, bytes: 1_000 }],
  ['events', { rows: 1_000, bytes: 9_000 }],
])

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

function createProgress(isTerminal: boolean) {
  const notes: string[] = []
  return { notes, progress: new MoveProgress((text) => notes.push(text), sizes, { isTerminal }) }
}

describe('the progress of a move', () => {
  it('weighs each table by its size, and estimates the remaining time', () => {
    const { notes, progress } = createProgress(true)
    progress.beginTable('users')
    progress.add(10, 500)
    progress.beginTable('events')
    vi.advanceTimersByTime(11_000)
    progress.add(500, 4_500)
    expect(notes.at(-1)).toBe(
      `Copying events: ${'█'.repeat(11)}${'░'.repeat(9)} 55 %, 510 rows, 5.0 kB, 455 B/s, about 9 s left\x1b[K\r`,
    )
  })

  it('prints a line every five seconds outside a terminal', () => {
    const { notes, progress } = createProgress(false)
    progress.beginTable('events')
    for (let n = 0; n < 120; n++) {
      vi.advanceTimersByTime(100)
      progress.add(1, 10)
    }
    expect(notes).toEqual([
      'Copying events: 4 %, 50 rows, 500 B, 100 B/s, about 1 min 46 s left',
      'Copying events: 9 %, 100 rows, 1.0 kB, 100 B/s, about 1 min 41 s left',
    ])
    progress.complete()
    expect(notes.slice(2)).toEqual(['Copied and compared: 120 rows, 1.2 kB, 100 B/s.', 'Checking foreign keys…'])
  })
})
