import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Progress } from './progress.ts'

// The tests don't use the real time: on a busy machine, the time between two calls could exceed the interval between
// two redraws.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

function recordNotes() {
  const notes: string[] = []
  return { notes, note: (text: string) => notes.push(text) }
}

describe('a progress bar', () => {
  it('ends at 100 %, although the last redraw was earlier and the total was an estimate', () => {
    const { notes, note } = recordNotes()
    const progress = new Progress(note, 'Reading', 1_000, { isTerminal: true, unit: 'events' })
    progress.add(10, 500)
    progress.add(10, 400)
    progress.complete()
    expect(notes).toEqual([
      `Reading: ${'█'.repeat(10)}${'░'.repeat(10)} 50 %, 10 events, 500 B\x1b[K\r`,
      `Reading: ${'█'.repeat(20)} 100 %, 20 events, 900 B\x1b[K`,
    ])
  })

  it('is completed before the result is printed', () => {
    const { notes, note } = recordNotes()
    const progress = new Progress(note, 'Restoring', 1_000, { isTerminal: true })
    progress.add(7, 100)
    progress.end('Restored')
    expect(notes.slice(1)).toEqual([expect.stringContaining(' 100 %, 7 rows'), 'Restored: 7 rows, 100 B.'])
  })

  it('is not printed outside a terminal', () => {
    const { notes, note } = recordNotes()
    const progress = new Progress(note, 'Restoring', 1_000, { isTerminal: false })
    progress.add(7, 100)
    progress.complete()
    progress.end('Restored')
    expect(notes).toEqual(['Restored: 7 rows, 100 B.'])
  })
})

describe('progress without a known total', () => {
  it('has no bar, and its line is replaced by the result', () => {
    const { notes, note } = recordNotes()
    const progress = new Progress(note, 'Backing up', undefined, { isTerminal: true })
    progress.add(7, 100)
    progress.end('Saved')
    expect(notes).toEqual(['Backing up: 7 rows, 100 B\x1b[K\r', '\r\x1b[K\r', 'Saved: 7 rows, 100 B.'])
  })
})
