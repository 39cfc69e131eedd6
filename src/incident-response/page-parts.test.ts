import { describe, expect, it } from 'vitest'
import { countInState, divideIncidentPage } from './page-parts.ts'

const part = (limit: number, offset: number) => ({ limit, offset })

describe('a page of the list of incidents', () => {
  it.each([
    ['no incident is ongoing', 0, undefined, part(20, 0), part(0, 0), part(20, 0)],
    ['a few are ongoing', 3, undefined, part(20, 0), part(3, 0), part(17, 0)],
    ['it is full of ongoing ones', 20, undefined, part(20, 0), part(20, 0), part(0, 0)],
    ['it follows a page of ongoing ones', 20, undefined, part(20, 20), part(0, 0), part(20, 0)],
    ['the last ongoing ones are on it', 30, undefined, part(20, 20), part(10, 20), part(10, 0)],
    ['it is far behind the ongoing ones', 30, undefined, part(20, 60), part(0, 0), part(20, 30)],
    ['the last resolved ones are on it', 30, undefined, part(20, 80), part(0, 0), part(10, 50)],
    ['it is after the end', 30, undefined, part(20, 100), part(0, 0), part(0, 0)],
    ['only ongoing ones are listed', 30, 'open', part(20, 20), part(10, 20), part(0, 0)],
    ['only acknowledged ones are listed', 30, 'acknowledged', part(20, 0), part(7, 0), part(0, 0)],
    ['only resolved ones are listed', 30, 'resolved', part(20, 20), part(0, 0), part(20, 20)],
  ] as const)(
    'has its share of ongoing and resolved incidents if %s',
    (_case, openCount, state, page, open, resolved) => {
      const isOnlyAcknowledged = state === 'acknowledged'
      const counts = { open: openCount, acknowledged: 7, resolved: 60, sample: 0 }
      expect(divideIncidentPage(counts, state, page)).toEqual({ open, resolved, isOnlyAcknowledged })
    },
  )
})

describe('the total of the list', () => {
  it.each([
    [undefined, 12],
    ['open', 5],
    ['acknowledged', 2],
    ['resolved', 7],
  ] as const)('counts the incidents of state %s', (state, total) => {
    expect(countInState({ open: 5, acknowledged: 2, resolved: 7, sample: 3 }, state)).toBe(total)
  })
})
