import { describe, expect, it } from 'vitest'
import { listIdsBetween, withSelected } from './selection.ts'

describe('a selection', () => {
  it('is copied when IDs are added or removed', () => {
    const before = new Set([1, 2])
    expect([...withSelected(before, [2, 3], true)]).toEqual([1, 2, 3])
    expect([...withSelected(before, [2, 3], false)]).toEqual([1])
    expect([...before]).toEqual([1, 2])
  })

  it('extends over a range of rows, upwards and downwards', () => {
    const shownIds = [5, 3, 9, 1]
    expect(listIdsBetween(shownIds, 3, 1)).toEqual([3, 9, 1])
    expect(listIdsBetween(shownIds, 9, 5)).toEqual([5, 3, 9])
    expect(listIdsBetween(shownIds, 3, 3)).toEqual([3])
  })

  it('contains only the clicked row if no row was clicked before, or if the earlier row is hidden', () => {
    expect(listIdsBetween([5, 3], undefined, 3)).toEqual([3])
    expect(listIdsBetween([5, 3], 7, 3)).toEqual([3])
  })
})
